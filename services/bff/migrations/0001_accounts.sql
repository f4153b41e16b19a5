-- Who may sign in, and what proves that somebody has. Secrets are stored as hashes only, save the signing keys.

CREATE TABLE bff.accounts (
    account_id    uuid        PRIMARY KEY,
    -- Compared without case: `Demo` and `demo` are one account.
    username      text        NOT NULL CHECK (username <> '' AND length(username) <= 128),
    password_hash text        NOT NULL,
    tenant        text        NOT NULL CHECK (tenant <> '' AND length(tenant) <= 64),
    scopes        text[]      NOT NULL,
    disabled_at   timestamptz,
    created_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX accounts_username ON bff.accounts (lower(username));

CREATE TABLE bff.sessions (
    token_hash   bytea       PRIMARY KEY,
    account_id   uuid        NOT NULL REFERENCES bff.accounts ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX sessions_account ON bff.sessions (account_id);
CREATE INDEX sessions_expires ON bff.sessions (expires_at);

-- A refresh token works once. All that came from one sign-in are a family: seeing a used one again ends the family, as then
-- two parties hold it.
CREATE TABLE bff.refresh_tokens (
    token_hash bytea       PRIMARY KEY,
    family     uuid        NOT NULL,
    account_id uuid        NOT NULL REFERENCES bff.accounts ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX refresh_tokens_family ON bff.refresh_tokens (family);
CREATE INDEX refresh_tokens_account ON bff.refresh_tokens (account_id);
CREATE INDEX refresh_tokens_expires ON bff.refresh_tokens (expires_at);

-- Made on the first start where no key file is configured, so that replicas sign with one key.
CREATE TABLE bff.signing_keys (
    key_id      text        PRIMARY KEY,
    private_pem text        NOT NULL,
    created_at  timestamptz NOT NULL
);
