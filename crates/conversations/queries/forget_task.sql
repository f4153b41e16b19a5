-- Forgets what a schedule was about to do and had found by its former task. A question that is due is asked as it is now, unless an
-- alert is in its place ($3).
WITH due AS (
    DELETE FROM orchestrator.schedule_occurrences
    WHERE tenant = $1 AND schedule_id = $2 AND status = 'due' AND $3
)
DELETE FROM orchestrator.schedule_events
WHERE tenant = $1 AND schedule_id = $2 AND closed_at IS NULL;
