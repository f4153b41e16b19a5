-- Every target with what is needed to use it: the oldest of a tenant is its default.
SELECT tenant, name, kind, settings, key_id, nonce, ciphertext, sheet_schema, sheet, questions, version,
       job_status, job_step, job_done, job_total, job_problem, created_at, updated_at
FROM tools.targets
WHERE ($1::text IS NULL OR tenant = $1)
  AND ($2::text IS NULL OR name = $2)
ORDER BY tenant, created_at, name
LIMIT 100000;
