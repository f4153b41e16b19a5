-- Notes that the runs of error codes of a logger are kept.
UPDATE tools.loggers AS l
SET codes_kept = true
WHERE l.logger_key = $1;
