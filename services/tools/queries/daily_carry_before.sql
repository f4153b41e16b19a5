-- What does the last day before $2 hand on to the next?
SELECT d.day, d.closing_power_at, d.closing_power_w, d.closing_daily_kwh, d.closing_lifetime_day, d.closing_lifetime_kwh, d.closing_lifetime_ahead_kwh
FROM tools.daily AS d
WHERE d.logger_key = $1
  AND d.day < $2
ORDER BY d.day DESC
LIMIT 1;
