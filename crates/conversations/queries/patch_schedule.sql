-- Changes a schedule of its owner. The next time is kept exactly while it is active. A lease on it ends, so that a worker that is
-- about to store what it did at the former time stores nothing.
UPDATE orchestrator.schedules
SET status = coalesce($4, status),
    next_at = CASE WHEN coalesce($4, status) = 'active' THEN coalesce($5, next_at) END,
    note = CASE WHEN $4 IS NULL AND ($7::jsonb IS NULL OR status = 'stopped') THEN note END,
    title = coalesce($6, title),
    task = coalesce($7::jsonb, task),
    timing = CASE WHEN $8 THEN $9::jsonb ELSE timing END,
    delivery = coalesce($10::jsonb, delivery),
    worker = NULL,
    lease_until = NULL
WHERE tenant = $1
  AND owner = $2
  AND schedule_id = $3
RETURNING schedule_id, tenant, owner, number, title, task AS "task: Json<Task>", timing AS "timing: Json<ScheduleTiming>",
          delivery AS "delivery: Json<ScheduleDelivery>", status, note, next_at, created_at;
