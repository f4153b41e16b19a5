-- The audit log. Names of persons are not in it: they are read from the accounts, so that they end with them.
CREATE TABLE bff.audit (
    audit_id   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL,
    -- NULL: a sign-in with a name that no account has.
    tenant     text,
    -- The account that acted, and the one that was acted on.
    actor      uuid,
    account    uuid,
    credential text,
    action     text        NOT NULL,
    object     text,
    status     smallint    NOT NULL,
    address    text,
    request_id text
);
CREATE INDEX audit_tenant ON bff.audit (tenant, audit_id);
CREATE INDEX audit_actor ON bff.audit (actor);
CREATE INDEX audit_account ON bff.audit (account);
CREATE INDEX audit_at ON bff.audit (at);

-- Entries are added and never changed. Two exceptions name themselves within their transaction: retention deletes entries that
-- are older than its limit, and an erasure removes the person from entries, which stay otherwise.
CREATE FUNCTION bff.audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < nullif(current_setting('bff.audit_delete_before', true), '')::timestamptz THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND nullif(current_setting('bff.audit_erased', true), '')::uuid IN (OLD.actor, OLD.account)
        AND ROW (NEW.audit_id, NEW.at, NEW.tenant, NEW.credential, NEW.action, NEW.status, NEW.request_id)
            IS NOT DISTINCT FROM ROW (OLD.audit_id, OLD.at, OLD.tenant, OLD.credential, OLD.action, OLD.status, OLD.request_id)
        AND (NEW.actor IS NULL OR NEW.actor = OLD.actor)
        AND (NEW.account IS NULL OR NEW.account = OLD.account)
        AND (NEW.object IS NULL OR NEW.object = OLD.object)
        AND (NEW.address IS NULL OR NEW.address = OLD.address)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE ON bff.audit
    FOR EACH ROW EXECUTE FUNCTION bff.audit_is_append_only();
CREATE TRIGGER audit_is_not_truncated BEFORE TRUNCATE ON bff.audit
    FOR EACH STATEMENT EXECUTE FUNCTION bff.audit_is_append_only();
