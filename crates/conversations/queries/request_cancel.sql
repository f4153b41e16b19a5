-- Marks a run as to be stopped, or ends it if it waits. Answers how it stands then; nothing when it had ended or is not the
-- owner's.
WITH run AS (
    UPDATE orchestrator.runs r
    SET cancel_requested = true,
        status = CASE r.status WHEN 'queued' THEN 'cancelled' ELSE r.status END,
        ended_at = CASE r.status WHEN 'queued' THEN clock_timestamp() END
    WHERE r.id = $1 AND r.tenant = $2 AND r.owner = $3 AND r.status IN ('queued', 'running')
    RETURNING r.id, r.thread_id, r.status
)
SELECT run.status AS "status: RunStatus"
FROM run, LATERAL (
    SELECT pg_notify($4, CASE run.status WHEN 'running' THEN $5 ELSE $6 END || ' ' || run.id || ' ' || run.thread_id)
) AS notice (sent)
-- Referring to it keeps the planner from leaving it out.
WHERE notice.sent IS NOT NULL
