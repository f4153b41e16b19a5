-- Notes that a process follows a run of its owner that has not ended, so that it hears of it.
UPDATE orchestrator.runs
SET followed = true
WHERE id = $1
  AND tenant = $2
  AND owner = $3
  AND status IN ('queued', 'running')
  AND NOT followed
