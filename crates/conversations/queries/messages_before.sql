-- The newest messages of a thread before a sequence number, newest first; with transcripts where they are asked for ($6).
SELECT m.seq, m.id, m.run_id, m.role AS "role: Role", m.text, m.tools_used AS "tools_used: Json<Vec<ToolRecord>>",
       m.status AS "status: MessageStatus", m.source, m.warnings, m.created_at,
       CASE WHEN $6::boolean THEN m.transcript END AS "transcript: Json<Value>"
FROM orchestrator.messages m
WHERE m.thread_id = (
        SELECT t.id FROM orchestrator.threads t WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3
    )
  AND m.seq < $4
ORDER BY m.seq DESC
LIMIT $5
