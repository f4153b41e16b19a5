-- A checkpoint of a thread.
SELECT id, parent_id, step, state, next::text AS "next!", writes::text AS "writes!", metadata::text AS "metadata!"
FROM orchestrator.checkpoints
WHERE thread_id = $1
  AND id = $2
