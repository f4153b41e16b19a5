-- What did one logger read after $2, up to and including $3? A stamp ends its step, so a day opens after its first midnight.
-- One row of arrays: thousands of rows would cost the client more than the server needs to find them.
SELECT array_agg(r."timestamp"), array_agg(r.active_power_watts), array_agg(r.energy_daily_kwh), array_agg(r.irradiance),
       array_agg(r.energy_lifetime_kwh), array_agg(r.temperature_module_c)
FROM (
    SELECT m."timestamp", m.active_power_watts, m.energy_daily_kwh, m.irradiance, m.energy_lifetime_kwh, m.temperature_module_c
    FROM tools.measurements AS m
    WHERE m.logger_key = $1
      AND m."timestamp" > $2
      AND m."timestamp" <= $3
    ORDER BY m."timestamp"
    LIMIT 2000000
) AS r;
