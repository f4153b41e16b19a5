-- Throws away whole logs of a tenant's runs that ended long enough ago, the oldest first. Each run is looked at once.
WITH old AS MATERIALIZED (
    SELECT r.id FROM orchestrator.runs r
    WHERE r.tenant = $1
      AND r.ended_at < now() - make_interval(secs => $2)
      AND NOT r.events_pruned
    ORDER BY r.ended_at
    LIMIT $3
    FOR UPDATE SKIP LOCKED
), pruned AS (
    DELETE FROM orchestrator.run_events e USING old WHERE e.run_id = old.id
)
UPDATE orchestrator.runs r
SET events_pruned = true
FROM old
WHERE r.id = old.id
