-- Entries of the audit log, the newest first, with the names that the accounts have now.
SELECT e.audit_id, e.at, e.tenant, e.actor, a.username AS "actor_name?", e.credential, e.action, e.object,
    t.username AS "account_name?", e.status, e.address, e.request_id
FROM bff.audit e
LEFT JOIN bff.accounts a ON a.account_id = e.actor
LEFT JOIN bff.accounts t ON t.account_id = e.account
WHERE ($1::text IS NULL OR e.tenant = $1)
    AND ($2::bigint IS NULL OR e.audit_id < $2)
    AND ($3::text IS NULL OR e.action = $3)
    AND ($4::uuid IS NULL OR e.actor = $4)
    AND ($10::uuid IS NULL OR e.actor = $10 OR e.account = $10)
    AND e.status BETWEEN $5::smallint AND $6::smallint
    AND ($7::timestamptz IS NULL OR e.at >= $7)
    AND ($8::timestamptz IS NULL OR e.at < $8)
ORDER BY e.audit_id DESC
LIMIT $9
