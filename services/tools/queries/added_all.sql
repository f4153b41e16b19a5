-- Every row of a kind with what is needed to use it, the oldest of a tenant first.
SELECT tenant, name, settings, key_id, nonce, ciphertext, version, created_at, updated_at
FROM tools.added
WHERE kind = $1
  AND ($2::text IS NULL OR tenant = $2)
  AND ($3::text IS NULL OR name = $3)
ORDER BY tenant, created_at, name
LIMIT 100000;
