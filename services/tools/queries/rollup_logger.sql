-- What is known about the logger whose figures are to be recomputed? By key: the caller has it from a query with a tenant.
SELECT d.logger_key AS "logger_key!", d.logger_id AS "logger_id!", d.logger_type AS "logger_type!", d.role AS "role!",
       d.capacity_kw, d.temperature_coefficient, d.sample_label AS "sample_label!", d.irradiance_basis AS "irradiance_basis!",
       d.sensor_keys AS "sensor_keys!", d.first_at, d.last_at, d.record_count AS "record_count!", d.latest_power_at,
       d.latest_power_watts, d.latest_irradiance_at, d.latest_irradiance, d.calibration AS "calibration: Json<Calibration>",
       d.hourly_shape, d.site_id AS "site_id!", d.site_name AS "site_name!", d.timezone AS "timezone!", d.latitude, d.longitude,
       d.tariff_per_kwh, d.currency AS "currency!", d.co2_kg_per_kwh, d.co2_factor_name, d.co2_factor_year,
       d.days_calibration AS "days_calibration: Json<Calibration>", d.calibrated_day, d.pending_records AS "pending_records!",
       (SELECT l.codes_kept FROM tools.loggers AS l WHERE l.logger_key = $1) AS "codes_kept!"
FROM tools.logger_details AS d
WHERE d.logger_key = $1
ORDER BY d.logger_key
LIMIT 1;
