-- Targets that tenants add while the service runs: databases, and tables of uploaded files.

CREATE SEQUENCE tools.target_versions;

CREATE TABLE tools.targets (
    tenant         text NOT NULL CHECK (tenant <> ''),
    name           text NOT NULL CHECK (name <> ''),
    kind           text NOT NULL CHECK (kind IN ('database', 'spreadsheet')),
    -- Everything but the password: description, connection, policy, joins, descriptions.
    settings       jsonb NOT NULL,
    -- The password, encrypted with a key of [credentials].
    key_id         text,
    nonce          bytea,
    ciphertext     bytea,
    -- The schema with the tables of a file, and the file.
    sheet_schema   text,
    sheet          jsonb,
    -- The first questions, as the job tried them.
    questions      jsonb,
    -- Each change has a number of its own. Processes look for numbers that they do not know.
    version        bigint NOT NULL DEFAULT nextval('tools.target_versions'),
    job_status     text NOT NULL DEFAULT 'queued' CHECK (job_status IN ('queued', 'running', 'done', 'failed')),
    job_step       text NOT NULL DEFAULT 'tables',
    job_done       integer NOT NULL DEFAULT 0,
    job_total      integer NOT NULL DEFAULT 0,
    job_problem    text,
    -- The worker that reads the target. Another one takes over when the lease ends.
    worker         uuid,
    lease_until    timestamptz,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, name),
    CHECK ((kind = 'database') = (ciphertext IS NOT NULL)),
    CHECK ((kind = 'spreadsheet') = (sheet_schema IS NOT NULL))
);

CREATE INDEX targets_due ON tools.targets (updated_at) WHERE job_status IN ('queued', 'running');
