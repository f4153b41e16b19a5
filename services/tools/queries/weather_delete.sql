-- Deletes what was forecast for a site from $2 on and before $3.
DELETE FROM tools.weather AS w
WHERE w.site_key = $1
  AND w."timestamp" >= $2
  AND w."timestamp" < $3;
