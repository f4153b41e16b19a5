-- The role that Heliograph connects to a PostgreSQL target with: it reads named tables and views, and nothing else.
--
-- Run in the target database, as its owner or a superuser, after changing what is marked:
--   psql --dbname=fieldservice --file=deploy/sql/postgresql-reader.sql
--
-- What the role does not have, and why: CREATE and TEMPORARY (tables of its own, which could precede others in the
-- search path), pg_read_all_data, pg_read_server_files and pg_monitor (everything, files, other sessions' statements).

-- CHANGE: the password. At most as many connections as two replicas of the tools service have in their pools.
CREATE ROLE heliograph_reader LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT
    CONNECTION LIMIT 30 PASSWORD 'change-me';

-- In addition to Heliograph's own limits: a client that forgets them also reads only, and not forever.
ALTER ROLE heliograph_reader SET default_transaction_read_only = on;
ALTER ROLE heliograph_reader SET statement_timeout = '30s';
ALTER ROLE heliograph_reader SET idle_in_transaction_session_timeout = '60s';
-- How much a query may write to temporary files. Only a superuser may say so; without, Heliograph's log warns of it.
DO $$
BEGIN
    ALTER ROLE heliograph_reader SET temp_file_limit = '1GB';
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'temp_file_limit is not set: have a superuser do it';
END
$$;
-- CHANGE: the schema, here and below, when it is not public.
ALTER ROLE heliograph_reader SET search_path = public;

-- Every role may make temporary tables, and before PostgreSQL 15 tables in public, until that is revoked.
DO $$
BEGIN
    EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO heliograph_reader', current_database());
END
$$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO heliograph_reader;

-- CHANGE: the secure views. A view reads with its owner's rights (security_invoker off, the default), so that the role
-- needs none on the base table. `security_barrier` keeps conditions of a query from seeing rows that the view leaves out.
GRANT SELECT ON public.secure_employee TO heliograph_reader;

-- CHANGE: the tables that hold nothing encrypted, each by name. Never ALL TABLES IN SCHEMA: that includes the base tables.
GRANT SELECT ON public.crew, public.employee_crew, public.question TO heliograph_reader;

-- A secure view reads its key from the session, where Heliograph puts it (`session_variables = { "app.key" = "…" }`):
--   CREATE VIEW secure_employee WITH (security_barrier) AS
--     SELECT id, company_id, pgp_sym_decrypt(name, current_setting('app.key')) AS name FROM employee;
