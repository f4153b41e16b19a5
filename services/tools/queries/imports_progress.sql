-- The progress of an import with one more batch; changes nothing if the import is no longer this worker's.
UPDATE tools.imports
SET rows_done = $3,
    accepted = accepted + $4,
    replaced = replaced + $5,
    refused = refused + $6,
    empty = empty + $7,
    failures = 0,
    problem = NULL,
    lease_until = now() + interval '60 seconds',
    updated_at = now()
WHERE import_id = $1
  AND worker = $2
  AND status = 'running';
