-- Which import of the tenant has the same file and the same options, other than the mapping, and its readings still? Those of a
-- device that was deleted since, and perhaps made again, were deleted with it. One that was refused is the same under the same name
-- only: some formats read the name.
SELECT i.import_id
FROM tools.imports AS i
WHERE i.tenant = $1
  AND i.content_hash = $2
  AND i.options - 'mapping' = $3::jsonb - 'mapping'
  AND (
      i.status IN ('ready', 'queued', 'running', 'done', 'failed')
      OR i.status = 'refused' AND i.filename = $4
  )
  AND NOT (i.status = 'done' AND EXISTS (
      SELECT FROM jsonb_array_elements(i.preview -> 'loggers') AS device
      WHERE NOT EXISTS (
          SELECT FROM tools.loggers AS l
          WHERE l.tenant = $1 AND l.logger_id = device ->> 'logger_id' AND l.created_at <= i.updated_at
      )
  ))
ORDER BY i.created_at DESC
LIMIT 1;
