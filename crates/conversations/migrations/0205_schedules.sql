-- Schedules: questions that are asked at set times, and alerts, with their messages.

CREATE TABLE orchestrator.schedules (
    tenant      text        NOT NULL,
    schedule_id uuid        NOT NULL,
    owner       text        NOT NULL,
    title       text        NOT NULL,
    -- A question (`{question, assistant}`) or an alert (`{alert}`).
    task        jsonb       NOT NULL,
    -- Local time, days of the week and time zone; NULL for an alert.
    timing      jsonb,
    delivery    jsonb       NOT NULL,
    status      text        NOT NULL CHECK (status IN ('active', 'paused', 'stopped')),
    -- Why it was stopped, or why its last run or check failed.
    note        text,
    -- Set exactly while it is active.
    next_at     timestamptz,
    -- The run that it was made in: a run that begins again makes nothing twice.
    request_key text,
    worker      uuid,
    lease_until timestamptz,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant, schedule_id),
    CHECK ((status = 'active') = (next_at IS NOT NULL))
);
CREATE INDEX schedules_of_owner ON orchestrator.schedules (tenant, owner, created_at);
CREATE UNIQUE INDEX schedules_request ON orchestrator.schedules (tenant, owner, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX schedules_due ON orchestrator.schedules (next_at) WHERE status = 'active';

-- A time at which a question is due. The row is made once, by whichever replica comes first, and its end is stored once.
CREATE TABLE orchestrator.schedule_occurrences (
    tenant       text        NOT NULL,
    schedule_id  uuid        NOT NULL,
    due_at       timestamptz NOT NULL,
    -- Earlier times that passed while nothing ran, and the first of them.
    missed       integer     NOT NULL DEFAULT 0,
    missed_since timestamptz,
    status       text        NOT NULL DEFAULT 'due' CHECK (status IN ('due', 'done')),
    attempts     integer     NOT NULL DEFAULT 0,
    next_try_at  timestamptz NOT NULL,
    worker       uuid,
    lease_until  timestamptz,
    run_id       uuid,
    PRIMARY KEY (tenant, schedule_id, due_at),
    FOREIGN KEY (tenant, schedule_id) REFERENCES orchestrator.schedules ON DELETE CASCADE
);
CREATE INDEX schedule_occurrences_due ON orchestrator.schedule_occurrences (next_try_at) WHERE status = 'due';

-- What an alert found. An event is open until the condition no longer holds for its device.
CREATE TABLE orchestrator.schedule_events (
    tenant      text        NOT NULL,
    schedule_id uuid        NOT NULL,
    event_key   text        NOT NULL,
    opened_at   timestamptz NOT NULL,
    closed_at   timestamptz,
    text        text        NOT NULL,
    PRIMARY KEY (tenant, schedule_id, event_key, opened_at),
    FOREIGN KEY (tenant, schedule_id) REFERENCES orchestrator.schedules ON DELETE CASCADE
);
CREATE UNIQUE INDEX schedule_events_open ON orchestrator.schedule_events (tenant, schedule_id, event_key) WHERE closed_at IS NULL;

-- Messages on their way out. Written in the transaction that stores what they are about, sent until the receiver takes them.
CREATE TABLE orchestrator.schedule_messages (
    tenant      text        NOT NULL,
    message_id  uuid        NOT NULL,
    schedule_id uuid        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('answer', 'alert_begun', 'alert_over', 'test')),
    subject     text        NOT NULL,
    text        text        NOT NULL,
    payload     jsonb       NOT NULL,
    status      text        NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'failed')),
    attempts    integer     NOT NULL DEFAULT 0,
    next_try_at timestamptz NOT NULL,
    worker      uuid,
    lease_until timestamptz,
    error       text,
    created_at  timestamptz NOT NULL,
    sent_at     timestamptz,
    PRIMARY KEY (tenant, message_id),
    FOREIGN KEY (tenant, schedule_id) REFERENCES orchestrator.schedules ON DELETE CASCADE
);
CREATE INDEX schedule_messages_of_schedule ON orchestrator.schedule_messages (tenant, schedule_id, created_at DESC);
CREATE INDEX schedule_messages_pending ON orchestrator.schedule_messages (next_try_at) WHERE status = 'pending';
