-- The run that has a thread: the running one, or the first that waits.
SELECT r.id, r.thread_id, t.name AS thread_name, r.tenant, r.owner, r.assistant, r.dialect, r.status AS "status: RunStatus",
       r.input AS "input: Json<Value>", r.question_id, r.question, r.message_id, r.attempt, r.worker, r.cancel_requested,
       r.request_id, r.error AS "error: Json<Value>", r.usage AS "usage: Json<Usage>", r.created_at, r.started_at, r.ended_at
FROM orchestrator.runs r
JOIN orchestrator.threads t ON t.id = r.thread_id
WHERE r.thread_id = $1 AND r.tenant = $2 AND r.owner = $3 AND r.status IN ('running', 'queued')
ORDER BY r.status = 'running' DESC, r.number
LIMIT 1
