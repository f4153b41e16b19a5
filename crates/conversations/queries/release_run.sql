-- Gives up the lease of a run, if it is still this worker's, and sends a notice; says of how many.
WITH released AS (
    UPDATE orchestrator.runs SET lease_until = clock_timestamp()
    WHERE id = $1 AND worker = $2 AND attempt = $3 AND status = 'running'
    RETURNING id, thread_id)
SELECT count(pg_notify($4, $5 || ' ' || id || ' ' || thread_id)) AS "released!" FROM released
