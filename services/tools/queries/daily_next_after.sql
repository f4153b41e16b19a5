-- Which is the first day with readings after $2, and what does it hand on?
SELECT d.day, d.closing_power_at, d.closing_power_w, d.closing_daily_kwh, d.closing_lifetime_day, d.closing_lifetime_kwh, d.closing_lifetime_ahead_kwh
FROM tools.daily AS d
WHERE d.logger_key = $1
  AND d.day > $2
ORDER BY d.day
LIMIT 1;
