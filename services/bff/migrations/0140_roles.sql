-- The role of an account: its scopes are those of the role, whatever `scopes` lists. NULL: the listed ones count, as for every
-- account of before.
ALTER TABLE bff.accounts
    ADD COLUMN role text CHECK (role IN ('viewer', 'editor', 'administrator', 'installation_administrator')),
    -- NULL: the account signs in at an identity provider.
    ALTER COLUMN password_hash DROP NOT NULL;

-- The account of the first start manages the others, of every tenant.
UPDATE bff.accounts SET role = 'installation_administrator'
WHERE 'accounts:erase' = ANY (scopes) AND created_at = (SELECT min(created_at) FROM bff.accounts);

-- For the list of sign-ins: an id that is not the secret, the address and the program.
ALTER TABLE bff.sessions
    ADD COLUMN session_id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN address text,
    ADD COLUMN client text;
CREATE UNIQUE INDEX sessions_id ON bff.sessions (session_id);

ALTER TABLE bff.refresh_tokens
    ADD COLUMN signed_in_at timestamptz,
    ADD COLUMN address text,
    ADD COLUMN client text;
