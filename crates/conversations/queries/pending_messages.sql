-- Takes messages that are to be sent, for a while.
UPDATE orchestrator.schedule_messages AS m
SET worker = $1, lease_until = clock_timestamp() + make_interval(secs => $2), attempts = m.attempts + 1
FROM (
    SELECT d.tenant, d.message_id
    FROM orchestrator.schedule_messages AS d
    WHERE d.status = 'pending'
      AND d.next_try_at <= $3
      AND (d.lease_until IS NULL OR d.lease_until < clock_timestamp())
    ORDER BY d.next_try_at
    LIMIT $4
    FOR UPDATE SKIP LOCKED
) AS due, orchestrator.schedules AS s
WHERE m.tenant = due.tenant AND m.message_id = due.message_id
  AND s.tenant = m.tenant AND s.schedule_id = m.schedule_id
RETURNING m.tenant, m.message_id, m.schedule_id, s.owner, s.delivery AS "delivery: Json<ScheduleDelivery>",
          m.subject, m.text, m.payload, m.attempts;
