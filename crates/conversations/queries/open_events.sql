-- What is the case by a person's alerts, or by one of them.
SELECT e.schedule_id, e.event_key AS key, e.text, e.opened_at
FROM orchestrator.schedule_events AS e
JOIN orchestrator.schedules AS s USING (tenant, schedule_id)
WHERE s.tenant = $1 AND s.owner = $2 AND e.closed_at IS NULL
  AND ($3::uuid IS NULL OR e.schedule_id = $3)
ORDER BY e.opened_at, e.event_key LIMIT 10000;
