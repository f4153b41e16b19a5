-- Forgets the long-run figures of a logger and its days, which may have been of another zone.
WITH days AS (DELETE FROM tools.daily AS d WHERE d.logger_key = $1)
UPDATE tools.loggers AS l
SET calibration = NULL, days_calibration = NULL, hourly_shape = NULL, calibrated_day = NULL, pending_records = 0,
    record_count = 0
WHERE l.logger_key = $1;
