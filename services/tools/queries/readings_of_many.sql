-- What did several loggers read after $2, up to and including $3? One index range, and one row of arrays, per logger.
SELECT r."timestamp", r.active_power_watts, r.energy_daily_kwh, r.irradiance, r.energy_lifetime_kwh, r.temperature_module_c,
       wanted.logger_key
FROM unnest($1::integer[]) AS wanted (logger_key)
CROSS JOIN LATERAL (
    SELECT array_agg(r."timestamp") AS "timestamp", array_agg(r.active_power_watts) AS active_power_watts,
           array_agg(r.energy_daily_kwh) AS energy_daily_kwh, array_agg(r.irradiance) AS irradiance,
           array_agg(r.energy_lifetime_kwh) AS energy_lifetime_kwh, array_agg(r.temperature_module_c) AS temperature_module_c
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
