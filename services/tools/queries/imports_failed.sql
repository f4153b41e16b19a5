-- Ends an attempt of a worker: another one follows after a while, or none.
UPDATE tools.imports
SET status = $3,
    problem = $4,
    failures = failures + 1,
    not_before = now() + make_interval(secs => $5),
    worker = NULL,
    lease_until = NULL,
    updated_at = now()
WHERE import_id = $1
  AND worker = $2
  AND status = 'running';
