-- What is known about the logger whose figures are to be recomputed? By key: the caller has it from a query with a tenant.
SELECT d.*
FROM tools.logger_details AS d
WHERE d.logger_key = $1
ORDER BY d.logger_key
LIMIT 1;
