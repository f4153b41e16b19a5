-- The newest checkpoints of a thread before one. SQLite looks at a variable that is all of LIMIT
-- when it plans, and plans again each time that another value is bound; a sum is left alone.
SELECT id AS "id: CheckpointId", parent_id AS "parent_id: CheckpointId", step AS "step: u32", state, next, writes, metadata
FROM checkpoints
WHERE thread_id = ?
  AND id < ?
ORDER BY id DESC
LIMIT (? + 0)
