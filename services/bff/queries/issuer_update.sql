-- Changes an issuer unless it was changed since it was read.
UPDATE bff.issuers
SET settings = $3, client_secret = $4, updated_at = $5, version = nextval('bff.issuer_versions')
WHERE name = $1 AND version = $2
