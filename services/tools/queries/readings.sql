-- What did several loggers read after $2, up to and including $3? A stamp ends its step, so a day opens after its first midnight. One
-- index range per logger, and one row of arrays: thousands of rows would cost the client more than the server needs to find them.
-- Of those that are asked for light only ($4), irradiance and module temperature are enough.
SELECT wanted.logger_key AS "logger_key!", r."timestamp" AS "timestamp!", r.irradiance AS "irradiance: Vec<Option<f64>>",
       r.active_power_watts AS "active_power_watts: Vec<Option<f64>>", r.temperature_module_c AS "temperature_module_c: Vec<Option<f64>>",
       r.energy_daily_kwh AS "energy_daily_kwh: Vec<Option<f64>>", r.energy_lifetime_kwh AS "energy_lifetime_kwh: Vec<Option<f64>>"
FROM unnest($1::integer[], $4::boolean[]) AS wanted (logger_key, light_only)
CROSS JOIN LATERAL (
    SELECT array_agg(r."timestamp") AS "timestamp",
           array_agg(r.irradiance) AS irradiance,
           array_agg(r.temperature_module_c) AS temperature_module_c,
           array_agg(r.active_power_watts) FILTER (WHERE NOT wanted.light_only) AS active_power_watts,
           array_agg(r.energy_daily_kwh) FILTER (WHERE NOT wanted.light_only) AS energy_daily_kwh,
           array_agg(r.energy_lifetime_kwh) FILTER (WHERE NOT wanted.light_only) AS energy_lifetime_kwh
    FROM (
        SELECT m."timestamp", m.active_power_watts, m.energy_daily_kwh, m.irradiance, m.energy_lifetime_kwh, m.temperature_module_c
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
