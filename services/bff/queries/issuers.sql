-- The added issuers with what is needed to use them, the oldest first; all of them or one.
SELECT name, settings, client_secret, version, created_at, updated_at
FROM bff.issuers
WHERE $1::text IS NULL OR name = $1
ORDER BY created_at, name
