-- How many readings of a logger lie in the range that was written?
SELECT count(*)
FROM tools.measurements AS m
WHERE m.logger_key = $1
  AND m."timestamp" BETWEEN $2 AND $3;
