-- Ends runs: see the function. A run without a row is not its worker's any more.
SELECT f.number AS "number!", f.thread_id AS "thread_id!", f.tenant AS "tenant!", f.owner AS "owner!"
FROM orchestrator.finish_runs(
    run_ids => $1, workers => $2, attempts => $3, statuses => $4, errors => $5, usages => $6,
    texts => $7, tools => $8, message_statuses => $9, sources => $10, transcripts => $11, warnings => $12,
    first_seqs => $13, last_seqs => $14, events => $15,
    channel => $16, kind => $17
) AS f
