-- Takes turns: see the function. The columns are those of a run, and its thread. A turn without a row: there is no such thread.
SELECT
    a.number AS "number!", a.outcome AS "outcome!",
    (a.run).id AS "id!", (a.run).thread_id AS "thread_id!", (a.run).tenant AS "tenant!", (a.run).owner AS "owner!",
    (a.run).assistant AS "assistant!", (a.run).dialect AS "dialect!", (a.run).status AS "status!: RunStatus",
    (a.run).input AS "input!: Json<Value>", (a.run).question_id, (a.run).question, (a.run).message_id AS "message_id!",
    (a.run).attempt AS "attempt!", (a.run).worker, (a.run).cancel_requested AS "cancel_requested!", (a.run).request_id,
    (a.run).error AS "error: Json<Value>", (a.run).usage AS "usage: Json<Usage>", (a.run).created_at AS "created_at!",
    (a.run).started_at, (a.run).ended_at,
    to_json(a.thread) AS "thread!: Json<Thread>"
FROM orchestrator.accept_runs(requests => $1, inputs => $2) AS a
