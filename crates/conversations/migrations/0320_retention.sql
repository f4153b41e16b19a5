-- How long a tenant keeps its conversations, set by its administrators. NULL, or no row: as the installation's configuration says.
CREATE TABLE orchestrator.retention (
    tenant       text        PRIMARY KEY CHECK (tenant <> ''),
    -- Days without activity after which a thread is deleted.
    threads_days integer     CHECK (threads_days > 0),
    -- Days after which the events of a run that is over are deleted.
    runs_days    integer     CHECK (runs_days > 0),
    changed_at   timestamptz NOT NULL DEFAULT now()
);

-- Each tenant has an age of its own: the clean-up reads the oldest threads of one tenant.
CREATE INDEX threads_of_tenant_by_age ON orchestrator.threads (tenant, last_updated);
DROP INDEX orchestrator.threads_by_age;

-- A run whose events are deleted is not looked at again, so that a tenant that keeps them for long costs the others nothing.
ALTER TABLE orchestrator.runs ADD COLUMN events_pruned boolean NOT NULL DEFAULT false;
CREATE INDEX runs_with_events ON orchestrator.runs (tenant, ended_at) WHERE ended_at IS NOT NULL AND NOT events_pruned;
DROP INDEX orchestrator.run_events_by_age;
