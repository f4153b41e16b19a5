-- Gives the oldest target that waits to be read to a worker, or one whose worker ended.
UPDATE tools.targets AS t
SET job_status = 'running',
    job_step = 'tables',
    job_done = 0,
    job_total = 0,
    job_problem = NULL,
    worker = $1,
    lease_until = now() + interval '60 seconds'
FROM (SELECT d.tenant, d.name
      FROM tools.targets AS d
      WHERE d.job_status = 'queued'
         OR (d.job_status = 'running' AND d.lease_until < now())
      ORDER BY d.updated_at
      LIMIT 1
      FOR UPDATE SKIP LOCKED) AS due
WHERE t.tenant = due.tenant
  AND t.name = due.name
RETURNING t.tenant, t.name, t.version;
