-- Questions and answers in turns, each answer with a call whose result is of a usual size.
INSERT INTO orchestrator.messages (thread_id, seq, id, role, text, tools_used, status, source)
SELECT $1, n, 'load_' || n, CASE n % 2 WHEN 1 THEN 'user' ELSE 'assistant' END,
       'Message ' || n || repeat(' of a long thread', 12),
       CASE n % 2 WHEN 0 THEN json_build_array(json_build_object(
           'id', 'call_' || n, 'name', 'list_loggers', 'arguments', '{}'::json, 'status', 'success',
           'result', json_build_object('status', 'ok', 'result', repeat('0123456789', 100)))) END,
       'complete', CASE n % 2 WHEN 0 THEN 'model' END
FROM generate_series(1, $2::bigint) n
