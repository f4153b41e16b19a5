-- Appends batches to the logs of runs whose attempts are still their workers', and sends news of those that are followed elsewhere.
-- The numbers, from 1, say which are.
WITH held AS (
    SELECT b.number, b.run_id, b.attempt, b.first_seq, b.last_seq, b.events, r.thread_id, r.followed
    FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::bigint[], $5::bigint[], $6::text[])
        WITH ORDINALITY AS b (run_id, worker, attempt, first_seq, last_seq, events, number)
    JOIN orchestrator.runs r ON r.id = b.run_id AND r.worker = b.worker AND r.attempt = b.attempt
), batch AS (
    INSERT INTO orchestrator.run_events (run_id, attempt, first_seq, last_seq, events)
    SELECT held.run_id, held.attempt, held.first_seq, held.last_seq, held.events::json FROM held
    ON CONFLICT DO NOTHING
)
SELECT held.number AS "number!",
       CASE WHEN held.followed THEN pg_notify($7, $8 || ' ' || held.run_id || ' ' || held.thread_id) IS NULL END AS notified
FROM held
