-- An import of a tenant, whose file is there.
SELECT i.import_id, i.filename, i.content_hash, i.size_bytes, i.options, i.status, i.format, i.preview, i.problem,
       i.rows_done, i.rows_total, i.accepted, i.replaced, i.refused, i.empty, i.created_at, i.updated_at
FROM tools.imports AS i
WHERE i.tenant = $1
  AND i.import_id = $2
  AND i.status <> 'uploading'
ORDER BY i.import_id
LIMIT 1;
