-- Changes a confirmed question, as long as it still stands as it was read ($14). A person's own that is not released is confirmed again;
-- otherwise the row records who changed it, who then is also the one that released it.
UPDATE tools.sql_questions
SET question = $3,
    normalised = $4,
    sql = $5,
    tables = $6,
    vector = $7,
    vector_model = $8,
    fingerprint = $9,
    confirmed_at = CASE WHEN $13 THEN $12 ELSE confirmed_at END,
    confirmed_by_name = CASE WHEN $13 THEN $11 ELSE confirmed_by_name END,
    edited_by = CASE WHEN $13 THEN NULL ELSE $10 END,
    edited_by_name = CASE WHEN $13 THEN NULL ELSE $11 END,
    edited_at = CASE WHEN $13 THEN NULL ELSE $12 END,
    released_by = CASE WHEN released_at IS NULL THEN NULL ELSE $10 END,
    released_by_name = CASE WHEN released_at IS NULL THEN NULL ELSE $11 END,
    released_at = CASE WHEN released_at IS NULL THEN NULL ELSE $12 END
WHERE tenant = $1
  AND question_id = $2
  AND (released_at IS NOT NULL) = $14;
