-- The newest entries of an owner's thread.
SELECT e.turn_id, e.entry AS "entry: Json<MemoryEntry>"
FROM orchestrator.memory_entries e
WHERE e.thread_id = (
    SELECT t.id FROM orchestrator.threads t WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3
)
ORDER BY e.turn_id DESC
LIMIT $4
