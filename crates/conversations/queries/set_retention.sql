-- Sets how long a tenant keeps its conversations.
INSERT INTO orchestrator.retention (tenant, threads_days, runs_days)
VALUES ($1, $2, $3)
ON CONFLICT (tenant) DO UPDATE
SET threads_days = excluded.threads_days,
    runs_days = excluded.runs_days,
    changed_at = now()
