COPY tools.measurements (logger_key, "timestamp", active_power_watts, energy_daily_kwh, irradiance, metadata)
FROM STDIN (FORMAT binary)
