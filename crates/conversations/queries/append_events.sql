-- Appends a batch to a run's log if the attempt is still this worker's. The count says whether it is.
WITH run AS (
    SELECT r.id, r.thread_id FROM orchestrator.runs r WHERE r.id = $1 AND r.worker = $2 AND r.attempt = $3
), batch AS (
    INSERT INTO orchestrator.run_events (run_id, attempt, first_seq, last_seq, events)
    SELECT run.id, $3, $4, $5, $6::text::json FROM run
    ON CONFLICT DO NOTHING
)
SELECT count(pg_notify($7, $8 || ' ' || run.id || ' ' || run.thread_id)) AS "held!"
FROM run
