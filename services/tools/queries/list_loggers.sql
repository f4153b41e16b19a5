-- Which loggers does the tenant have, all or of one site, with the range of their data? All from what the roll-up keeps.
SELECT d.*
FROM tools.logger_details AS d
WHERE d.tenant = $1
  AND ($2::text IS NULL OR d.site_id = $2)
ORDER BY d.logger_id
LIMIT 10000;
