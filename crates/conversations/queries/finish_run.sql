-- Ends a run if it is still this worker's: status, answer, last events and the thread's time, together or not at all.
WITH locked AS (
    -- The thread first, as everybody does who needs both rows.
    SELECT t.id
    FROM orchestrator.threads t
    WHERE t.id = (SELECT r.thread_id FROM orchestrator.runs r WHERE r.id = $1)
    FOR NO KEY UPDATE
), run AS (
    UPDATE orchestrator.runs r
    SET status = $4, lease_until = NULL, ended_at = clock_timestamp(), error = $5::text::json, usage = $6::text::json
    FROM locked
    WHERE r.id = $1 AND r.thread_id = locked.id AND r.worker = $2 AND r.attempt = $3 AND r.status = 'running'
    RETURNING r.id, r.thread_id, r.tenant, r.owner, r.message_id
), thread AS (
    UPDATE orchestrator.threads t
    SET last_seq = t.last_seq + 1, last_updated = clock_timestamp()
    FROM run
    WHERE t.id = run.thread_id
    RETURNING t.last_seq
), message AS (
    INSERT INTO orchestrator.messages (thread_id, seq, id, run_id, role, text, tools_used, status, source, transcript, warnings)
    SELECT run.thread_id, thread.last_seq, run.message_id, run.id, 'assistant', $7, $8::text::json, $9, $10, $16::text::json, coalesce($17::text[], '{}')
    FROM run, thread
    WHERE $7::text IS NOT NULL
    ON CONFLICT (run_id, role) DO UPDATE
    SET text = excluded.text, tools_used = excluded.tools_used, status = excluded.status, source = excluded.source,
        transcript = excluded.transcript, warnings = excluded.warnings
), batch AS (
    INSERT INTO orchestrator.run_events (run_id, attempt, first_seq, last_seq, events)
    SELECT run.id, $3, $11, $12, $13::text::json
    FROM run
    WHERE $13::text IS NOT NULL
    ON CONFLICT DO NOTHING
)
SELECT run.thread_id, run.tenant, run.owner
FROM run, LATERAL (SELECT pg_notify($14, $15 || ' ' || run.id || ' ' || run.thread_id)) AS notice (sent)
-- Referring to it keeps the planner from leaving it out.
WHERE notice.sent IS NOT NULL
