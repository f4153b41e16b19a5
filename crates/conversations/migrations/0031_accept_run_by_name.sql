-- Accepting a turn takes one record with named fields, so that nothing depends on the order of arguments. The function of
-- 0002_accept_run.sql stays for processes of the version before; a later migration drops it.
--
-- outcome is one of
--   started    the run is running, its question is stored
--   queued     the run waits for those before it
--   replayed   the idempotency key was used for the same request: this is its run
--   mismatch   the idempotency key was used for another request
--   busy       another run has the thread: this is it
-- No row is returned if the thread does not exist and may not be made.
--
-- The input is an argument of its own, as it may contain what only the type json keeps as it is.
CREATE FUNCTION orchestrator.accept_run(request json, input json)
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
        title text, inventory_id text, context jsonb,
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
        inventory_id = coalesce(t.inventory_id, v_new.inventory_id),
        context = t.context || coalesce(v_new.context, '{}')
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
