-- Which sites does the tenant have?
SELECT s.site_key, s.site_id, s.timezone
FROM tools.sites AS s
WHERE s.tenant = $1
ORDER BY s.site_id
LIMIT 10000;
