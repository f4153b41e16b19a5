-- A page of an owner's threads, newest first.
SELECT t.id, t.name, t.assistant, t.title, t.inventory_id, t.context AS "context: Json<Map<String, Value>>",
       t.metadata AS "metadata: Json<Map<String, Value>>", t.archived, t.created_at, t.last_updated
FROM orchestrator.threads t
WHERE t.tenant = $1
  AND t.owner = $2
  AND ($3::timestamptz IS NULL OR (t.last_updated, t.id) < ($3, $4))
  AND ($5::text IS NULL OR t.assistant = $5)
  AND ($6::boolean IS NULL OR t.archived = $6)
  AND ($7::text IS NULL OR position(lower($7) IN lower(t.title)) > 0)
ORDER BY t.last_updated DESC, t.id DESC
LIMIT $8
