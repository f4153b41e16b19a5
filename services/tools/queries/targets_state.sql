-- Have the targets changed, and does one wait to be read? One statement a second when nothing happens.
SELECT
    count(*) AS "count!",
    coalesce(sum(t.version), 0)::bigint AS "sum!",
    coalesce(
        bool_or(t.job_status = 'queued' OR (t.job_status = 'running' AND t.lease_until < now())),
        false
    ) AS "is_due!"
FROM tools.targets AS t;
