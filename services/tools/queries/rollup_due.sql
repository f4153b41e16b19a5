-- Up to which day do a logger's daily figures reach, and how many of its readings lie in the range that was written?
SELECT (SELECT d.day FROM tools.daily AS d WHERE d.logger_key = $1 ORDER BY d.day DESC LIMIT 1),
       (SELECT count(*) FROM tools.measurements AS m WHERE m.logger_key = $1 AND m."timestamp" BETWEEN $2 AND $3);
