-- Changes a row unless it was changed since it was read.
UPDATE tools.added
SET settings = $5,
    key_id = $6,
    nonce = $7,
    ciphertext = $8,
    version = nextval('tools.added_versions'),
    updated_at = now()
WHERE kind = $1 AND tenant = $2 AND name = $3 AND version = $4
