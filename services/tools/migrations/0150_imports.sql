-- Imports of files: the file in chunks, its preview, the progress of its job, and the meanings of columns that users corrected.

CREATE TABLE tools.imports (
    import_id    uuid PRIMARY KEY,
    tenant       text NOT NULL CHECK (tenant <> ''),
    filename     text NOT NULL,
    content_hash text NOT NULL,
    size_bytes   bigint NOT NULL,
    -- Site, zone and what else a user said about the file.
    options      jsonb NOT NULL,
    -- `uploading` until every chunk is there.
    status       text NOT NULL CHECK (status IN ('uploading', 'ready', 'refused', 'queued', 'running', 'done', 'failed', 'cancelled')),
    format       text,
    preview      jsonb,
    problem      text,
    rows_done    bigint NOT NULL DEFAULT 0,
    rows_total   bigint NOT NULL DEFAULT 0,
    accepted     bigint NOT NULL DEFAULT 0,
    replaced     bigint NOT NULL DEFAULT 0,
    refused      bigint NOT NULL DEFAULT 0,
    empty        bigint NOT NULL DEFAULT 0,
    -- Failures since the last progress, and when to try again.
    failures     integer NOT NULL DEFAULT 0,
    not_before   timestamptz NOT NULL DEFAULT now(),
    -- The worker that stores the rows. Another one takes over when the lease ends.
    worker       uuid,
    lease_until  timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX imports_tenant ON tools.imports (tenant, created_at DESC);
CREATE INDEX imports_hash ON tools.imports (tenant, content_hash);
CREATE INDEX imports_due ON tools.imports (not_before) WHERE status IN ('queued', 'running');

CREATE TABLE tools.import_chunks (
    import_id uuid NOT NULL REFERENCES tools.imports (import_id) ON DELETE CASCADE,
    number    integer NOT NULL,
    bytes     bytea NOT NULL,
    PRIMARY KEY (import_id, number)
);

-- By the hash of a table's names.
CREATE TABLE tools.import_mappings (
    tenant     text NOT NULL CHECK (tenant <> ''),
    shape      text NOT NULL,
    mapping    jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, shape)
);
