-- What did one logger read after $2, up to and including $3? A stamp ends its step, so a day opens after its first midnight.
SELECT m."timestamp", m.active_power_watts, m.energy_daily_kwh, m.irradiance, m.energy_lifetime_kwh, m.temperature_module_c
FROM tools.measurements AS m
WHERE m.logger_key = $1
  AND m."timestamp" > $2
  AND m."timestamp" <= $3
ORDER BY m."timestamp"
LIMIT 2000000;
