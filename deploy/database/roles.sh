#!/usr/bin/env bash
# Makes a role for each service of compose.yaml, which owns the schema of its service and reaches no other.
# The image of PostgreSQL runs this when it makes its volume. Run it again when a password in
# deploy/secrets/*-url has changed, and once where all services were the superuser before:
#
#   docker compose -f deploy/compose.yaml exec database bash /docker-entrypoint-initdb.d/roles.sh
#
# Variables: POSTGRES_USER, a superuser; POSTGRES_DB; SECRETS (default: /run/secrets).
set -euo pipefail

for service in tools orchestrator bff; do
    # postgres://ROLE:PASSWORD@…
    password=$(sed 's|^postgres://[^:]*:\([^@]*\)@.*|\1|' "${SECRETS:-/run/secrets}/$service-url")
    PASSWORD=$password psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --set=service="$service" \
        --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
\getenv password PASSWORD
SET client_min_messages = warning;
SELECT format('CREATE ROLE %I', :'service')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'service') \gexec
ALTER ROLE :"service" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE SCHEMA IF NOT EXISTS :"service";
ALTER SCHEMA :"service" OWNER TO :"service";

-- What a superuser made there before. Sequences of columns follow their tables.
SELECT format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, :'service')
FROM pg_class c
WHERE c.relnamespace = to_regnamespace(:'service')
  AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
  AND c.relowner <> to_regrole(:'service')
  AND NOT EXISTS (SELECT FROM pg_depend d
                  WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                    AND (d.deptype = 'e' OR c.relkind = 'S' AND d.deptype IN ('a', 'i'))) \gexec
SELECT format('ALTER ROUTINE %s OWNER TO %I', p.oid::regprocedure, :'service')
FROM pg_proc p
WHERE p.pronamespace = to_regnamespace(:'service') AND p.proowner <> to_regrole(:'service')
  AND NOT EXISTS (SELECT FROM pg_depend d
                  WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e') \gexec
SELECT format('ALTER TYPE %s OWNER TO %I', t.oid::regtype, :'service')
FROM pg_type t
WHERE t.typnamespace = to_regnamespace(:'service') AND t.typowner <> to_regrole(:'service')
  AND t.typtype IN ('d', 'e')
  AND NOT EXISTS (SELECT FROM pg_depend d
                  WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e') \gexec

-- pgvector, which a role without rights may not add where it is not trusted.
SELECT 'CREATE EXTENSION IF NOT EXISTS vector'
WHERE EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') \gexec
SQL
done
