-- The loggers of a tenant as they were described, with the range of their readings.
SELECT s.site_id, l.logger_id, l.logger_type, l.role, l.capacity_kw, l.temperature_coefficient, l.sample_label, l.irradiance_basis,
       o.logger_id AS "sensor?", l.record_count, l.first_at, l.last_at
FROM tools.loggers AS l
JOIN tools.sites AS s ON s.site_key = l.site_key
LEFT JOIN tools.loggers AS o ON o.logger_key = l.irradiance_logger_key
WHERE l.tenant = $1
  AND ($2::text IS NULL OR s.site_id = $2)
ORDER BY s.site_id, l.logger_id
LIMIT 100000;
