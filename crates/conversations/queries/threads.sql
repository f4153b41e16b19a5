-- A page of an owner's threads, newest first.
SELECT to_json(t) AS "thread!: Json<Thread>"
FROM orchestrator.threads t
WHERE t.tenant = $1
  AND t.owner = $2
  AND ($3::timestamptz IS NULL OR (t.last_updated, t.id) < ($3, $4))
  AND ($5::text IS NULL OR t.assistant = $5)
  AND ($6::boolean IS NULL OR t.archived = $6)
  AND ($7::text IS NULL OR position(lower($7) IN lower(t.title)) > 0)
  AND ($8::jsonb IS NULL OR t.context @> $8)
ORDER BY t.last_updated DESC, t.id DESC
LIMIT $9
