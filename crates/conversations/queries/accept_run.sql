-- Takes a turn: see the function. The columns are those of a run and of its thread.
SELECT
    a.outcome,
    (a.run).id, (a.run).thread_id, (a.thread).name AS thread_name, (a.run).tenant, (a.run).owner, (a.run).assistant,
    (a.run).dialect, (a.run).status, (a.run).input, (a.run).question_id, (a.run).question, (a.run).message_id,
    (a.run).attempt, (a.run).worker, (a.run).cancel_requested, (a.run).request_id, (a.run).error, (a.run).usage,
    (a.run).created_at, (a.run).started_at, (a.run).ended_at,
    (a.thread).assistant AS thread_assistant, (a.thread).title, (a.thread).inventory_id, (a.thread).context,
    (a.thread).metadata, (a.thread).archived, (a.thread).created_at AS thread_created_at, (a.thread).last_updated
FROM orchestrator.accept_run(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::json, $16, $17, $18, $19, $20, $21,
    make_interval(secs => $22)
) AS a
