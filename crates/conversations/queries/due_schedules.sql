-- Takes schedules whose time has come, for a while. Several workers may ask at once: each schedule goes to one of them.
UPDATE orchestrator.schedules AS s
SET worker = $1, lease_until = clock_timestamp() + make_interval(secs => $2)
FROM (
    SELECT d.tenant, d.schedule_id
    FROM orchestrator.schedules AS d
    WHERE d.status = 'active'
      AND d.next_at <= $3
      AND (d.lease_until IS NULL OR d.lease_until < clock_timestamp())
    ORDER BY d.next_at
    LIMIT $4
    FOR UPDATE SKIP LOCKED
) AS due
WHERE s.tenant = due.tenant AND s.schedule_id = due.schedule_id
RETURNING s.schedule_id, s.tenant, s.owner, s.number, s.title, s.task AS "task: Json<Task>", s.timing AS "timing: Json<ScheduleTiming>",
          s.delivery AS "delivery: Json<ScheduleDelivery>", s.status, s.note, s.next_at, s.created_at;
