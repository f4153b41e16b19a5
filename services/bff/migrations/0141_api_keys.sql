-- API keys of programs, as hashes. A key may do what its scopes and its account's scopes both allow.
CREATE TABLE bff.api_keys (
    key_id       uuid        PRIMARY KEY,
    account_id   uuid        NOT NULL REFERENCES bff.accounts ON DELETE CASCADE,
    name         text        NOT NULL CHECK (name <> '' AND length(name) <= 100),
    -- The beginning of the key, to recognise it.
    prefix       text        NOT NULL,
    key_hash     bytea       NOT NULL UNIQUE,
    scopes       text[]      NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE INDEX api_keys_account ON bff.api_keys (account_id);
