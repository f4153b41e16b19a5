-- Keeps a refreshed credential in place of the version that it was made from.
UPDATE tools.credentials
SET key_id = $4,
    nonce = $5,
    ciphertext = $6,
    expires_at = $7,
    issued_at = $8,
    version = nextval('tools.credential_versions'),
    updated_at = now()
WHERE tenant = $1
  AND subject = $2
  AND upstream = $3
  AND version = $9
RETURNING version;
