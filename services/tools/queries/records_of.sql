-- Which rows name a person beside own questions, choices and credentials?
SELECT 'tools.credential_refreshes' AS "table!",
       jsonb_build_object('upstream', c.upstream, 'until', c.until) AS "row!"
FROM tools.credential_refreshes c
WHERE c.tenant = $1 AND c.subject = $2
UNION ALL
SELECT 'tools.sql_questions',
       jsonb_build_object(
           'question_id', q.question_id, 'question', q.question,
           'edited', q.edited_by IS NOT DISTINCT FROM $2, 'edited_at', q.edited_at,
           'released', q.released_by IS NOT DISTINCT FROM $2, 'released_at', q.released_at
       )
FROM tools.sql_questions q
WHERE q.tenant = $1 AND $2 IN (q.edited_by, q.released_by)
