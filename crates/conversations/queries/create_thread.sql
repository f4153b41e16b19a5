-- Makes a thread; one of that name is returned as it is where that is asked for ($9).
INSERT INTO orchestrator.threads AS t (id, tenant, owner, name, assistant, title, context, metadata)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (tenant, owner, name) DO UPDATE SET name = t.name WHERE $9
RETURNING to_json(t) AS "thread!: Json<Thread>"
