-- Notes why a message was not delivered; without a time for another attempt it is given up.
UPDATE orchestrator.schedule_messages
SET status = CASE WHEN $4::timestamptz IS NULL THEN 'failed' ELSE status END,
    next_try_at = coalesce($4, next_try_at), error = $3,
    worker = NULL, lease_until = NULL
WHERE tenant = $1 AND message_id = $2 AND status = 'pending';
