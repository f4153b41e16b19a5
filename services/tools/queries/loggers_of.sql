-- Which loggers does the tenant have, those with these ids, those of one site, or all, with their sites, long-run figures and the
-- sensors that serve them?
SELECT d.*
FROM tools.logger_details AS d
WHERE d.tenant = $1
  AND ($2::text[] IS NULL OR d.logger_id = ANY ($2))
  AND ($3::text IS NULL OR d.site_id = $3)
ORDER BY d.logger_id
LIMIT 10000;
