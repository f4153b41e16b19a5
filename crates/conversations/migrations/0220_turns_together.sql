-- Turns of a process are accepted and ended together: a statement takes any number of them. Only the news that another process
-- waits for are sent.

ALTER TABLE orchestrator.runs ADD COLUMN followed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN orchestrator.runs.followed IS
    'A process that does not run it reads its events, and wants to hear of new ones.';

-- Most threads have no context, and then there is nothing to keep in step.
DROP TRIGGER thread_inventory ON orchestrator.threads;
CREATE TRIGGER thread_inventory BEFORE INSERT OR UPDATE OF inventory_id, context ON orchestrator.threads
    FOR EACH ROW WHEN (NEW.inventory_id IS NOT NULL OR NEW.context <> '{}')
    EXECUTE FUNCTION orchestrator.thread_inventory();

-- The same function. The first turn of a thread writes the thread once, and no turn does what its request does not ask for.
CREATE OR REPLACE FUNCTION orchestrator.accept_run(request json, input json)
RETURNS TABLE (outcome text, run orchestrator.runs, thread orchestrator.threads)
LANGUAGE plpgsql AS $$
DECLARE
    v_new    record;
    v_run    orchestrator.runs;
    v_thread orchestrator.threads;
    v_fresh  boolean := false;
    v_waits  boolean := false;
BEGIN
    SELECT * INTO v_new FROM json_to_record(request) AS new (
        tenant text, owner text,
        thread_id uuid, thread_name text, create_thread boolean, default_assistant text,
        title text, inventory_id text, context_defaults jsonb, context jsonb,
        run_id uuid, assistant text, dialect text, message_id text, question_id text, question text,
        enqueue boolean, idempotency_key text, fingerprint bytea, request_id text,
        worker uuid, lease_seconds double precision
    );

    IF v_new.idempotency_key IS NOT NULL THEN
        SELECT * INTO v_run FROM orchestrator.runs r
        WHERE r.tenant = v_new.tenant AND r.owner = v_new.owner AND r.idempotency_key = v_new.idempotency_key;
        IF FOUND AND v_run.created_at < clock_timestamp() - interval '24 hours' THEN
            UPDATE orchestrator.runs r SET idempotency_key = NULL
            WHERE r.id = v_run.id AND r.idempotency_key = v_new.idempotency_key;
        ELSIF FOUND THEN
            SELECT * INTO v_thread FROM orchestrator.threads t WHERE t.id = v_run.thread_id;
            RETURN QUERY SELECT
                CASE WHEN v_run.fingerprint = v_new.fingerprint THEN 'replayed' ELSE 'mismatch' END, v_run, v_thread;
            RETURN;
        END IF;
    END IF;

    LOOP
        SELECT * INTO v_thread FROM orchestrator.threads t
        WHERE t.tenant = v_new.tenant AND t.owner = v_new.owner AND t.name = v_new.thread_name
        FOR NO KEY UPDATE;
        EXIT WHEN FOUND;
        IF NOT v_new.create_thread THEN
            RETURN;
        END IF;
        -- A process that makes the thread at the same moment is waited for; then the row is its, and found.
        INSERT INTO orchestrator.threads AS t (id, tenant, owner, name, assistant, title, context, last_seq)
        VALUES (v_new.thread_id, v_new.tenant, v_new.owner, v_new.thread_name,
                coalesce(v_new.assistant, v_new.default_assistant), v_new.title,
                jsonb_strip_nulls(jsonb_build_object('inventory_id', v_new.inventory_id))
                    || coalesce(v_new.context_defaults, '{}') || coalesce(v_new.context, '{}'),
                1)
        ON CONFLICT (tenant, owner, name) DO NOTHING
        RETURNING * INTO v_thread;
        v_fresh := FOUND;
        EXIT WHEN v_fresh;
    END LOOP;

    IF NOT v_fresh THEN
        SELECT * INTO v_run FROM orchestrator.runs r
        WHERE r.thread_id = v_thread.id AND r.status IN ('running', 'queued')
        ORDER BY r.status = 'running' DESC, r.number
        LIMIT 1;
        v_waits := FOUND;
        IF v_waits AND NOT v_new.enqueue THEN
            RETURN QUERY SELECT 'busy', v_run, v_thread;
            RETURN;
        END IF;
    END IF;

    INSERT INTO orchestrator.runs AS r (
        id, thread_id, tenant, owner, assistant, dialect, status, input, question_id, question, message_id,
        attempt, worker, lease_until, idempotency_key, fingerprint, request_id, started_at
    ) VALUES (
        v_new.run_id, v_thread.id, v_new.tenant, v_new.owner, coalesce(v_new.assistant, v_thread.assistant),
        v_new.dialect,
        CASE WHEN v_waits THEN 'queued' ELSE 'running' END,
        accept_run.input, v_new.question_id, v_new.question, v_new.message_id,
        CASE WHEN v_waits THEN 0 ELSE 1 END,
        CASE WHEN v_waits THEN NULL ELSE v_new.worker END,
        CASE WHEN v_waits THEN NULL ELSE clock_timestamp() + make_interval(secs => v_new.lease_seconds) END,
        v_new.idempotency_key, v_new.fingerprint, v_new.request_id,
        CASE WHEN v_waits THEN NULL ELSE clock_timestamp() END
    ) RETURNING * INTO v_run;

    IF v_fresh THEN
        NULL;
    ELSIF v_new.inventory_id IS NULL AND v_new.context_defaults IS NULL AND v_new.context IS NULL THEN
        UPDATE orchestrator.threads t
        SET last_seq = t.last_seq + CASE WHEN v_waits THEN 0 ELSE 1 END,
            last_updated = clock_timestamp(),
            title = coalesce(t.title, v_new.title)
        WHERE t.id = v_thread.id
        RETURNING * INTO v_thread;
    ELSE
        UPDATE orchestrator.threads t
        SET last_seq = t.last_seq + CASE WHEN v_waits THEN 0 ELSE 1 END,
            last_updated = clock_timestamp(),
            title = coalesce(t.title, v_new.title),
            context = jsonb_strip_nulls(jsonb_build_object('inventory_id', v_new.inventory_id))
                || coalesce(v_new.context_defaults, '{}') || t.context || coalesce(v_new.context, '{}')
        WHERE t.id = v_thread.id
        RETURNING * INTO v_thread;
    END IF;

    IF v_new.question IS NOT NULL AND NOT v_waits THEN
        INSERT INTO orchestrator.messages (thread_id, seq, id, run_id, role, text, status)
        VALUES (
            v_thread.id, v_thread.last_seq,
            -- The client's id, unless it has used that one in this thread already or gave none. As question_id, which is planned
            -- at each call.
            CASE
                WHEN v_new.question_id IS NULL OR NOT v_fresh AND EXISTS (
                    SELECT FROM orchestrator.messages m WHERE m.thread_id = v_thread.id AND m.id = v_new.question_id
                ) THEN 'question_' || v_new.run_id::text
                ELSE v_new.question_id
            END,
            v_new.run_id, 'user', v_new.question, 'complete'
        );
    END IF;
    RETURN QUERY SELECT CASE WHEN v_waits THEN 'queued' ELSE 'started' END, v_run, v_thread;
END
$$;

-- Takes turns, one after the other, in one transaction: see accept_run. Each gives a row with its number from 1, or none. Several
-- of them do not wait long for a thread that something else has locked, because all of them would wait with it.
CREATE FUNCTION orchestrator.accept_runs(requests text[], inputs text[])
RETURNS TABLE (number integer, outcome text, run orchestrator.runs, thread orchestrator.threads)
LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(requests) > 1 THEN
        PERFORM set_config('lock_timeout', '100ms', true);
    END IF;
    FOR i IN 1 .. cardinality(requests) LOOP
        RETURN QUERY SELECT i, a.outcome, a.run, a.thread
        FROM orchestrator.accept_run(request => requests[i]::json, input => inputs[i]::json) AS a;
    END LOOP;
END
$$;

-- Ends runs that are still their workers': status, answer, last events and the thread's time, in one transaction. Each that was
-- ended gives a row with its number from 1. News are sent of those that are followed elsewhere or that others wait behind.
CREATE FUNCTION orchestrator.finish_runs(
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
        SET last_seq = t.last_seq + 1, last_updated = clock_timestamp()
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
