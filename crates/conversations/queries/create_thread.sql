-- Makes a thread; one of that name is returned as it is where that is asked for ($10).
INSERT INTO orchestrator.threads AS t (id, tenant, owner, name, assistant, title, inventory_id, context, metadata)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (tenant, owner, name) DO UPDATE SET name = t.name WHERE $10
RETURNING
       t.id, t.name, t.assistant, t.title, t.inventory_id, t.context AS "context: Json<Map<String, Value>>",
       t.metadata AS "metadata: Json<Map<String, Value>>", t.archived, t.created_at, t.last_updated
