-- Deletes the oldest entries that belong to no tenant and are older than they are kept.
DELETE FROM bff.audit
WHERE audit_id IN (
    SELECT a.audit_id FROM bff.audit a
    WHERE a.tenant IS NULL AND a.at < $1
    ORDER BY a.at
    LIMIT $2
)
