-- Makes other ingestions for these loggers wait, always in the same order.
SELECT l.logger_key
FROM tools.loggers AS l
WHERE l.logger_key = ANY ($1)
ORDER BY l.logger_key
FOR UPDATE;
