-- What did several loggers read after $2, up to and including $3? One index range per logger.
SELECT m."timestamp", m.active_power_watts, m.energy_daily_kwh, m.irradiance, m.energy_lifetime_kwh, m.temperature_module_c, m.logger_key
FROM tools.measurements AS m
WHERE m.logger_key = ANY ($1)
  AND m."timestamp" > $2
  AND m."timestamp" <= $3
ORDER BY m.logger_key, m."timestamp"
LIMIT 4000000;
