-- Keeps a checkpoint; one of the same id takes its place.
INSERT INTO orchestrator.checkpoints (thread_id, id, parent_id, step, state, next, writes, metadata)
VALUES ($1, $2, $3, $4, $5, $6::text::json, $7::text::json, $8::text::json)
ON CONFLICT (thread_id, id) DO UPDATE
SET parent_id = excluded.parent_id, step = excluded.step, state = excluded.state,
    next = excluded.next, writes = excluded.writes, metadata = excluded.metadata
