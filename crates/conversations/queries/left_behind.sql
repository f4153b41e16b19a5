-- Whether there are runs whose lease is over, and whether runs have waited long enough for threads that none has.
SELECT EXISTS (
    SELECT FROM orchestrator.runs r WHERE r.status = 'running' AND r.lease_until < clock_timestamp()
) AS "expired!",
EXISTS (
    SELECT FROM orchestrator.runs r
    WHERE r.status = 'queued'
      AND r.created_at <= now() - make_interval(secs => $1)
      AND NOT EXISTS (
          SELECT FROM orchestrator.runs o WHERE o.thread_id = r.thread_id AND o.status = 'running'
      )
) AS "waiting!"
