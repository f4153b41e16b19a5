-- A page of an owner's messages that hold some words, the newest first, with the words between two marks that no text has.
SELECT f.thread_name, f.title, f.id, f.seq, f.role AS "role: Role", f.created_at, f.thread_id,
       ts_headline(
           'simple'::regconfig, translate(f.text, $9 || $10, ''), f.words,
           'StartSel=' || $9 || ', StopSel=' || $10 || ', MaxFragments=2, MaxWords=24, MinWords=10, FragmentDelimiter=" … "'
       ) AS "headline!"
FROM (
    SELECT t.name AS thread_name, t.title, m.id, m.seq, m.role, m.created_at, m.thread_id, left(m.text, 100000) AS text, words
    FROM to_tsquery('simple'::regconfig, $3) AS words,
         orchestrator.messages m
         JOIN orchestrator.threads t ON t.id = m.thread_id
    WHERE t.tenant = $1
      AND t.owner = $2
      AND ($4::text IS NULL OR t.name = $4)
      AND to_tsvector('simple'::regconfig, left(m.text, 100000)) @@ words
      AND ($5::timestamptz IS NULL OR (m.created_at, m.thread_id, m.seq) < ($5, $6::uuid, $7::bigint))
    ORDER BY m.created_at DESC, m.thread_id DESC, m.seq DESC
    LIMIT $8
) f
ORDER BY f.created_at DESC, f.thread_id DESC, f.seq DESC;
