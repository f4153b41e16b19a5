-- For the limits of runs at the same time.
CREATE INDEX runs_active ON orchestrator.runs (tenant, owner) WHERE status IN ('running', 'queued');
