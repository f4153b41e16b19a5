-- What the attempts before this worker's left behind: the batches of the newest of them that has any.
SELECT e.events
FROM orchestrator.runs r
JOIN orchestrator.run_events e ON e.run_id = r.id
WHERE r.id = $1 AND r.worker = $2 AND r.attempt = $3
  AND e.attempt = (
      SELECT max(o.attempt) FROM orchestrator.run_events o WHERE o.run_id = r.id AND o.attempt < r.attempt
  )
ORDER BY e.first_seq
