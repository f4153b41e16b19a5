-- Conversations as clients have them that send the whole of it with each message: which thread each belongs to. A transcript is a hash.
CREATE TABLE bff.transcripts (
    account_id uuid        NOT NULL REFERENCES bff.accounts ON DELETE CASCADE,
    transcript bytea       NOT NULL,
    thread_id  text        NOT NULL,
    used_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, transcript)
);
CREATE INDEX transcripts_used ON bff.transcripts (account_id, used_at);
