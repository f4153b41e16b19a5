-- Deletes some of the threads that have nothing from a checkpoint on; says how many.
WITH idle AS (
    SELECT DISTINCT thread_id FROM orchestrator.checkpoints AS old
    WHERE id < $1
      AND NOT EXISTS (
          SELECT 1 FROM orchestrator.checkpoints AS newer WHERE newer.thread_id = old.thread_id AND newer.id >= $1
      )
    LIMIT $2
), deleted AS (
    DELETE FROM orchestrator.checkpoints
    WHERE thread_id IN (SELECT thread_id FROM idle) AND id < $1
    RETURNING thread_id
)
SELECT count(DISTINCT thread_id) AS "threads!" FROM deleted
