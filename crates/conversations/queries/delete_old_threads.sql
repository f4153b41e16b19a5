-- Deletes threads of a tenant that nothing has happened to for some time and that no run holds or waits for, the oldest first.
WITH old AS MATERIALIZED (
    SELECT t.id FROM orchestrator.threads t
    WHERE t.tenant = $1
      AND t.last_updated < now() - make_interval(secs => $2)
      AND NOT EXISTS (
          SELECT FROM orchestrator.runs r WHERE r.thread_id = t.id AND r.status IN ('queued', 'running')
      )
    ORDER BY t.last_updated
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
DELETE FROM orchestrator.threads t
USING old
WHERE t.id = old.id
RETURNING t.id
