-- Ends an import whose rows are all stored.
UPDATE tools.imports
SET status = 'done',
    problem = NULL,
    rows_done = rows_total,
    refused = $3,
    empty = $4,
    worker = NULL,
    lease_until = NULL,
    updated_at = now()
WHERE import_id = $1
  AND worker = $2
  AND status = 'running';
