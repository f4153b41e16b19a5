-- Keeps a confirmed question of a tenant; the same question gets the new query. Which row, and is it new?
INSERT INTO tools.sql_questions
    (question_id, tenant, target, question, normalised, sql, tables, vector, vector_model, confirmed_by, confirmed_at)
VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (tenant, target, md5(normalised)) DO UPDATE
    SET question = excluded.question,
        sql = excluded.sql,
        tables = excluded.tables,
        vector = excluded.vector,
        vector_model = excluded.vector_model,
        confirmed_by = excluded.confirmed_by,
        confirmed_at = excluded.confirmed_at
    WHERE sql_questions.tenant = $1
RETURNING question_id, xmax = 0 AS created;
