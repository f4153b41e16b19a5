-- Which are the first and the newest reading of a logger, and which its newest irradiance in the two days before that?
UPDATE tools.loggers AS l
SET first_at             = ends.first_at,
    last_at              = ends.last_at,
    latest_irradiance_at = coalesce(light."timestamp", l.latest_irradiance_at),
    latest_irradiance    = CASE WHEN light."timestamp" IS NULL THEN l.latest_irradiance ELSE light.irradiance END
FROM (SELECT (SELECT m."timestamp" FROM tools.measurements AS m WHERE m.logger_key = $1 ORDER BY m."timestamp" LIMIT 1) AS first_at,
             (SELECT m."timestamp" FROM tools.measurements AS m WHERE m.logger_key = $1 ORDER BY m."timestamp" DESC LIMIT 1) AS last_at
     ) AS ends
LEFT JOIN LATERAL (
    SELECT m."timestamp", m.irradiance
    FROM tools.measurements AS m
    WHERE m.logger_key = $1
      AND m."timestamp" > ends.last_at - interval '48 hours'
      AND m.irradiance IS NOT NULL
      AND m.irradiance <> 'NaN'
    ORDER BY m."timestamp" DESC
    LIMIT 1
) AS light ON true
WHERE l.logger_key = $1;
