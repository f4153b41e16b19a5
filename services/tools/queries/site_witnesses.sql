-- Which loggers show whether the sun shone at these sites? Weather stations first, then those with irradiance, then any; one more than
-- a logger is judged by, as it cannot be its own witness.
SELECT w.site_id, w.logger_key, w.calibration AS "calibration!: Json<Calibration>"
FROM (
    SELECT s.site_id, l.logger_key, l.calibration,
           row_number() OVER (PARTITION BY s.site_key
                              ORDER BY l.role = 'weather' DESC, l.latest_irradiance_at IS NOT NULL DESC, l.logger_id) AS place
    FROM tools.sites AS s
    JOIN tools.loggers AS l ON l.site_key = s.site_key
    WHERE s.tenant = $1
      AND s.site_id = ANY ($2)
      AND l.calibration IS NOT NULL
) AS w
WHERE w.place <= 6
ORDER BY w.site_id, w.place
LIMIT 100000;
