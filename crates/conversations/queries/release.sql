-- Gives up all leases of a worker and sends a notice of each run; says how many.
WITH released AS (
    UPDATE orchestrator.runs SET lease_until = clock_timestamp()
    WHERE worker = $1 AND status = 'running'
    RETURNING id, thread_id)
SELECT count(pg_notify($2, $3 || ' ' || id || ' ' || thread_id)) AS "released!" FROM released
