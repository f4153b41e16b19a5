-- A checkpoint of a thread.
SELECT id AS "id: CheckpointId", parent_id AS "parent_id: CheckpointId", step AS "step: u32", state, next, writes, metadata
FROM checkpoints
WHERE thread_id = ?
  AND id = ?
LIMIT 1
