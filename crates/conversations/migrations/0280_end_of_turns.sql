-- Threads are listed by their newest question. The end of a turn changes no indexed column of its thread, so that PostgreSQL
-- writes the row to its page and touches no index (a heap-only tuple).
COMMENT ON COLUMN orchestrator.threads.last_updated IS 'When the newest question came or the thread was changed.';

-- Room for that in each page.
ALTER TABLE orchestrator.threads SET (fillfactor = 85);

-- Ends runs that are still their workers': status, answer and last events, in one transaction. Each that was
-- ended gives a row with its number from 1. News are sent of those that are followed elsewhere or that others wait behind.
CREATE OR REPLACE FUNCTION orchestrator.finish_runs(
    run_ids uuid[], workers uuid[], attempts integer[], statuses text[], errors text[], usages text[],
    texts text[], tools text[], message_statuses text[], sources text[], transcripts text[], warnings text[],
    first_seqs bigint[], last_seqs bigint[], events text[],
    channel text, kind text
) RETURNS TABLE (number integer, thread_id uuid, tenant text, owner text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_end      record;
    v_thread   uuid;
    v_seq      bigint;
    v_run      record;
BEGIN
    IF cardinality(run_ids) > 1 THEN
        PERFORM set_config('lock_timeout', '100ms', true);
    END IF;
    FOR v_end IN
        SELECT e.* FROM unnest(
            run_ids, workers, attempts, statuses, errors, usages, texts, tools, message_statuses, sources, transcripts,
            warnings, first_seqs, last_seqs, events
        ) WITH ORDINALITY AS e (
            run_id, worker, attempt, status, error, usage, text, tools_used, message_status, source, transcript,
            warnings, first_seq, last_seq, events, number
        )
        -- In the order in which leases are renewed, mostly, so that neither waits for the other.
        ORDER BY e.run_id
    LOOP
        -- The thread first, as everything does that needs both rows.
        UPDATE orchestrator.threads t
        SET last_seq = t.last_seq + 1
        WHERE t.id = (
            SELECT r.thread_id FROM orchestrator.runs r
            WHERE r.id = v_end.run_id AND r.worker = v_end.worker AND r.attempt = v_end.attempt AND r.status = 'running'
        )
        RETURNING t.id, t.last_seq INTO v_thread, v_seq;
        CONTINUE WHEN NOT FOUND;

        UPDATE orchestrator.runs r
        SET status = v_end.status, lease_until = NULL, ended_at = clock_timestamp(),
            error = v_end.error::json, usage = v_end.usage::json
        WHERE r.id = v_end.run_id AND r.worker = v_end.worker AND r.attempt = v_end.attempt AND r.status = 'running'
        RETURNING r.tenant, r.owner, r.message_id, r.followed INTO v_run;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the run was taken over at this moment' USING ERRCODE = 'serialization_failure';
        END IF;

        IF v_end.text IS NOT NULL THEN
            INSERT INTO orchestrator.messages (
                thread_id, seq, id, run_id, role, text, tools_used, status, source, transcript, warnings
            ) VALUES (
                v_thread, v_seq, v_run.message_id, v_end.run_id, 'assistant', v_end.text, v_end.tools_used::json,
                v_end.message_status, v_end.source, v_end.transcript::json,
                coalesce((SELECT array_agg(w.code) FROM json_array_elements_text(v_end.warnings::json) AS w (code)), '{}')
            )
            ON CONFLICT (run_id, role) DO UPDATE
            SET text = excluded.text, tools_used = excluded.tools_used, status = excluded.status,
                source = excluded.source, transcript = excluded.transcript, warnings = excluded.warnings;
        END IF;

        IF v_end.events IS NOT NULL THEN
            INSERT INTO orchestrator.run_events (run_id, attempt, first_seq, last_seq, events)
            VALUES (v_end.run_id, v_end.attempt, v_end.first_seq, v_end.last_seq, v_end.events::json)
            ON CONFLICT DO NOTHING;
        END IF;

        IF v_run.followed
            OR EXISTS (SELECT FROM orchestrator.runs q WHERE q.thread_id = v_thread AND q.status = 'queued')
        THEN
            PERFORM pg_notify(channel, kind || ' ' || v_end.run_id || ' ' || v_thread);
        END IF;
        RETURN QUERY SELECT v_end.number::integer, v_thread, v_run.tenant, v_run.owner;
    END LOOP;
END
$$;
