-- Which tenants have entries in the audit log? One step in the index for each.
WITH RECURSIVE found AS (
    (SELECT a.tenant FROM bff.audit a WHERE a.tenant IS NOT NULL ORDER BY a.tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT a.tenant FROM bff.audit a WHERE a.tenant > found.tenant ORDER BY a.tenant LIMIT 1)
    FROM found
    WHERE found.tenant IS NOT NULL
)
SELECT found.tenant AS "tenant!" FROM found WHERE found.tenant IS NOT NULL
