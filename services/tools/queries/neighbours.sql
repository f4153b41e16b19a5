-- Which other loggers stand at the logger's site? Weather stations first, then those that ever produced; a few are enough to tell
-- whether the sun shone.
SELECT o.logger_key, o.calibration
FROM tools.loggers AS l
JOIN tools.loggers AS o ON o.site_key = l.site_key AND o.logger_key <> l.logger_key
WHERE l.logger_key = $1
  AND o.calibration IS NOT NULL
ORDER BY o.role = 'weather' DESC, o.latest_irradiance_at IS NOT NULL DESC, o.logger_id
LIMIT 5;
