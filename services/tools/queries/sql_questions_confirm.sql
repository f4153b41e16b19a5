-- Keeps a confirmed question of a person; the person's own one of the same words gets the new query. What is released stays as it is.
-- Which row, and is it new?
INSERT INTO tools.sql_questions
    (question_id, tenant, target, question, normalised, sql, tables, vector, vector_model, confirmed_by, confirmed_by_name, confirmed_at,
     fingerprint)
VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (tenant, target, confirmed_by, md5(normalised)) WHERE released_at IS NULL DO UPDATE
    SET question = excluded.question,
        sql = excluded.sql,
        tables = excluded.tables,
        vector = excluded.vector,
        vector_model = excluded.vector_model,
        confirmed_by_name = excluded.confirmed_by_name,
        confirmed_at = excluded.confirmed_at,
        fingerprint = excluded.fingerprint,
        edited_by = NULL,
        edited_by_name = NULL,
        edited_at = NULL
    WHERE sql_questions.tenant = $1
RETURNING question_id, xmax = 0 AS "created!";
