-- How much irradiation, kWh/m2, was forecast for the local days from $2 to $3 of a logger's site, by the local day of issue? A step belongs to
-- the day of its middle. A day counts when an issue covers it, nights included, without overlaps; of several issues of one day, the newest.
SELECT DISTINCT ON (d.day, d.issued_day) d.day AS "day!", d.issued_day AS "issued_day!", d.kwh_m2 AS "kwh_m2!"
FROM (
    SELECT ((w."timestamp" - make_interval(mins => w.step_minutes) / 2) AT TIME ZONE s.timezone)::date AS day,
           (w.issued_at AT TIME ZONE s.timezone)::date AS issued_day,
           w.issued_at,
           sum(w.irradiance * w.step_minutes) / 60000 AS kwh_m2
    FROM tools.weather AS w
    JOIN tools.loggers AS l ON l.site_key = w.site_key
    JOIN tools.sites AS s ON s.site_key = w.site_key
    WHERE l.logger_key = $1
      AND w."timestamp" >= ($2::date - 1)::timestamp AT TIME ZONE 'UTC'
      AND w."timestamp" < ($3::date + 3)::timestamp AT TIME ZONE 'UTC'
      AND w.issued_at <= $4
    GROUP BY 1, 2, 3
    HAVING sum(w.step_minutes) BETWEEN 1200 AND 1510
) AS d
WHERE d.day BETWEEN $2 AND $3
ORDER BY d.day, d.issued_day, d.issued_at DESC
LIMIT 100000;
