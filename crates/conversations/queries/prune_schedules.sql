-- Deletes occurrences, events and messages of schedules that were over before $1.
WITH occurrences AS (
    DELETE FROM orchestrator.schedule_occurrences WHERE due_at < $1
), events AS (
    DELETE FROM orchestrator.schedule_events WHERE closed_at < $1
)
DELETE FROM orchestrator.schedule_messages WHERE created_at < $1 AND status <> 'pending';
