-- The confirmed questions to a target that answer a person: the person's own and those released for the tenant. First those asked now,
-- then the newest. Vectors of the model asked for.
SELECT question_id, target, question, normalised, sql, tables, confirmed_by, confirmed_by_name, confirmed_at, fingerprint,
       edited_by_name, edited_at, released_by_name, released_at,
       CASE WHEN vector_model = $5 THEN vector END AS vector
FROM tools.sql_questions
WHERE tenant = $1
  AND target = $2
  AND (confirmed_by = $3 OR released_at IS NOT NULL)
ORDER BY (md5(normalised) = md5($4)) DESC, confirmed_at DESC, question_id
LIMIT $6;
