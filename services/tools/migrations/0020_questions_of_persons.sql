-- A confirmed question is its owner's own until it is released for the tenant. What was confirmed before stays with whoever confirmed
-- it; nobody had released it.

ALTER TABLE tools.sql_questions
    -- What the owner is called, as far as that is known.
    ADD COLUMN confirmed_by_name text,
    -- Of the tables' columns and of the policy, when the query was confirmed. NULL: from before there were any, not looked at yet.
    ADD COLUMN fingerprint text,
    ADD COLUMN edited_by text,
    ADD COLUMN edited_by_name text,
    ADD COLUMN edited_at timestamptz,
    ADD COLUMN released_by text,
    ADD COLUMN released_by_name text,
    ADD COLUMN released_at timestamptz,
    ADD CHECK (released_by IS NULL OR released_at IS NOT NULL),
    ADD CHECK (edited_by IS NULL OR edited_at IS NOT NULL);

COMMENT ON COLUMN tools.sql_questions.sql IS
    'With logical table names, and days that follow the calendar in double braces; checked, rewritten and filtered anew whenever it runs.';
COMMENT ON COLUMN tools.sql_questions.released_at IS 'NULL: it answers its owner alone.';

-- One of its kind per person, and one that answers the tenant.
DROP INDEX tools.sql_questions_same;
CREATE UNIQUE INDEX sql_questions_own ON tools.sql_questions (tenant, target, confirmed_by, md5(normalised)) WHERE released_at IS NULL;
CREATE UNIQUE INDEX sql_questions_released ON tools.sql_questions (tenant, target, md5(normalised)) WHERE released_at IS NOT NULL;

-- What is kept of a person.
CREATE INDEX sql_questions_of_person ON tools.sql_questions (tenant, confirmed_by);
