-- Changes a thread. A title ($4) that is given may be none; keys that are given as null are removed.
UPDATE orchestrator.threads t
SET title = CASE WHEN $4 THEN $5 ELSE t.title END,
    assistant = coalesce($6, t.assistant),
    archived = coalesce($7, t.archived),
    context = (t.context || coalesce($8::jsonb, '{}')) - $10::text[],
    metadata = (t.metadata || coalesce($9::jsonb, '{}')) - $11::text[],
    last_updated = clock_timestamp()
WHERE t.tenant = $1 AND t.owner = $2 AND t.name = $3
RETURNING to_json(t) AS "thread!: Json<Thread>"
