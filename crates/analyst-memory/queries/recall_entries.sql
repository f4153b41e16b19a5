-- The newest entries of a thread from an input on, oldest first.
SELECT newest.turn_id, newest.entry AS "entry: Json<MemoryEntry>"
FROM (
    SELECT e.turn_id, e.entry
    FROM orchestrator.memory_entries e
    WHERE e.thread_id = $1 AND e.turn >= $2
    ORDER BY e.turn_id DESC
    LIMIT $3
) newest
ORDER BY newest.turn_id
