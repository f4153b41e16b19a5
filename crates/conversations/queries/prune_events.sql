-- Throws away whole logs, the oldest first, of runs that ended long enough ago.
WITH old AS (
    SELECT DISTINCT recent.run_id
    FROM (
        SELECT e.run_id
        FROM orchestrator.run_events e
        JOIN orchestrator.runs r ON r.id = e.run_id
        WHERE e.created_at < now() - make_interval(secs => $1)
          AND r.ended_at < now() - make_interval(secs => $1)
        ORDER BY e.created_at
        LIMIT $2
    ) recent
), pruned AS (
    DELETE FROM orchestrator.run_events e USING old WHERE e.run_id = old.run_id
)
SELECT count(*) AS "pruned!" FROM old
