-- What tenants add while the service runs and that is settings with credentials: search sources and
-- upstreams. Targets have a job and tables as well, and stay in a table of their own.

CREATE SEQUENCE tools.added_versions;

CREATE TABLE tools.added (
    kind           text NOT NULL CHECK (kind IN ('source', 'upstream')),
    tenant         text NOT NULL CHECK (tenant <> ''),
    name           text NOT NULL CHECK (name <> ''),
    -- Everything but the credentials.
    settings       jsonb NOT NULL,
    -- The credentials, encrypted with a key of [credentials].
    key_id         text NOT NULL,
    nonce          bytea NOT NULL,
    ciphertext     bytea NOT NULL,
    -- Each change has a number of its own. Processes look for numbers that they do not know.
    version        bigint NOT NULL DEFAULT nextval('tools.added_versions'),
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kind, tenant, name)
);

INSERT INTO tools.added (kind, tenant, name, settings, key_id, nonce, ciphertext, created_at, updated_at)
SELECT 'source', tenant, name, settings, key_id, nonce, ciphertext, created_at, updated_at
FROM tools.sources;

DROP TABLE tools.sources;
DROP SEQUENCE tools.source_versions;
