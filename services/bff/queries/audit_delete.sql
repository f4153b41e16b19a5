-- Deletes the oldest entries of a tenant that are older than they are kept.
DELETE FROM bff.audit
WHERE audit_id IN (
    SELECT a.audit_id FROM bff.audit a
    WHERE a.tenant = $1 AND a.at < $2
    ORDER BY a.at
    LIMIT $3
)
