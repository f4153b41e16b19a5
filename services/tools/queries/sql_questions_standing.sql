-- The question of these words that is released for the tenant, other than a certain one.
SELECT question_id, target, question, normalised, sql, tables, confirmed_by, confirmed_by_name, confirmed_at, fingerprint,
       edited_by_name, edited_at, released_by_name, released_at,
       NULL::real[] AS vector
FROM tools.sql_questions
WHERE tenant = $1
  AND target = $2
  AND md5(normalised) = md5($3)
  AND released_at IS NOT NULL
  AND question_id IS DISTINCT FROM $4::uuid;
