-- Adds a row unless the tenant has one of this kind and name.
INSERT INTO tools.added (kind, tenant, name, settings, key_id, nonce, ciphertext)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (kind, tenant, name) DO NOTHING
