-- The newest confirmed questions of a tenant to a target.
SELECT question, sql
FROM tools.sql_questions
WHERE tenant = $1
  AND target = $2
ORDER BY confirmed_at DESC, question_id
LIMIT $3;
