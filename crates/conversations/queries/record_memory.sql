-- Remembers an attempt, if its run is still this worker's: lists, entry and query, together or not at all. Answers the entry's turn_id,
-- 0 without an entry; nothing when the run is not the worker's.
WITH locked AS (
    -- The thread first, as everybody does who needs both rows.
    SELECT t.id
    FROM orchestrator.threads t
    WHERE t.id = (SELECT r.thread_id FROM orchestrator.runs r WHERE r.id = $1)
    FOR NO KEY UPDATE
), run AS (
    -- Nobody takes the run over before this is written.
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
    UPDATE orchestrator.threads t
    SET last_turn_id = t.last_turn_id + 1
    FROM run
    WHERE t.id = run.thread_id AND $8::text IS NOT NULL
    RETURNING t.id, t.last_turn_id
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
