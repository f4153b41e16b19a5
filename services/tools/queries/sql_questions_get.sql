-- One confirmed question that a person may see.
SELECT question_id, target, question, normalised, sql, tables, confirmed_by, confirmed_by_name, confirmed_at, fingerprint,
       edited_by_name, edited_at, released_by_name, released_at,
       NULL::real[] AS vector
FROM tools.sql_questions
WHERE tenant = $1
  AND question_id = $2
  AND (confirmed_by = $3 OR released_at IS NOT NULL OR $4);
