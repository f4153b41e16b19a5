-- Stores a spreadsheet as a target, or replaces it; the job reads it again.
INSERT INTO tools.targets (tenant, name, kind, settings, sheet_schema, sheet)
VALUES ($1, $2, 'spreadsheet', $3, $4, $5)
ON CONFLICT (tenant, name) DO UPDATE
SET settings = excluded.settings,
    sheet_schema = excluded.sheet_schema,
    sheet = excluded.sheet,
    questions = NULL,
    version = nextval('tools.target_versions'),
    job_status = 'queued',
    worker = NULL,
    job_problem = NULL,
    updated_at = now()
