-- Takes runs whose lease is over, as their next attempt: those that a worker gave up as it stopped ($4), or those whose worker died. Each
-- goes to one of the workers that ask at once.
WITH expired AS MATERIALIZED (
    SELECT id FROM orchestrator.runs
    WHERE status = 'running' AND lease_until < clock_timestamp() AND (lease_until = '-infinity') = $4
    ORDER BY lease_until
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE orchestrator.runs r
SET worker = $1, attempt = r.attempt + 1, lease_until = clock_timestamp() + make_interval(secs => $2)
FROM expired, orchestrator.threads t
WHERE r.id = expired.id AND t.id = r.thread_id
RETURNING
       r.id, r.thread_id, t.name AS thread_name, r.tenant, r.owner, r.assistant, r.dialect, r.status AS "status: RunStatus",
       r.input AS "input: Json<Value>", r.question_id, r.question, r.message_id, r.attempt, r.worker, r.cancel_requested,
       r.request_id, r.error AS "error: Json<Value>", r.usage AS "usage: Json<Usage>", r.created_at, r.started_at, r.ended_at
