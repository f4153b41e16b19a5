-- Withdraws a confirmed question: the person's own, or any person's where the person may release questions ($4).
DELETE FROM tools.sql_questions
WHERE tenant = $1
  AND question_id = $2
  AND (confirmed_by = $3 OR $4);
