-- Starts the first waiting run of a thread that no run has, and stores its question.
WITH locked AS (
    SELECT t.id FROM orchestrator.threads t WHERE t.id = $1 FOR NO KEY UPDATE
), next AS (
    SELECT r.id
    FROM orchestrator.runs r
    JOIN locked ON locked.id = r.thread_id
    WHERE r.status = 'queued'
      AND NOT EXISTS (
          SELECT FROM orchestrator.runs o WHERE o.thread_id = r.thread_id AND o.status = 'running'
      )
    ORDER BY r.number
    LIMIT 1
), r AS (
    -- What another process did while this one waited for the lock is seen here: the row is looked at again.
    UPDATE orchestrator.runs q
    SET status = 'running', worker = $2, attempt = 1, started_at = clock_timestamp(),
        lease_until = clock_timestamp() + make_interval(secs => $3)
    FROM next
    WHERE q.id = next.id AND q.status = 'queued'
    RETURNING q.*
), t AS (
    UPDATE orchestrator.threads w
    SET last_seq = w.last_seq + 1, last_updated = clock_timestamp()
    FROM r
    WHERE w.id = r.thread_id
    RETURNING w.id, w.name, w.last_seq
), message AS (
    INSERT INTO orchestrator.messages (thread_id, seq, id, run_id, role, text, status)
    SELECT r.thread_id, t.last_seq, orchestrator.question_id(r.thread_id, r.question_id, r.id), r.id, 'user',
           r.question, 'complete'
    FROM r, t
    WHERE r.question IS NOT NULL
)
SELECT r.id, r.thread_id, t.name AS thread_name, r.tenant, r.owner, r.assistant, r.dialect, r.status AS "status: RunStatus",
       r.input AS "input: Json<Value>", r.question_id, r.question, r.message_id, r.attempt, r.worker, r.cancel_requested,
       r.request_id, r.error AS "error: Json<Value>", r.usage AS "usage: Json<Usage>", r.created_at, r.started_at, r.ended_at
FROM r, t
