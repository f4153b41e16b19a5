-- How many readings of the batch have a stored one of the same logger and instant? The range keeps the plan within the batch's
-- own stretch of each logger, whatever the planner thinks of the staging table.
SELECT count(*) AS "stored!"
FROM pg_temp.measurements_staging AS s
JOIN tools.measurements AS m ON m.logger_key = s.logger_key AND m."timestamp" = s."timestamp"
WHERE m.logger_key = ANY ($1)
  AND m."timestamp" BETWEEN $2 AND $3;
