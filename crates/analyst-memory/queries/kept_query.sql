-- The query of a thread's entry, the newest where none is named; with its rows where they are asked for ($3).
SELECT q.turn_id, q.metadata AS "metadata: Json<QueryMetadata>",
       CASE WHEN $3 THEN q.rows END AS "rows: Json<StoredRows<'static>>", q.fetched_at
FROM orchestrator.query_metadata q
WHERE q.thread_id = $1 AND ($2::integer IS NULL OR q.turn_id = $2)
ORDER BY q.turn_id DESC
LIMIT 1
