-- Makes a schedule, unless its owner has as many as there can be.
INSERT INTO orchestrator.schedules
    (tenant, schedule_id, owner, title, task, timing, delivery, status, next_at, request_key, created_at)
SELECT $1, $2, $3, $4, $5, $6, $7, 'active', $8, $9, $10
WHERE (SELECT count(*) FROM orchestrator.schedules AS s WHERE s.tenant = $1 AND s.owner = $3) < $11
RETURNING schedule_id, tenant, owner, number, title, task AS "task: Json<Task>", timing AS "timing: Json<ScheduleTiming>",
          delivery AS "delivery: Json<ScheduleDelivery>", status, note, next_at, created_at;
