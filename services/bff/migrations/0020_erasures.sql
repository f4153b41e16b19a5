-- Accounts that were erased, until every service has erased what it keeps of the person. The account itself is gone already.
CREATE TABLE bff.erasures (
    erasure_id        uuid        PRIMARY KEY,
    subject           uuid        NOT NULL,
    tenant            text        NOT NULL,
    requested_at      timestamptz NOT NULL,
    orchestrator_done boolean     NOT NULL DEFAULT false,
    tools_done        boolean     NOT NULL DEFAULT false,
    -- Whoever takes it puts this off first, so that one replica asks at a time.
    next_try_at       timestamptz NOT NULL,
    attempts          integer     NOT NULL DEFAULT 0
);
CREATE INDEX erasures_due ON bff.erasures (next_try_at);

-- The account of the first start looks after the others.
UPDATE bff.accounts
SET scopes = scopes || ARRAY(
    SELECT added FROM unnest(ARRAY['questions:approve', 'accounts:erase']) AS added WHERE added <> ALL (scopes)
)
WHERE created_at = (SELECT min(created_at) FROM bff.accounts);
