-- Takes questions that are to be asked, for a while, of schedules that are active.
UPDATE orchestrator.schedule_occurrences AS o
SET worker = $1, lease_until = clock_timestamp() + make_interval(secs => $2), attempts = o.attempts + 1
FROM (
    SELECT d.tenant, d.schedule_id, d.due_at
    FROM orchestrator.schedule_occurrences AS d
    WHERE d.status = 'due'
      AND d.next_try_at <= $3
      AND (d.lease_until IS NULL OR d.lease_until < clock_timestamp())
    ORDER BY d.next_try_at
    LIMIT $4
    FOR UPDATE SKIP LOCKED
) AS due, orchestrator.schedules AS s
WHERE o.tenant = due.tenant AND o.schedule_id = due.schedule_id AND o.due_at = due.due_at
  AND s.tenant = due.tenant AND s.schedule_id = due.schedule_id AND s.status = 'active'
RETURNING s.schedule_id, s.tenant, s.owner, s.number, s.title, s.task AS "task: Json<Task>", s.timing AS "timing: Json<ScheduleTiming>",
          s.delivery AS "delivery: Json<ScheduleDelivery>", s.status, s.note, s.next_at, s.created_at,
          o.due_at, o.missed, o.missed_since, o.attempts;
