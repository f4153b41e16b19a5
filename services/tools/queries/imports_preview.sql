-- Keeps the options and the preview of an import that was not run.
UPDATE tools.imports
SET options = $2,
    status = $3,
    format = $4,
    preview = $5,
    problem = $6,
    rows_total = $7,
    updated_at = now()
WHERE import_id = $1
  AND status IN ('uploading', 'ready', 'refused');
