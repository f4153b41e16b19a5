-- What was forecast for a site from $2 on and before $3, and how many values that are in all?
SELECT w."timestamp", w.issued_at, w.step_minutes, w.irradiance, count(*) OVER () AS "in_all!"
FROM tools.weather AS w
WHERE w.site_key = $1
  AND ($2::timestamptz IS NULL OR w."timestamp" >= $2)
  AND ($3::timestamptz IS NULL OR w."timestamp" < $3)
ORDER BY w."timestamp", w.issued_at
LIMIT $4;
