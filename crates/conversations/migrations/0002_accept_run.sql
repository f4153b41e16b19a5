-- Accepting a turn is one call, and each of its steps sees what was committed before it got the thread's lock.
--
-- outcome is one of
--   started    the run is running, its question is stored
--   queued     the run waits for those before it
--   replayed   the idempotency key was used for the same request: this is its run
--   mismatch   the idempotency key was used for another request
--   busy       another run has the thread: this is it
--   not_found  there is no such thread, and none was to be made
CREATE FUNCTION orchestrator.accept_run(
    p_tenant text,
    p_owner text,
    p_thread_id uuid,
    p_thread_name text,
    p_create boolean,
    p_enqueue boolean,
    p_assistant text,
    p_default_assistant text,
    p_title text,
    p_inventory_id text,
    p_context jsonb,
    p_run_id uuid,
    p_message_id text,
    p_dialect text,
    p_input json,
    p_question_id text,
    p_question text,
    p_idempotency_key text,
    p_fingerprint bytea,
    p_request_id text,
    p_worker uuid,
    p_lease interval
) RETURNS TABLE (outcome text, run orchestrator.runs, thread orchestrator.threads)
LANGUAGE plpgsql AS $$
DECLARE
    v_run    orchestrator.runs;
    v_thread orchestrator.threads;
    v_waits  boolean;
BEGIN
    IF p_idempotency_key IS NOT NULL THEN
        UPDATE orchestrator.runs r
        SET idempotency_key = NULL
        WHERE r.tenant = p_tenant AND r.owner = p_owner AND r.idempotency_key = p_idempotency_key
          AND r.created_at < clock_timestamp() - interval '24 hours';
        SELECT * INTO v_run FROM orchestrator.runs r
        WHERE r.tenant = p_tenant AND r.owner = p_owner AND r.idempotency_key = p_idempotency_key;
        IF FOUND THEN
            SELECT * INTO v_thread FROM orchestrator.threads t WHERE t.id = v_run.thread_id;
            RETURN QUERY SELECT
                CASE WHEN v_run.fingerprint = p_fingerprint THEN 'replayed' ELSE 'mismatch' END, v_run, v_thread;
            RETURN;
        END IF;
    END IF;

    SELECT * INTO v_thread FROM orchestrator.threads t
    WHERE t.tenant = p_tenant AND t.owner = p_owner AND t.name = p_thread_name
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        IF NOT p_create THEN
            RETURN QUERY SELECT 'not_found', v_run, v_thread;
            RETURN;
        END IF;
        -- Whoever makes the thread at the same moment is waited for; then the row is theirs, and locked by us.
        INSERT INTO orchestrator.threads AS t (id, tenant, owner, name, assistant)
        VALUES (p_thread_id, p_tenant, p_owner, p_thread_name, coalesce(p_assistant, p_default_assistant))
        ON CONFLICT (tenant, owner, name) DO UPDATE SET name = t.name
        RETURNING * INTO v_thread;
    END IF;

    SELECT * INTO v_run FROM orchestrator.runs r
    WHERE r.thread_id = v_thread.id AND r.status IN ('running', 'queued')
    ORDER BY r.status = 'running' DESC, r.number
    LIMIT 1;
    v_waits := FOUND;
    IF v_waits AND NOT p_enqueue THEN
        RETURN QUERY SELECT 'busy', v_run, v_thread;
        RETURN;
    END IF;

    INSERT INTO orchestrator.runs AS r (
        id, thread_id, tenant, owner, assistant, dialect, status, input, question_id, question, message_id,
        attempt, worker, lease_until, idempotency_key, fingerprint, request_id, started_at
    ) VALUES (
        p_run_id, v_thread.id, p_tenant, p_owner, coalesce(p_assistant, v_thread.assistant), p_dialect,
        CASE WHEN v_waits THEN 'queued' ELSE 'running' END,
        p_input, p_question_id, p_question, p_message_id,
        CASE WHEN v_waits THEN 0 ELSE 1 END,
        CASE WHEN v_waits THEN NULL ELSE p_worker END,
        CASE WHEN v_waits THEN NULL ELSE clock_timestamp() + p_lease END,
        p_idempotency_key, p_fingerprint, p_request_id,
        CASE WHEN v_waits THEN NULL ELSE clock_timestamp() END
    ) RETURNING * INTO v_run;

    UPDATE orchestrator.threads t
    SET last_seq = t.last_seq + CASE WHEN v_waits THEN 0 ELSE 1 END,
        last_updated = clock_timestamp(),
        title = coalesce(t.title, p_title),
        inventory_id = coalesce(t.inventory_id, p_inventory_id),
        context = t.context || coalesce(p_context, '{}')
    WHERE t.id = v_thread.id
    RETURNING * INTO v_thread;

    IF NOT v_waits AND p_question IS NOT NULL THEN
        INSERT INTO orchestrator.messages (thread_id, seq, id, run_id, role, text, status)
        VALUES (
            v_thread.id, v_thread.last_seq,
            orchestrator.question_id(v_thread.id, p_question_id, p_run_id),
            p_run_id, 'user', p_question, 'complete'
        );
    END IF;
    RETURN QUERY SELECT CASE WHEN v_waits THEN 'queued' ELSE 'started' END, v_run, v_thread;
END
$$;

-- The id of a question: the client's, unless it has used that one in this thread already or gave none.
CREATE FUNCTION orchestrator.question_id(p_thread_id uuid, p_given text, p_run_id uuid) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN p_given IS NULL OR EXISTS (
            SELECT FROM orchestrator.messages m WHERE m.thread_id = p_thread_id AND m.id = p_given
        ) THEN 'question_' || p_run_id::text
        ELSE p_given
    END
$$;
