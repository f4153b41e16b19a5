-- Addresses from which an account was signed in to, as hashes. Guessing passwords elsewhere cannot keep the owner of an
-- account out from there.
CREATE TABLE bff.known_addresses (
    account_id   uuid        NOT NULL REFERENCES bff.accounts ON DELETE CASCADE,
    address_hash bytea       NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, address_hash)
);
CREATE INDEX known_addresses_hash ON bff.known_addresses (address_hash);

-- When a family of refresh tokens ends, however often they are renewed. Empty for those of before.
ALTER TABLE bff.refresh_tokens ADD COLUMN family_ends_at timestamptz;

-- From when on a key signs; it is published before. Empty for the first one of before. Where an encryption key is configured,
-- private_pem is `aes-256-gcm:` and what only that key opens.
ALTER TABLE bff.signing_keys ADD COLUMN signs_from timestamptz;
