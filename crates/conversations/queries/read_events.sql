-- How a run stands, and the batches of its newest attempt after what was seen of it.
SELECT r.status AS "status: RunStatus", r.attempt, batch.first_seq AS "first_seq?",
       batch.events AS "events?: Json<Vec<RunEvent>>"
FROM orchestrator.runs r
LEFT JOIN LATERAL (
    SELECT e.first_seq, e.events
    FROM orchestrator.run_events e
    WHERE e.run_id = r.id
      AND e.attempt = r.attempt
      AND e.last_seq > CASE WHEN r.attempt = $4 THEN $5::bigint ELSE -1 END
    ORDER BY e.first_seq
    LIMIT $6
) batch ON true
WHERE r.id = $1 AND r.tenant = $2 AND r.owner = $3
ORDER BY batch.first_seq
