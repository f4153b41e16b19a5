-- What a message was when it was told, for clients that show more than its text.

ALTER TABLE orchestrator.messages ADD COLUMN transcript json;
COMMENT ON COLUMN orchestrator.messages.transcript IS
    'The events of an answer in their order: texts whole, passing hints left out. The inputs and outputs of its calls are null here: '
    'tools_used has them. NULL for questions, and for answers that are older than this column.';
