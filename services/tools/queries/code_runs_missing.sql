-- The next logger whose runs of error codes are not computed yet. One that another transaction works on is passed over.
SELECT l.logger_key
FROM tools.loggers AS l
WHERE l.logger_key > $1
  AND NOT l.codes_kept
ORDER BY l.logger_key
LIMIT 1
FOR UPDATE SKIP LOCKED
