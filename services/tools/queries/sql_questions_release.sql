-- Releases a confirmed question for the tenant, as long as its query is the one that was looked at ($6).
UPDATE tools.sql_questions
SET released_by = $3,
    released_by_name = $4,
    released_at = $5
WHERE tenant = $1
  AND question_id = $2
  AND sql = $6
  AND released_at IS NULL;
