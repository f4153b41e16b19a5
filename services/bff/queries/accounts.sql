-- The accounts of a tenant, or of all tenants, by name and after a name. One is also found by its id, since `..` of an
-- earlier release is not a part of an address.
SELECT a.account_id, a.username, a.tenant, a.role, a.scopes, a.groups, a.password_hash IS NOT NULL AS "has_password!",
    i.issuer AS "issuer?", a.disabled_at, a.created_at
FROM bff.accounts a
LEFT JOIN bff.identities i USING (account_id)
WHERE ($1::text IS NULL OR a.tenant = $1)
    AND ($2::text IS NULL OR lower(a.username) COLLATE "C" > $2 COLLATE "C")
    AND ($3::text IS NULL OR lower(a.username) = lower($3) OR a.account_id::text = $3)
ORDER BY lower(a.username) = lower($3) DESC, lower(a.username) COLLATE "C"
LIMIT $4
