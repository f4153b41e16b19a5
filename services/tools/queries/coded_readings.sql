-- Which readings of several loggers, each after its own $2, up to and including its own $3, carry an error code or state? Keys are the
-- devices' own, in any case; values that say that there is none are left out here, so that only readings that say something are returned.
SELECT wanted.logger_key AS "logger_key!", r."timestamp" AS "timestamp!", r.metadata AS "metadata!: Json<Metadata>"
FROM unnest($1::integer[], $2::timestamptz[], $3::timestamptz[]) AS wanted (logger_key, after, until)
CROSS JOIN LATERAL (
    SELECT m."timestamp",
           (SELECT jsonb_object_agg(e.key, e.value)
            FROM jsonb_each(m.metadata) AS e
            WHERE lower(e.key) IN ('errorcode', 'faultcode', 'alarm', 'fehler', 'evt1', 'st')) AS metadata
    FROM tools.measurements AS m
    WHERE m.logger_key = wanted.logger_key
      AND m."timestamp" > wanted.after
      AND m."timestamp" <= wanted.until
      AND jsonb_typeof(m.metadata) = 'object'
      AND EXISTS (SELECT 1
                  FROM jsonb_each(CASE WHEN jsonb_typeof(m.metadata) = 'object' THEN m.metadata ELSE '{}' END) AS e
                  WHERE lower(e.key) IN ('errorcode', 'faultcode', 'alarm', 'fehler', 'evt1', 'st')
                    AND e.value NOT IN ('null', '0', '""', '"0"', '[]'))
    ORDER BY m."timestamp"
    LIMIT 100000
) AS r
ORDER BY wanted.logger_key, r."timestamp"
LIMIT 1000000;
