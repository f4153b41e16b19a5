-- A page of the confirmed questions that a person may see, the newest first: the person's own, those released, and, where the person may
-- release them ($4), those of colleagues.
SELECT question_id, target, question, normalised, sql, tables, confirmed_by, confirmed_by_name, confirmed_at, fingerprint,
       edited_by_name, edited_at, released_by_name, released_at,
       NULL::real[] AS vector
FROM tools.sql_questions
WHERE tenant = $1
  AND ($2::text IS NULL OR target = $2)
  AND (confirmed_by = $3 OR released_at IS NOT NULL OR $4)
  AND CASE $5::text
          WHEN 'own' THEN confirmed_by = $3
          WHEN 'released' THEN released_at IS NOT NULL
          WHEN 'waiting' THEN released_at IS NULL AND confirmed_by <> $3
          ELSE true
      END
  AND ($6::timestamptz IS NULL OR (confirmed_at, question_id) < ($6, $7::uuid))
ORDER BY confirmed_at DESC, question_id DESC
LIMIT $8;
