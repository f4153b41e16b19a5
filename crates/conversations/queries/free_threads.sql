-- Threads that a run waits for while none runs, the longest waiting first.
SELECT r.thread_id
FROM orchestrator.runs r
WHERE r.status = 'queued'
  AND NOT EXISTS (
      SELECT FROM orchestrator.runs o WHERE o.thread_id = r.thread_id AND o.status = 'running'
  )
GROUP BY r.thread_id
HAVING min(r.created_at) <= now() - make_interval(secs => $1)
ORDER BY min(r.number)
LIMIT $2
