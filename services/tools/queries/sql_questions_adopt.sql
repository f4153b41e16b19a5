-- What was found of a question that was confirmed before queries followed the calendar and had a fingerprint.
UPDATE tools.sql_questions
SET sql = $3,
    tables = $4,
    fingerprint = $5
WHERE tenant = $1
  AND question_id = $2
  AND fingerprint IS NULL;
