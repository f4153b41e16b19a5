-- Which rows name a person beside those that other operations show? What was said is among the messages of threads.
SELECT 'orchestrator.runs' AS "table!",
       jsonb_build_object(
           'id', r.id, 'thread_id', r.thread_id, 'assistant', r.assistant, 'status', r.status,
           'message_id', r.message_id, 'created_at', r.created_at, 'ended_at', r.ended_at
       ) AS "row!"
FROM orchestrator.runs r
WHERE r.tenant = $1 AND r.owner = $2
UNION ALL
SELECT 'orchestrator.model_usage', to_jsonb(u)
FROM orchestrator.model_usage u
WHERE u.tenant = $1 AND u.owner = $2
UNION ALL
SELECT 'orchestrator.schedule_numbers', to_jsonb(n)
FROM orchestrator.schedule_numbers n
WHERE n.tenant = $1 AND n.owner = $2
