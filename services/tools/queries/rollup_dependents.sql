-- Which loggers take irradiance from this one, and have readings between $2 and $3 that it may light?
SELECT d.logger_key AS "logger_key!"
FROM tools.loggers AS l
JOIN tools.logger_details AS d ON d.site_key = l.site_key AND l.logger_key = ANY (d.sensor_keys)
WHERE l.logger_key = $1
  AND d.first_at <= $3
  AND d.last_at >= $2
ORDER BY d.logger_key
LIMIT 10000;
