-- A person's schedules, the oldest first.
SELECT schedule_id, tenant, owner, number, title, task AS "task: Json<Task>",
    timing AS "timing: Json<ScheduleTiming>",
    delivery AS "delivery: Json<ScheduleDelivery>", status, note, next_at, created_at
FROM orchestrator.schedules WHERE tenant = $1 AND owner = $2
ORDER BY number LIMIT 1000;
