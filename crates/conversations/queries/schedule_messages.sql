-- The newest messages of a schedule of a person.
SELECT m.message_id, m.kind, m.subject, m.status, m.attempts, m.error, m.created_at,
    m.sent_at
FROM orchestrator.schedule_messages AS m
JOIN orchestrator.schedules AS s USING (tenant, schedule_id)
WHERE s.tenant = $1 AND s.owner = $2 AND m.schedule_id = $3
ORDER BY m.created_at DESC, m.message_id LIMIT $4;
