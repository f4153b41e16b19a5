-- Stores what follows from a logger's daily figures: how many readings, the newest valid power; and that $2 more were written.
UPDATE tools.loggers AS l
SET pending_records    = l.pending_records + $2,
    record_count       = (SELECT coalesce(sum(d.records), 0) FROM tools.daily AS d WHERE d.logger_key = $1),
    latest_power_at    = newest.closing_power_at,
    latest_power_watts = newest.closing_power_w
FROM (SELECT d.closing_power_at, d.closing_power_w
      FROM tools.daily AS d
      WHERE d.logger_key = $1
      ORDER BY d.day DESC
      LIMIT 1) AS newest
WHERE l.logger_key = $1;
