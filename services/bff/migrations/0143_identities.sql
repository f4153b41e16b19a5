-- Accounts of persons who sign in at an identity provider. A person whom the provider's groups place in several tenants, one
-- after the other, has an account in each: data never move from one tenant to another.
CREATE TABLE bff.identities (
    issuer       text        NOT NULL,
    -- `sub` at the issuer.
    subject      text        NOT NULL,
    tenant       text        NOT NULL,
    account_id   uuid        NOT NULL UNIQUE REFERENCES bff.accounts ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject, tenant)
);

-- Sign-ins at a provider that have begun and not ended. The state is known to the browser and in the provider's answer.
CREATE TABLE bff.sign_ins (
    state_hash    bytea       PRIMARY KEY,
    browser_hash  bytea       NOT NULL,
    issuer        text        NOT NULL,
    nonce         text        NOT NULL,
    pkce_verifier text        NOT NULL,
    expires_at    timestamptz NOT NULL
);
CREATE INDEX sign_ins_expires ON bff.sign_ins (expires_at);

-- The session of the provider that a session here began with: its logout ends both.
ALTER TABLE bff.sessions
    ADD COLUMN issuer text,
    ADD COLUMN issuer_session text;
