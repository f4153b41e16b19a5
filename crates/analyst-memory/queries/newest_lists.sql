-- The newest lists of an owner's thread.
SELECT l.list AS "list: Json<TodoList>"
FROM orchestrator.todo_lists l
WHERE l.thread_id = (
    SELECT t.id FROM orchestrator.threads t WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3
)
ORDER BY l.created_at DESC, l.id
LIMIT $4
