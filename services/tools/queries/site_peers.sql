-- Which inverters are at these sites, to judge each other by? Those of stated capacity first; some two dozen of each site are enough.
SELECT p.site_id, p.logger_key, p.calibration AS "calibration!: Json<Calibration>", p.capacity_kw
FROM (
    SELECT s.site_id, l.logger_key, l.logger_id, l.calibration, l.capacity_kw,
           row_number() OVER (PARTITION BY s.site_key ORDER BY l.capacity_kw IS NULL, l.logger_id) AS place
    FROM tools.sites AS s
    JOIN tools.loggers AS l ON l.site_key = s.site_key
    WHERE s.tenant = $1
      AND s.site_id = ANY ($2)
      AND l.role = 'inverter'
      AND l.calibration IS NOT NULL
) AS p
WHERE p.place <= 25
ORDER BY p.site_id, p.place
LIMIT 100000;
