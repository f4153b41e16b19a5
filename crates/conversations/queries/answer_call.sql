-- Gives a pending call of one of the thread's newer messages its answer. Records keep their order and their JSON.
WITH asked AS (
    SELECT recent.thread_id, recent.seq
    FROM (
        SELECT m.thread_id, m.seq, m.tools_used
        FROM orchestrator.messages m
        WHERE m.thread_id = (
            SELECT t.id FROM orchestrator.threads t WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3
        )
        ORDER BY m.seq DESC
        LIMIT 200
    ) recent
    WHERE recent.tools_used IS NOT NULL
      AND EXISTS (
          SELECT FROM json_array_elements(recent.tools_used) record
          WHERE record ->> 'id' = $4 AND record ->> 'status' = 'pending'
      )
    ORDER BY recent.seq DESC
    LIMIT 1
)
UPDATE orchestrator.messages m
SET tools_used = (
    SELECT json_agg(
        CASE WHEN record ->> 'id' = $4 AND record ->> 'status' = 'pending' THEN json_build_object(
            'id', record -> 'id', 'name', record -> 'name', 'arguments', record -> 'arguments',
            'status', 'answered', 'result', $5::text::json
        ) ELSE record END
        ORDER BY place
    )
    FROM json_array_elements(m.tools_used) WITH ORDINALITY AS records (record, place)
)
FROM asked
WHERE m.thread_id = asked.thread_id AND m.seq = asked.seq
