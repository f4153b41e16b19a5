-- The next logger whose days were computed by rules of before $1. One that another replica works on is passed over.
SELECT l.logger_key
FROM tools.loggers AS l
WHERE l.logger_key > $2
  AND l.calibration IS NOT NULL
  AND coalesce((l.calibration ->> 'rules')::bigint, 0) < $1
ORDER BY l.logger_key
LIMIT 1
FOR UPDATE SKIP LOCKED
