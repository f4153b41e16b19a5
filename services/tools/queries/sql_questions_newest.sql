-- The tenant's confirmed questions to a target: the one asked now, if it is there, then the newest. Vectors of the model asked for.
SELECT question_id, question, sql, tables, confirmed_at,
       CASE WHEN vector_model = $4 THEN vector END AS vector
FROM tools.sql_questions
WHERE tenant = $1
  AND target = $2
ORDER BY (md5(normalised) = md5($3)) DESC, confirmed_at DESC, question_id
LIMIT $5;
