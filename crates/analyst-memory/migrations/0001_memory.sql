-- What the analyst remembers of a thread: plans, attempts, queries. Migration 0003 of the threads
-- created these tables in earlier versions; they stay as they are.

-- The number of the newest entry of a thread. Earlier versions had it in the thread.
CREATE TABLE orchestrator.memory_threads (
    thread_id     uuid PRIMARY KEY REFERENCES orchestrator.threads ON DELETE CASCADE,
    last_turn_id  integer NOT NULL
);
COMMENT ON COLUMN orchestrator.memory_threads.last_turn_id IS 'The turn_id given to the newest memory entry.';

-- A plan: tasks in order, and a pointer to the next.
CREATE TABLE IF NOT EXISTS orchestrator.todo_lists (
    thread_id         uuid NOT NULL REFERENCES orchestrator.threads ON DELETE CASCADE,
    id                text NOT NULL,
    state             text NOT NULL CHECK (state IN ('active', 'complete', 'superseded', 'aborted')),
    current_task_key  text,
    list              json NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (thread_id, id)
);
COMMENT ON TABLE orchestrator.todo_lists IS 'Plans. Those that are not worked on any more are kept.';
COMMENT ON COLUMN orchestrator.todo_lists.list IS
    'The whole list; state and current_task_key are its own. json, not jsonb: the order of its tasks is that of its keys.';

-- At most one list of a thread is worked on.
CREATE UNIQUE INDEX IF NOT EXISTS todo_lists_active ON orchestrator.todo_lists (thread_id) WHERE state = 'active';
CREATE INDEX IF NOT EXISTS todo_lists_newest ON orchestrator.todo_lists (thread_id, created_at DESC, id);

-- An attempt at a task.
CREATE TABLE IF NOT EXISTS orchestrator.memory_entries (
    thread_id   uuid NOT NULL REFERENCES orchestrator.threads ON DELETE CASCADE,
    turn_id     integer NOT NULL,
    turn        integer NOT NULL,
    run_id      uuid NOT NULL,
    entry       json NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (thread_id, turn_id)
);
COMMENT ON TABLE orchestrator.memory_entries IS 'One row per attempt at a task, never changed.';
COMMENT ON COLUMN orchestrator.memory_entries.turn_id IS 'Strictly increasing in the thread, from 1.';
COMMENT ON COLUMN orchestrator.memory_entries.turn IS 'The user input that it belongs to, from 1.';
COMMENT ON COLUMN orchestrator.memory_entries.run_id IS 'The run that made it.';

-- The window of newest user inputs.
CREATE INDEX IF NOT EXISTS memory_entries_of_turn ON orchestrator.memory_entries (thread_id, turn);

-- A query that was executed.
CREATE TABLE IF NOT EXISTS orchestrator.query_metadata (
    thread_id   uuid NOT NULL,
    turn_id     integer NOT NULL,
    metadata    json NOT NULL,
    rows        json,
    fetched_at  timestamptz,
    PRIMARY KEY (thread_id, turn_id),
    FOREIGN KEY (thread_id, turn_id) REFERENCES orchestrator.memory_entries ON DELETE CASCADE,
    CHECK ((rows IS NULL) = (fetched_at IS NULL))
);
COMMENT ON TABLE orchestrator.query_metadata IS
    'How the query of an attempt was asked and can be asked again: written once, never changed.';
COMMENT ON COLUMN orchestrator.query_metadata.rows IS 'What it brought, where that is little: {columns, rows, complete}.';
COMMENT ON COLUMN orchestrator.query_metadata.fetched_at IS 'When the rows were read.';

INSERT INTO orchestrator.memory_threads (thread_id, last_turn_id)
SELECT e.thread_id, max(e.turn_id)
FROM orchestrator.memory_entries e
GROUP BY e.thread_id;
