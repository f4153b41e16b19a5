-- Users' tokens for upstream APIs, encrypted, and who is getting a new one.

-- A version is never used twice, so that whoever found a token wanting can tell whether it is still the same.
CREATE SEQUENCE tools.credential_versions;

CREATE TABLE tools.credentials (
    tenant     text NOT NULL CHECK (tenant <> ''),
    subject    text NOT NULL CHECK (subject <> ''),
    upstream   text NOT NULL CHECK (upstream <> ''),
    -- AES-256-GCM of the tokens as JSON; bound to the three columns above.
    key_id     text NOT NULL,
    nonce      bytea NOT NULL CHECK (length(nonce) = 12),
    ciphertext bytea NOT NULL,
    -- NULL: the token does not say.
    expires_at timestamptz,
    issued_at  timestamptz,
    version    bigint NOT NULL DEFAULT nextval('tools.credential_versions'),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, subject, upstream)
);

-- One refresh in flight per user and upstream, whatever replica it is on. A row whose time is over was left by one that died.
CREATE TABLE tools.credential_refreshes (
    tenant   text NOT NULL,
    subject  text NOT NULL,
    upstream text NOT NULL,
    holder   uuid NOT NULL,
    until    timestamptz NOT NULL,
    PRIMARY KEY (tenant, subject, upstream)
);
