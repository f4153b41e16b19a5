-- When did each of several loggers last deliver at least its given power, after $3 and up to $4?
SELECT wanted.logger_key AS "logger_key!", r."timestamp" AS "delivered_at!"
FROM unnest($1::integer[], $2::double precision[]) AS wanted (logger_key, watts)
CROSS JOIN LATERAL (
    SELECT m."timestamp"
    FROM tools.measurements AS m
    WHERE m.logger_key = wanted.logger_key
      AND m."timestamp" > $3
      AND m."timestamp" <= $4
      AND m.active_power_watts >= wanted.watts
    ORDER BY m."timestamp" DESC
    LIMIT 1
) AS r
ORDER BY wanted.logger_key
LIMIT 100000;
