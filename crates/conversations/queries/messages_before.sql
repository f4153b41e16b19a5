-- The newest messages of a thread before a sequence number, newest first.
SELECT m.seq, m.id, m.run_id, m.role, m.text, m.tools_used, m.status, m.source, m.warnings, m.created_at
FROM orchestrator.messages m
WHERE m.thread_id = (
        SELECT t.id FROM orchestrator.threads t WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3
    )
  AND m.seq < $4
ORDER BY m.seq DESC
LIMIT $5
