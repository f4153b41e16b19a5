-- What is attached to threads of any owner, in the order of their ids.
SELECT t.id, t.context AS "context: Json<Map<String, Value>>", t.metadata AS "metadata: Json<Map<String, Value>>"
FROM orchestrator.threads t
WHERE t.id > $1 AND (t.context <> '{}' OR t.metadata <> '{}')
ORDER BY t.id
LIMIT $2
