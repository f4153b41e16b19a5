-- Makes a thread with the messages of another one of the same owner. The messages belong to no run of the new thread; the first
-- event of each transcript names the new thread.
WITH source AS (
    SELECT t.* FROM orchestrator.threads t
    WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3
), made AS (
    INSERT INTO orchestrator.threads (id, tenant, owner, name, assistant, title, context, metadata, archived, last_seq)
    SELECT $4::uuid, s.tenant, s.owner, $4::uuid::text, s.assistant, s.title, s.context, s.metadata, s.archived, s.last_seq
    FROM source s
    RETURNING *
), copied AS (
    INSERT INTO orchestrator.messages (
        thread_id, seq, id, role, text, tools_used, status, source, created_at, transcript, warnings
    )
    SELECT made.id, m.seq, m.id, m.role, m.text, m.tools_used, m.status, m.source, m.created_at,
           CASE WHEN m.transcript IS NOT NULL THEN (
               SELECT coalesce(json_agg(
                   CASE WHEN event ->> 'event' = 'started' THEN json_build_object(
                       'event', 'started', 'thread_id', made.name,
                       'run_id', event -> 'run_id', 'message_id', event -> 'message_id'
                   ) ELSE event END
                   ORDER BY place
               ), '[]')
               FROM json_array_elements(m.transcript) WITH ORDINALITY AS events (event, place)
           ) END,
           m.warnings
    FROM orchestrator.messages m, made
    WHERE m.thread_id = $1
)
SELECT to_json(made) AS "thread!: Json<Thread>", made.last_seq FROM made
