-- Gives up all leases of a worker that stops and sends a notice of each run; says how many. Such a lease ended at minus infinity, which
-- distinguishes it from one that was not renewed.
WITH released AS (
    UPDATE orchestrator.runs SET lease_until = '-infinity'
    WHERE worker = $1 AND status = 'running'
    RETURNING id, thread_id)
SELECT count(pg_notify($2, $3 || ' ' || id || ' ' || thread_id)) AS "released!" FROM released
