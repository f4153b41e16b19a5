-- Stores the batch. A reading that is stored already with the same values is left alone, so that a repeated upload writes nothing.
INSERT INTO tools.measurements AS m (logger_key, "timestamp", active_power_watts, energy_daily_kwh, irradiance, metadata)
SELECT s.logger_key, s."timestamp", s.active_power_watts, s.energy_daily_kwh, s.irradiance, s.metadata
FROM pg_temp.measurements_staging AS s
ON CONFLICT (logger_key, "timestamp") DO UPDATE
SET active_power_watts = excluded.active_power_watts,
    energy_daily_kwh   = excluded.energy_daily_kwh,
    irradiance         = excluded.irradiance,
    metadata           = excluded.metadata
WHERE (m.active_power_watts, m.energy_daily_kwh, m.irradiance, m.metadata)
      IS DISTINCT FROM (excluded.active_power_watts, excluded.energy_daily_kwh, excluded.irradiance, excluded.metadata);
