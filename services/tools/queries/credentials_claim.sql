-- Takes the right to refresh a credential, for a while, unless another process has it.
INSERT INTO tools.credential_refreshes AS held (tenant, subject, upstream, holder, until)
VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond')
ON CONFLICT (tenant, subject, upstream) DO UPDATE
SET holder = excluded.holder, until = excluded.until
WHERE held.until < clock_timestamp()
