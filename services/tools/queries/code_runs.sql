-- Which runs of error codes have several loggers, each after its own $2, up to and including its own $3? A run does not reach beyond its
-- local day. One row without a run for a logger that has none; "codes_kept" is false for one whose runs are not computed yet.
SELECT wanted.logger_key AS "logger_key!", l.codes_kept AS "codes_kept!", r.first_at AS "first_at?", r.last_at AS "last_at?",
       r.readings AS "readings?", r.codes AS "codes?: Json<Vec<Metadata>>"
FROM unnest($1::integer[], $2::timestamptz[], $3::timestamptz[]) AS wanted (logger_key, after, until)
JOIN tools.loggers AS l ON l.logger_key = wanted.logger_key
LEFT JOIN LATERAL (
    SELECT c.first_at, c.last_at, c.readings, c.codes
    FROM tools.code_runs AS c
    WHERE c.logger_key = wanted.logger_key
      AND c.first_at > wanted.after
      AND c.first_at <= wanted.until
      AND l.codes_kept
    ORDER BY c.first_at
    LIMIT 100000
) AS r ON true
ORDER BY wanted.logger_key, r.first_at
LIMIT 1000000;
