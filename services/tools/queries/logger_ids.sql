-- Which logger ids does the tenant have? For the names that an unknown id may have meant.
SELECT l.logger_id
FROM tools.loggers AS l
WHERE l.tenant = $1
ORDER BY l.logger_id
LIMIT 10000;
