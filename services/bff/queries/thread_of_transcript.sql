-- Takes a thread that ends with a transcript. Two conversations that are alike so far take one each. If there is none, the only
-- thread that ever had the transcript continues: its client asks again from there. Several are not distinguished any more.
WITH chosen AS (
    SELECT thread_id FROM bff.transcripts
    WHERE account_id = $1 AND transcript = $2 AND used_at > $3 AND is_end
    ORDER BY used_at DESC, thread_id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE bff.transcripts AS t
    SET is_end = false
    FROM chosen
    WHERE t.account_id = $1 AND t.transcript = $2 AND t.thread_id = chosen.thread_id
    RETURNING t.thread_id
)
SELECT thread_id AS "thread_id!" FROM taken
UNION ALL
SELECT min(thread_id) FROM bff.transcripts
WHERE account_id = $1 AND transcript = $2 AND used_at > $3
HAVING count(*) = 1 AND NOT EXISTS (SELECT FROM taken);
