-- Copies what is remembered of a thread to another one.
WITH entries AS (
    INSERT INTO orchestrator.memory_entries (thread_id, turn_id, turn, run_id, entry, created_at)
    SELECT $2, e.turn_id, e.turn, e.run_id, e.entry, e.created_at
    FROM orchestrator.memory_entries e WHERE e.thread_id = $1
), queries AS (
    INSERT INTO orchestrator.query_metadata (thread_id, turn_id, metadata, rows, fetched_at)
    SELECT $2, q.turn_id, q.metadata, q.rows, q.fetched_at
    FROM orchestrator.query_metadata q WHERE q.thread_id = $1
), lists AS (
    INSERT INTO orchestrator.todo_lists (thread_id, id, state, current_task_key, list, created_at, updated_at)
    SELECT $2, l.id, l.state, l.current_task_key, l.list, l.created_at, l.updated_at
    FROM orchestrator.todo_lists l WHERE l.thread_id = $1
)
INSERT INTO orchestrator.memory_threads (thread_id, last_turn_id)
SELECT $2, t.last_turn_id
FROM orchestrator.memory_threads t WHERE t.thread_id = $1
