-- Deletes threads that nothing has happened to for some time and that no run holds or waits for, the oldest first: those of one tenant,
-- or of all except some.
WITH old AS MATERIALIZED (
    SELECT t.id FROM orchestrator.threads t
    WHERE t.last_updated < now() - make_interval(secs => $1)
      AND ($3::text IS NULL OR t.tenant = $3)
      AND t.tenant <> ALL ($4::text[])
      AND NOT EXISTS (
          SELECT FROM orchestrator.runs r WHERE r.thread_id = t.id AND r.status IN ('queued', 'running')
      )
    ORDER BY t.last_updated
    LIMIT $2
    FOR UPDATE SKIP LOCKED
)
DELETE FROM orchestrator.threads t
USING old
WHERE t.id = old.id
RETURNING t.id
