-- Notes that a question is due at $4, and moves its schedule from the time $3 to the next one, all or nothing.
WITH moved AS (
    UPDATE orchestrator.schedules
    SET next_at = $7, worker = NULL, lease_until = NULL
    WHERE tenant = $1 AND schedule_id = $2 AND next_at = $3 AND status = 'active'
    RETURNING tenant, schedule_id
)
INSERT INTO orchestrator.schedule_occurrences (tenant, schedule_id, due_at, missed, missed_since, next_try_at)
SELECT m.tenant, m.schedule_id, $4::timestamptz, $5::integer, $6::timestamptz, $4
FROM moved AS m
ON CONFLICT DO NOTHING
RETURNING 1 AS "begun!";
