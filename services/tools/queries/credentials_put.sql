-- Keeps a credential in place of whatever there was.
INSERT INTO tools.credentials (tenant, subject, upstream, key_id, nonce, ciphertext, expires_at, issued_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tenant, subject, upstream) DO UPDATE
SET key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext,
    expires_at = excluded.expires_at, issued_at = excluded.issued_at, version = excluded.version, updated_at = now()
