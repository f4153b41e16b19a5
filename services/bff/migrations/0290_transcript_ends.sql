-- Conversations that begin alike have a thread each: a transcript belongs to every thread that had it, and each thread ends with one.
ALTER TABLE bff.transcripts DROP CONSTRAINT transcripts_pkey;
ALTER TABLE bff.transcripts ADD PRIMARY KEY (account_id, transcript, thread_id);
ALTER TABLE bff.transcripts ADD COLUMN is_end boolean NOT NULL DEFAULT false;
CREATE INDEX transcripts_ends ON bff.transcripts (account_id, thread_id) WHERE is_end;

-- The newest of each thread is its end.
UPDATE bff.transcripts AS t
SET is_end = true
FROM (
    SELECT DISTINCT ON (account_id, thread_id) account_id, transcript, thread_id
    FROM bff.transcripts
    ORDER BY account_id, thread_id, used_at DESC
) AS newest
WHERE t.account_id = newest.account_id AND t.transcript = newest.transcript AND t.thread_id = newest.thread_id;
