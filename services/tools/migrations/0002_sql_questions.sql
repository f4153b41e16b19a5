-- Questions to target databases that were answered by a query which a person confirmed.

CREATE TABLE tools.sql_questions (
    question_id    uuid PRIMARY KEY,
    tenant         text NOT NULL CHECK (tenant <> ''),
    target         text NOT NULL CHECK (length(target) BETWEEN 1 AND 64),
    -- As it was asked, and without case, punctuation and filler: two questions with the same are one question.
    question       text NOT NULL CHECK (question <> ''),
    normalised     text NOT NULL CHECK (normalised <> ''),
    -- With logical table names; it is checked, rewritten and filtered anew whenever it runs.
    sql            text NOT NULL CHECK (sql <> ''),
    tables         text[] NOT NULL,
    -- The question's meaning, and the model whose vectors it can be compared with.
    vector         real[],
    vector_model   text,
    confirmed_by   text NOT NULL,
    confirmed_at   timestamptz NOT NULL,
    CHECK ((vector IS NULL) = (vector_model IS NULL))
);

-- One row per question. By its digest, as a long question does not fit into an index.
CREATE UNIQUE INDEX sql_questions_same ON tools.sql_questions (tenant, target, md5(normalised));

-- The newest of a tenant's are compared with a new question.
CREATE INDEX sql_questions_newest ON tools.sql_questions (tenant, target, confirmed_at DESC);
