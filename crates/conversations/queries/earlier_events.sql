-- The batches of the newest attempt before this worker's that has any.
SELECT e.events AS "events: Json<Vec<RunEvent>>"
FROM orchestrator.runs r
JOIN orchestrator.run_events e ON e.run_id = r.id
WHERE r.id = $1
  AND r.worker = $2
  AND r.attempt = $3
  AND e.attempt = (
      SELECT max(o.attempt) FROM orchestrator.run_events o WHERE o.run_id = $1 AND o.attempt < $3
  )
ORDER BY e.first_seq
