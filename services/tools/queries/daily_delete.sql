-- Clears the days that are about to be written anew.
DELETE FROM tools.daily AS d
WHERE d.logger_key = $1
  AND d.day BETWEEN $2 AND $3;
