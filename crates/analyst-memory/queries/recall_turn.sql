-- The thread of a worker's run and the number of its user input: that of the thread's runs that began, up to this one.
SELECT r.thread_id, (
    SELECT count(*)
    FROM orchestrator.runs o
    WHERE o.thread_id = r.thread_id AND o.number <= r.number AND o.started_at IS NOT NULL
) AS "turn!"
FROM orchestrator.runs r
WHERE r.id = $1 AND r.worker = $2 AND r.attempt = $3 AND r.status = 'running'
