-- Changes a thread. A title ($4) or an inventory ($12) that is given may be none; keys that are given as null are removed.
UPDATE orchestrator.threads t
SET title = CASE WHEN $4 THEN $5 ELSE t.title END,
    inventory_id = CASE WHEN $12 THEN $13 ELSE t.inventory_id END,
    assistant = coalesce($6, t.assistant),
    archived = coalesce($7, t.archived),
    context = (t.context || coalesce($8::jsonb, '{}')) - $10::text[],
    metadata = (t.metadata || coalesce($9::jsonb, '{}')) - $11::text[],
    last_updated = clock_timestamp()
WHERE t.tenant = $1 AND t.owner = $2 AND t.name = $3
RETURNING
       t.id, t.name, t.assistant, t.title, t.inventory_id, t.context AS "context: Json<Map<String, Value>>",
       t.metadata AS "metadata: Json<Map<String, Value>>", t.archived, t.created_at, t.last_updated
