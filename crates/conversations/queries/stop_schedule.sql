-- Stops a schedule whose owner may not have it any more: what is due is not asked, and what is on its way is not sent.
WITH stopped AS (
    UPDATE orchestrator.schedules
    SET status = 'stopped', next_at = NULL, note = $3, worker = NULL, lease_until = NULL
    WHERE tenant = $1 AND schedule_id = $2 AND status = 'active'
    RETURNING tenant, schedule_id
), ended AS (
    DELETE FROM orchestrator.schedule_occurrences AS o
    USING stopped AS s
    WHERE o.tenant = s.tenant AND o.schedule_id = s.schedule_id AND o.status = 'due'
)
UPDATE orchestrator.schedule_messages AS m
SET status = 'failed', error = $3, worker = NULL, lease_until = NULL
FROM stopped AS s
WHERE m.tenant = s.tenant AND m.schedule_id = s.schedule_id AND m.status = 'pending';
