-- Which power and irradiance did several loggers read after $2, up to and including $3? One index range, and one row of arrays, per
-- logger; of those that are asked for light only ($4), the irradiance is enough.
SELECT wanted.logger_key AS "logger_key!", r."timestamp" AS "timestamp!", r.irradiance AS "irradiance: Vec<Option<f64>>",
       r.active_power_watts AS "active_power_watts: Vec<Option<f64>>"
FROM unnest($1::integer[], $4::boolean[]) AS wanted (logger_key, light_only)
CROSS JOIN LATERAL (
    SELECT array_agg(r."timestamp") AS "timestamp",
           array_agg(r.irradiance) AS irradiance,
           array_agg(r.active_power_watts) FILTER (WHERE NOT wanted.light_only) AS active_power_watts
    FROM (
        SELECT m."timestamp", m.active_power_watts, m.irradiance
        FROM tools.measurements AS m
        WHERE m.logger_key = wanted.logger_key
          AND m."timestamp" > $2
          AND m."timestamp" <= $3
        ORDER BY m."timestamp"
        LIMIT 2000000
    ) AS r
) AS r
WHERE r."timestamp" IS NOT NULL
ORDER BY wanted.logger_key
LIMIT 1000;
