-- Checkpoints of the graph engine: one row each, written by one statement and so by one commit.
CREATE TABLE checkpoints (
    thread_id TEXT NOT NULL,
    id        BLOB NOT NULL,              -- UUID of version 7, 16 bytes: sorts by time
    parent_id BLOB,                       -- the checkpoint before it; may have been pruned
    step      INTEGER NOT NULL,           -- supersteps behind it
    state     BLOB NOT NULL,              -- JSON
    next      TEXT NOT NULL DEFAULT '[]', -- JSON: [{node, input?}], the tasks of the next superstep
    writes    TEXT NOT NULL DEFAULT '[]', -- JSON: [{task, record}], what is known of those tasks, by task
    metadata  TEXT NOT NULL DEFAULT '{}', -- JSON object
    PRIMARY KEY (thread_id, id)
) STRICT;
