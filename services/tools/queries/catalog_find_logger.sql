-- Which key has the tenant's logger of that id?
SELECT l.logger_key
FROM tools.loggers AS l
WHERE l.tenant = $1
  AND l.logger_id = $2
ORDER BY l.logger_key
LIMIT 1;
