-- Threads, messages, runs and the events of runs.

-- A conversation of one person with one assistant.
CREATE TABLE orchestrator.threads (
    id            uuid PRIMARY KEY,
    tenant        text NOT NULL,
    owner         text NOT NULL,
    name          text NOT NULL,
    assistant     text NOT NULL,
    title         text,
    inventory_id  text,
    context       jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(context) = 'object'),
    metadata      jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    archived      boolean NOT NULL DEFAULT false,
    last_seq      bigint NOT NULL DEFAULT 0,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_updated  timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (tenant, owner, name)
);
COMMENT ON TABLE orchestrator.threads IS
    'Conversations. The row''s lock orders everything that is written to the thread.';
COMMENT ON COLUMN orchestrator.threads.owner IS 'The subject of the identity that made the thread.';
COMMENT ON COLUMN orchestrator.threads.name IS
    'The id on the wire: what a client chose, unique within its owner, or the text of id.';
COMMENT ON COLUMN orchestrator.threads.context IS 'What callers attach for the assistant. Credentials are not kept here.';
COMMENT ON COLUMN orchestrator.threads.metadata IS 'What callers attach for themselves.';
COMMENT ON COLUMN orchestrator.threads.last_seq IS 'The sequence number given to the newest message.';
COMMENT ON COLUMN orchestrator.threads.last_updated IS 'When the newest message came or the thread was changed.';

-- An owner's list, newest first, by key.
CREATE INDEX threads_of_owner ON orchestrator.threads (tenant, owner, last_updated DESC, id DESC);
-- The clean-up of old conversations.
CREATE INDEX threads_by_age ON orchestrator.threads (last_updated);

-- One turn of a thread: from the question's acceptance to the end of its answer.
CREATE TABLE orchestrator.runs (
    id                uuid PRIMARY KEY,
    number            bigint GENERATED ALWAYS AS IDENTITY,
    thread_id         uuid NOT NULL REFERENCES orchestrator.threads ON DELETE CASCADE,
    tenant            text NOT NULL,
    owner             text NOT NULL,
    assistant         text NOT NULL,
    dialect           text NOT NULL,
    status            text NOT NULL
        CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted')),
    input             json NOT NULL,
    question_id       text,
    question          text,
    message_id        text NOT NULL,
    attempt           integer NOT NULL DEFAULT 0,
    worker            uuid,
    lease_until       timestamptz,
    cancel_requested  boolean NOT NULL DEFAULT false,
    idempotency_key   text,
    fingerprint       bytea,
    request_id        text,
    error             json,
    usage             json,
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at        timestamptz,
    ended_at          timestamptz,
    CHECK ((status = 'running') = (lease_until IS NOT NULL))
);
COMMENT ON TABLE orchestrator.runs IS
    'Turns. A worker writes to a run only while (id, worker, attempt) is still what the row says.';
COMMENT ON COLUMN orchestrator.runs.number IS 'Orders the runs of a thread: queued ones start in this order.';
COMMENT ON COLUMN orchestrator.runs.input IS 'What the orchestrator needs to run it, on any replica.';
COMMENT ON COLUMN orchestrator.runs.question IS 'The user message, written to messages when the run starts.';
COMMENT ON COLUMN orchestrator.runs.message_id IS 'The public id of the assistant message that the run writes.';
COMMENT ON COLUMN orchestrator.runs.attempt IS '0 while queued, then 1, and one more at each take-over.';
COMMENT ON COLUMN orchestrator.runs.worker IS 'The process that runs it, or ran it last.';
COMMENT ON COLUMN orchestrator.runs.lease_until IS
    'Until when, by the database''s clock, the worker is taken as alive. Set exactly while the run is running.';
COMMENT ON COLUMN orchestrator.runs.fingerprint IS 'Hash of the request that came with idempotency_key.';

-- The single writer: a thread has at most one running run.
CREATE UNIQUE INDEX runs_running ON orchestrator.runs (thread_id) WHERE status = 'running';
-- Renewal and take-over. The lease is not indexed, so that renewing it touches no index.
CREATE INDEX runs_of_worker ON orchestrator.runs (worker) WHERE status = 'running';
CREATE INDEX runs_queued ON orchestrator.runs (thread_id, number) WHERE status = 'queued';
CREATE INDEX runs_of_thread ON orchestrator.runs (thread_id, number DESC);
CREATE UNIQUE INDEX runs_idempotency ON orchestrator.runs (tenant, owner, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- What was said.
CREATE TABLE orchestrator.messages (
    thread_id   uuid NOT NULL REFERENCES orchestrator.threads ON DELETE CASCADE,
    seq         bigint NOT NULL,
    id          text NOT NULL,
    run_id      uuid REFERENCES orchestrator.runs,
    role        text NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    text        text NOT NULL,
    tools_used  json,
    status      text NOT NULL CHECK (status IN ('complete', 'partial', 'failed')),
    source      text CHECK (source IN ('rules', 'model')),
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (thread_id, seq),
    UNIQUE (thread_id, id),
    UNIQUE (run_id, role)
);
COMMENT ON TABLE orchestrator.messages IS
    'Messages, whole: nothing is ever pruned here. A run writes one question and one answer at most.';
COMMENT ON COLUMN orchestrator.messages.seq IS 'Orders the messages of a thread; may have gaps.';
COMMENT ON COLUMN orchestrator.messages.id IS 'The id on the wire, unique within the thread.';
COMMENT ON COLUMN orchestrator.messages.tools_used IS
    'Every tool call: {id, name, arguments, status, result}. json, not jsonb: kept as it was, key order and all.';
COMMENT ON COLUMN orchestrator.messages.status IS 'partial: cut short by a cancel or a failure; failed: no answer at all.';

-- The events of runs, for clients that come back. Thrown away after a while; the messages stay.
CREATE TABLE orchestrator.run_events (
    run_id      uuid NOT NULL REFERENCES orchestrator.runs ON DELETE CASCADE,
    attempt     integer NOT NULL,
    first_seq   bigint NOT NULL,
    last_seq    bigint NOT NULL,
    events      json NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (run_id, attempt, first_seq),
    CHECK (last_seq >= first_seq)
);
COMMENT ON TABLE orchestrator.run_events IS
    'A batch of a run''s events per row; events holds those numbered first_seq to last_seq, in order.';

CREATE INDEX run_events_by_age ON orchestrator.run_events (created_at);
