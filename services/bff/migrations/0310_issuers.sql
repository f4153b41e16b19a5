-- Issuers at which people sign in, added while the service runs. Those of the configuration are not here.
CREATE SEQUENCE bff.issuer_versions;

CREATE TABLE bff.issuers (
    name          text        PRIMARY KEY CHECK (name <> ''),
    -- The issuer as its tokens name it. Two rows for one issuer could not be told apart by a token.
    issuer        text        NOT NULL UNIQUE CHECK (issuer <> ''),
    -- Everything but the client secret.
    settings      jsonb       NOT NULL,
    -- The client secret, encrypted. NULL: a public client.
    client_secret text,
    -- Each change has a number of its own. Replicas look for numbers that they do not know.
    version       bigint      NOT NULL DEFAULT nextval('bff.issuer_versions'),
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
