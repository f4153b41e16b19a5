-- Which loggers are these, and which take irradiance from them? Those asked for first, so that sensors precede what they light.
SELECT d.logger_key AS "logger_key!"
FROM tools.logger_details AS d
WHERE d.logger_key = ANY ($1)
   OR d.sensor_keys && $1
ORDER BY d.sensor_keys && $1, d.logger_key
LIMIT 100000;
