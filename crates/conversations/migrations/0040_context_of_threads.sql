-- What a thread is about is in its context, whichever assistant it is for, and threads can be found
-- by it.

-- A context that has another inventory keeps it under a name of its own.
UPDATE orchestrator.threads t
SET context = jsonb_build_object('inventory_id', t.inventory_id)
    || CASE
        WHEN t.context -> 'inventory_id' <> to_jsonb(t.inventory_id)
        THEN jsonb_build_object('attached_inventory_id', t.context -> 'inventory_id')
        ELSE '{}'
    END
    || (t.context - 'inventory_id')
WHERE t.inventory_id IS NOT NULL;

-- Answers `context @> '{"key": "value"}'`.
CREATE INDEX threads_context ON orchestrator.threads USING gin (context jsonb_path_ops);

-- Processes of the version before read and write the column inventory_id. It follows the context,
-- and what they write to it reaches the context. A later migration drops both.
CREATE FUNCTION orchestrator.thread_inventory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NEW.inventory_id IS NOT NULL THEN
        NEW.context := NEW.context || jsonb_build_object('inventory_id', NEW.inventory_id);
    ELSIF TG_OP = 'UPDATE' AND NEW.inventory_id IS DISTINCT FROM OLD.inventory_id THEN
        NEW.context := (NEW.context - 'inventory_id')
            || jsonb_strip_nulls(jsonb_build_object('inventory_id', NEW.inventory_id));
    END IF;
    NEW.inventory_id := CASE
        WHEN jsonb_typeof(NEW.context -> 'inventory_id') = 'string' THEN NEW.context ->> 'inventory_id'
    END;
    RETURN NEW;
END
$$;

CREATE TRIGGER thread_inventory BEFORE INSERT OR UPDATE OF inventory_id, context ON orchestrator.threads
    FOR EACH ROW EXECUTE FUNCTION orchestrator.thread_inventory();

-- The same function, with defaults for the context: they count where the thread has no such key.
-- `inventory_id` is what processes of the version before send.
CREATE OR REPLACE FUNCTION orchestrator.accept_run(request json, input json)
RETURNS TABLE (outcome text, run orchestrator.runs, thread orchestrator.threads)
LANGUAGE plpgsql AS $$
DECLARE
    v_new    record;
    v_run    orchestrator.runs;
    v_thread orchestrator.threads;
    v_waits  boolean;
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
        UPDATE orchestrator.runs r
        SET idempotency_key = NULL
        WHERE r.tenant = v_new.tenant AND r.owner = v_new.owner AND r.idempotency_key = v_new.idempotency_key
          AND r.created_at < clock_timestamp() - interval '24 hours';
        SELECT * INTO v_run FROM orchestrator.runs r
        WHERE r.tenant = v_new.tenant AND r.owner = v_new.owner AND r.idempotency_key = v_new.idempotency_key;
        IF FOUND THEN
            SELECT * INTO v_thread FROM orchestrator.threads t WHERE t.id = v_run.thread_id;
            RETURN QUERY SELECT
                CASE WHEN v_run.fingerprint = v_new.fingerprint THEN 'replayed' ELSE 'mismatch' END, v_run, v_thread;
            RETURN;
        END IF;
    END IF;

    SELECT * INTO v_thread FROM orchestrator.threads t
    WHERE t.tenant = v_new.tenant AND t.owner = v_new.owner AND t.name = v_new.thread_name
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        IF NOT v_new.create_thread THEN
            RETURN;
        END IF;
        -- A process that makes the thread at the same moment is waited for; then the row is its, and locked by us.
        INSERT INTO orchestrator.threads AS t (id, tenant, owner, name, assistant)
        VALUES (v_new.thread_id, v_new.tenant, v_new.owner, v_new.thread_name,
                coalesce(v_new.assistant, v_new.default_assistant))
        ON CONFLICT (tenant, owner, name) DO UPDATE SET name = t.name
        RETURNING * INTO v_thread;
    END IF;

    SELECT * INTO v_run FROM orchestrator.runs r
    WHERE r.thread_id = v_thread.id AND r.status IN ('running', 'queued')
    ORDER BY r.status = 'running' DESC, r.number
    LIMIT 1;
    v_waits := FOUND;
    IF v_waits AND NOT v_new.enqueue THEN
        RETURN QUERY SELECT 'busy', v_run, v_thread;
        RETURN;
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

    UPDATE orchestrator.threads t
    SET last_seq = t.last_seq + CASE WHEN v_waits THEN 0 ELSE 1 END,
        last_updated = clock_timestamp(),
        title = coalesce(t.title, v_new.title),
        context = jsonb_strip_nulls(jsonb_build_object('inventory_id', v_new.inventory_id))
            || coalesce(v_new.context_defaults, '{}') || t.context || coalesce(v_new.context, '{}')
    WHERE t.id = v_thread.id
    RETURNING * INTO v_thread;

    IF NOT v_waits AND v_new.question IS NOT NULL THEN
        INSERT INTO orchestrator.messages (thread_id, seq, id, run_id, role, text, status)
        VALUES (
            v_thread.id, v_thread.last_seq,
            orchestrator.question_id(v_thread.id, v_new.question_id, v_new.run_id),
            v_new.run_id, 'user', v_new.question, 'complete'
        );
    END IF;
    RETURN QUERY SELECT CASE WHEN v_waits THEN 'queued' ELSE 'started' END, v_run, v_thread;
END
$$;
