-- Forgets the threads of a tenant's conversations that nothing was added to for longer than threads are kept.
DELETE FROM bff.transcripts t
USING bff.accounts a
WHERE a.tenant = $1 AND t.account_id = a.account_id AND t.used_at < $2
