-- Which loggers does the tenant have, all or of one site, with the range of their data? All from what the roll-up keeps. Sensors are
-- not looked up: nothing here reads irradiance.
SELECT l.logger_key, l.logger_id, l.logger_type, l.role, l.capacity_kw, l.temperature_coefficient, l.sample_label,
       CASE WHEN l.irradiance_basis = 'unknown' AND l.latest_irradiance_at IS NULL
            THEN coalesce(sensor.irradiance_basis, 'unknown') ELSE l.irradiance_basis END AS "irradiance_basis!",
       '{}'::integer[] AS "sensor_keys!",
       l.first_at, l.last_at, l.record_count, l.latest_power_at, l.latest_power_watts, l.latest_irradiance_at, l.latest_irradiance,
       l.calibration AS "calibration: Json<Calibration>", NULL::double precision[] AS hourly_shape,
       s.site_id, s.name AS site_name, s.timezone, s.latitude, s.longitude, s.tariff_per_kwh, s.currency,
       s.co2_kg_per_kwh, s.co2_factor_name, s.co2_factor_year
FROM tools.loggers AS l
JOIN tools.sites AS s ON s.site_key = l.site_key
LEFT JOIN tools.loggers AS sensor ON sensor.logger_key = l.irradiance_logger_key
WHERE l.tenant = $1
  AND ($2::text IS NULL OR s.site_id = $2)
ORDER BY l.logger_id
LIMIT 10000;
