-- Stores the long-run figures of a logger, and what follows from its daily figures: how many readings, the newest valid power.
UPDATE tools.loggers AS l
SET calibration        = $2,
    days_calibration   = coalesce($3, l.days_calibration),
    hourly_shape       = coalesce($4, l.hourly_shape),
    calibrated_day     = $5,
    pending_records    = 0,
    record_count       = (SELECT coalesce(sum(d.records), 0) FROM tools.daily AS d WHERE d.logger_key = $1),
    latest_power_at    = newest.closing_power_at,
    latest_power_watts = newest.closing_power_w
FROM (SELECT d.closing_power_at, d.closing_power_w
      FROM tools.daily AS d
      WHERE d.logger_key = $1
      ORDER BY d.day DESC
      LIMIT 1) AS newest
WHERE l.logger_key = $1;
