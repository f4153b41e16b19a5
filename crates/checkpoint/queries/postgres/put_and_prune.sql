-- Keeps a checkpoint, and deletes the thread's older ones but $9.
WITH put AS (
    INSERT INTO orchestrator.checkpoints (thread_id, id, parent_id, step, state, next, writes, metadata)
    VALUES ($1, $2, $3, $4, $5, $6::text::json, $7::text::json, $8::text::json)
    ON CONFLICT (thread_id, id) DO UPDATE
    SET parent_id = excluded.parent_id, step = excluded.step, state = excluded.state,
        next = excluded.next, writes = excluded.writes, metadata = excluded.metadata
)
DELETE FROM orchestrator.checkpoints
WHERE thread_id = $1
  AND id <> $2
  AND id <= (
      SELECT id FROM orchestrator.checkpoints WHERE thread_id = $1 AND id <> $2 ORDER BY id DESC LIMIT 1 OFFSET $9
  )
