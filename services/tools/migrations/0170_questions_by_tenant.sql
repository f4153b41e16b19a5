-- The key of a confirmed question has its tenant, as every query that asks for one does: so the table can be distributed by tenant.

ALTER TABLE tools.sql_questions
    DROP CONSTRAINT sql_questions_pkey,
    ADD PRIMARY KEY (tenant, question_id);
