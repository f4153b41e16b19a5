-- Whether something of schedules is due that no worker has: a schedule, a question, or a message.
SELECT EXISTS (
    SELECT FROM orchestrator.schedules AS s
    WHERE s.status = 'active' AND s.next_at <= $1 AND (s.lease_until IS NULL OR s.lease_until < clock_timestamp())
) OR EXISTS (
    SELECT FROM orchestrator.schedule_occurrences AS o
    WHERE o.status = 'due' AND o.next_try_at <= $1 AND (o.lease_until IS NULL OR o.lease_until < clock_timestamp())
) OR EXISTS (
    SELECT FROM orchestrator.schedule_messages AS m
    WHERE m.status = 'pending' AND m.next_try_at <= $1 AND (m.lease_until IS NULL OR m.lease_until < clock_timestamp())
) AS "due!"
