-- Gives the oldest due import to a worker: one that waits, or one whose worker ended.
UPDATE tools.imports
SET status = 'running',
    worker = $1,
    lease_until = now() + interval '60 seconds',
    updated_at = now()
WHERE import_id = (SELECT i.import_id
                   FROM tools.imports AS i
                   WHERE (i.status = 'queued' AND i.not_before <= now())
                      OR (i.status = 'running' AND i.lease_until < now())
                   ORDER BY i.not_before, i.created_at
                   LIMIT 1
                   FOR UPDATE SKIP LOCKED)
RETURNING import_id, tenant, failures;
