-- Which readings of a logger after $2, up to and including $3, carry an error code or state? Keys are the devices' own, in any case;
-- values that say that there is none are left out here, so that only readings with something to tell travel.
SELECT m."timestamp",
       (SELECT jsonb_object_agg(e.key, e.value)
        FROM jsonb_each(m.metadata) AS e
        WHERE lower(e.key) IN ('errorcode', 'faultcode', 'alarm', 'fehler', 'evt1', 'st')) AS metadata
FROM tools.measurements AS m
WHERE m.logger_key = $1
  AND m."timestamp" > $2
  AND m."timestamp" <= $3
  AND jsonb_typeof(m.metadata) = 'object'
  AND EXISTS (SELECT 1
              FROM jsonb_each(CASE WHEN jsonb_typeof(m.metadata) = 'object' THEN m.metadata ELSE '{}' END) AS e
              WHERE lower(e.key) IN ('errorcode', 'faultcode', 'alarm', 'fehler', 'evt1', 'st')
                AND e.value NOT IN ('null', '0', '""', '"0"', '[]'))
ORDER BY m."timestamp"
LIMIT 100000;
