-- Checkpoints of the graph engine: one row each, written by one statement and so by one commit.
CREATE TABLE orchestrator.checkpoints (
    thread_id  text COLLATE "C" NOT NULL,
    id         uuid NOT NULL,
    parent_id  uuid,
    step       bigint NOT NULL,
    state      bytea NOT NULL,
    next       json NOT NULL DEFAULT '[]',
    writes     json NOT NULL DEFAULT '[]',
    metadata   json NOT NULL DEFAULT '{}',
    PRIMARY KEY (thread_id, id)
);
COMMENT ON TABLE orchestrator.checkpoints IS 'Checkpoints of the graph engine, of one thread or another.';
COMMENT ON COLUMN orchestrator.checkpoints.thread_id IS
    'The engine''s name of the thread. A backslash is doubled and NUL is \0, since text takes none.';
COMMENT ON COLUMN orchestrator.checkpoints.id IS 'UUID of version 7: sorts by time.';
COMMENT ON COLUMN orchestrator.checkpoints.parent_id IS 'The checkpoint before it; may have been pruned.';
COMMENT ON COLUMN orchestrator.checkpoints.step IS 'Supersteps behind it.';
COMMENT ON COLUMN orchestrator.checkpoints.state IS 'JSON, as bytes: nothing here looks inside.';
COMMENT ON COLUMN orchestrator.checkpoints.next IS
    '[{node, input?}], the tasks of the next superstep. Not jsonb, which takes no \u0000.';
COMMENT ON COLUMN orchestrator.checkpoints.writes IS '[{task, record}], what is known of those tasks, by task.';
