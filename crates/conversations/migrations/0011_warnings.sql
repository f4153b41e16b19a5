-- What an answer was told with, besides its words.

ALTER TABLE orchestrator.messages ADD COLUMN warnings text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN orchestrator.messages.warnings IS 'The codes of the warnings that the run of an answer gave.';
