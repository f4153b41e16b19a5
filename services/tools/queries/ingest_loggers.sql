-- Which loggers has the tenant, and in which zones do they stand?
SELECT l.logger_id, l.logger_key, s.timezone
FROM tools.loggers AS l
JOIN tools.sites AS s USING (site_key)
WHERE l.tenant = $1
ORDER BY l.logger_id;
