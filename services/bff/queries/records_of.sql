-- Which rows name a person beside the account, sign-ins, API keys and the audit log? Addresses and transcripts are kept as hashes.
SELECT 'bff.known_addresses' AS "table!",
       jsonb_build_object('address_hash', encode(k.address_hash, 'hex'), 'last_seen_at', k.last_seen_at) AS "row!"
FROM bff.known_addresses k
WHERE k.account_id = $1
UNION ALL
SELECT 'bff.transcripts',
       jsonb_build_object('transcript', encode(t.transcript, 'hex'), 'thread_id', t.thread_id, 'used_at', t.used_at)
FROM bff.transcripts t
WHERE t.account_id = $1
UNION ALL
SELECT 'bff.identities',
       jsonb_build_object(
           'issuer', i.issuer, 'subject', i.subject, 'tenant', i.tenant,
           'created_at', i.created_at, 'last_seen_at', i.last_seen_at
       )
FROM bff.identities i
WHERE i.account_id = $1
