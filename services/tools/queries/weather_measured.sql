-- What irradiation was measured for a logger on its local days from $2 to $3?
SELECT d.day, d.insolation_kwh_m2
FROM tools.daily AS d
WHERE d.logger_key = $1
  AND d.day BETWEEN $2 AND $3
  AND NOT d.midnight_only
  AND NOT d.irradiance_suspect
  AND d.insolation_kwh_m2 > 0
ORDER BY d.day
LIMIT 100000;
