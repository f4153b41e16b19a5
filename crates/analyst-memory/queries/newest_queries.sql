-- The newest queries of an owner's thread, without their rows.
SELECT q.turn_id, q.metadata AS "metadata: Json<QueryMetadata>"
FROM orchestrator.query_metadata q
WHERE q.thread_id = (
    SELECT t.id FROM orchestrator.threads t WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3
)
ORDER BY q.turn_id DESC
LIMIT $4
