-- The newest checkpoints of a thread before one.
SELECT id, parent_id, step, state, next::text AS "next!", writes::text AS "writes!", metadata::text AS "metadata!"
FROM orchestrator.checkpoints
WHERE thread_id = $1
  AND id < $2
ORDER BY id DESC
LIMIT $3
