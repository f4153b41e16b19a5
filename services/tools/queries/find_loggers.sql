-- Which of the tenant's loggers have these ids, with their sites, long-run figures and the sensors that serve them?
SELECT d.*
FROM tools.logger_details AS d
WHERE d.tenant = $1
  AND d.logger_id = ANY ($2)
ORDER BY d.logger_id
LIMIT 1000;
