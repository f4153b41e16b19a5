-- Search sources that tenants add while the service runs.

CREATE SEQUENCE tools.source_versions;

CREATE TABLE tools.sources (
    tenant         text NOT NULL CHECK (tenant <> ''),
    name           text NOT NULL CHECK (name <> ''),
    -- Everything but the credentials: kind, description, address, indices with their words.
    settings       jsonb NOT NULL,
    -- The credentials, encrypted with a key of [credentials].
    key_id         text NOT NULL,
    nonce          bytea NOT NULL,
    ciphertext     bytea NOT NULL,
    -- Each change has a number of its own. Processes look for numbers that they do not know.
    version        bigint NOT NULL DEFAULT nextval('tools.source_versions'),
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, name)
);
