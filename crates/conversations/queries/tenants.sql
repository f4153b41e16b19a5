-- Which tenants have threads? One step in the index for each.
WITH RECURSIVE found AS (
    (SELECT t.tenant FROM orchestrator.threads t ORDER BY t.tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT t.tenant FROM orchestrator.threads t WHERE t.tenant > found.tenant ORDER BY t.tenant LIMIT 1)
    FROM found
    WHERE found.tenant IS NOT NULL
)
SELECT found.tenant AS "tenant!" FROM found WHERE found.tenant IS NOT NULL
