-- The newest imports of a tenant, without their previews.
SELECT i.import_id, i.filename, i.content_hash, i.size_bytes, i.options, i.status, i.format, NULL::jsonb AS preview, i.problem,
       i.rows_done, i.rows_total, i.accepted, i.replaced, i.refused, i.empty, i.created_at, i.updated_at
FROM tools.imports AS i
WHERE i.tenant = $1
  AND i.status <> 'uploading'
ORDER BY i.created_at DESC, i.import_id
LIMIT 200;
