-- Remembers an attempt, if its run is still this worker's: lists, entry and query, together or not at all. Answers the entry's turn_id,
-- 0 without an entry; nothing when the run is not the worker's.
WITH locked AS (
    -- The thread first, as in each statement that needs both rows.
    SELECT t.id
    FROM orchestrator.threads t
    WHERE t.id = (SELECT r.thread_id FROM orchestrator.runs r WHERE r.id = $1)
    FOR NO KEY UPDATE
), run AS (
    -- No other worker takes the run over before this is written.
    SELECT r.id, r.thread_id
    FROM orchestrator.runs r
    JOIN locked ON locked.id = r.thread_id
    WHERE r.id = $1 AND r.worker = $2 AND r.attempt = $3 AND r.status = 'running'
    FOR SHARE OF r
), lists AS (
    INSERT INTO orchestrator.todo_lists AS kept (thread_id, id, state, current_task_key, list)
    SELECT run.thread_id, new.id, new.state, new.current_task_key, new.list::json
    FROM run, unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS new (id, state, current_task_key, list)
    -- The list that was worked on makes room before another takes its place.
    ORDER BY new.state = 'active'
    ON CONFLICT (thread_id, id) DO UPDATE
    SET state = excluded.state, current_task_key = excluded.current_task_key, list = excluded.list,
        updated_at = clock_timestamp()
), counted AS (
    -- Entries count too: a process of the version before numbers by the thread.
    INSERT INTO orchestrator.memory_threads AS kept (thread_id, last_turn_id)
    SELECT run.thread_id, 1 + coalesce(
        (SELECT max(e.turn_id) FROM orchestrator.memory_entries e WHERE e.thread_id = run.thread_id), 0
    )
    FROM run
    WHERE $8::text IS NOT NULL
    ON CONFLICT (thread_id) DO UPDATE
    SET last_turn_id = greatest(kept.last_turn_id + 1, excluded.last_turn_id)
    RETURNING kept.thread_id AS id, kept.last_turn_id
), entry AS (
    INSERT INTO orchestrator.memory_entries (thread_id, turn_id, turn, run_id, entry)
    SELECT counted.id, counted.last_turn_id, $9, $1, $8::json
    FROM counted
), query AS (
    INSERT INTO orchestrator.query_metadata (thread_id, turn_id, metadata, rows, fetched_at)
    SELECT counted.id, counted.last_turn_id, $10::text::json, $11::text::json, $12
    FROM counted
    WHERE $10::text IS NOT NULL
)
SELECT coalesce((SELECT counted.last_turn_id FROM counted), 0) AS "turn_id!"
FROM run
