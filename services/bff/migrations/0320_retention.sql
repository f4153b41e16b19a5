-- How long a tenant keeps entries of the audit log, set by its administrators. NULL, or no row: as the installation's configuration says.
CREATE TABLE bff.retention (
    tenant       text        PRIMARY KEY CHECK (tenant <> ''),
    audit_days   integer     CHECK (audit_days > 0),
    -- The days of threads, which the orchestrator keeps: what is remembered here of a thread ends with it.
    threads_days integer     CHECK (threads_days > 0),
    changed_at   timestamptz NOT NULL
);
-- Each tenant has an age of its own: the clean-up reads the oldest entries of one tenant.
CREATE INDEX audit_tenant_at ON bff.audit (tenant, at);
