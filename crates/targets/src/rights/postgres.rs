//! PostgreSQL: attributes of roles, predefined roles, grants and ownership, of the role and of all
//! roles that it can become.

use sqlx::postgres::PgConnection;
use sqlx::{Error, Row};

use super::{Privilege, Rights};

/// `roles` is the session's role and every role that it is a member of, directly or through others,
/// with its membership (`via`) that leads there. A membership that does not inherit counts, because
/// `SET ROLE` reaches it. `found` has one row for each thing that a holder may do: PUBLIC has the
/// id
/// 0. The rights of an owner are not grants, and are listed as ownership.
const BEYOND_READING: &str = r"
WITH me AS (SELECT oid, rolname FROM pg_roles WHERE rolname = current_user),
roles AS (
    SELECT r.*, (
        SELECT p.rolname FROM pg_auth_members m JOIN pg_roles p ON p.oid = m.roleid
        WHERE m.member = me.oid AND pg_has_role(p.oid, r.oid, 'MEMBER')
        ORDER BY p.oid <> r.oid, p.rolname LIMIT 1
    ) AS via
    FROM pg_roles r CROSS JOIN me
    WHERE pg_has_role(me.oid, r.oid, 'MEMBER')
        AND (r.oid = me.oid OR NOT (SELECT s.rolsuper FROM pg_roles s WHERE s.oid = me.oid))
),
classes AS (
    SELECT c.oid, c.relkind, c.relowner, c.relacl, format('%I.%I', n.nspname, c.relname) AS name,
        CASE WHEN c.relkind = 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
),
granted AS (
    SELECT 5 AS rank, g.grantee, g.privilege_type AS privilege, c.kind || ' ' || c.name AS object, c.name AS shown, '' AS columns
    FROM classes c CROSS JOIN LATERAL aclexplode(c.relacl) g
    WHERE g.grantee <> c.relowner AND g.privilege_type <> 'SELECT'
    UNION ALL
    SELECT 5, g.grantee, g.privilege_type, 'TABLE ' || c.name, c.name, format(' (%I)', a.attname)
    FROM classes c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attacl IS NOT NULL AND NOT a.attisdropped
        CROSS JOIN LATERAL aclexplode(a.attacl) g
    WHERE g.grantee <> c.relowner AND g.privilege_type <> 'SELECT'
    UNION ALL
    SELECT 4, g.grantee, g.privilege_type, format('SCHEMA %I', n.nspname), format('schema %I', n.nspname), ''
    FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) g
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND g.grantee <> n.nspowner AND g.privilege_type = 'CREATE'
    UNION ALL
    SELECT 4, g.grantee, g.privilege_type, format('DATABASE %I', d.datname), format('database %I', d.datname), ''
    FROM pg_database d CROSS JOIN LATERAL aclexplode(d.datacl) g
    WHERE d.datname = current_database() AND g.grantee <> d.datdba AND g.privilege_type = 'CREATE'
    UNION ALL
    SELECT 6, g.grantee, g.privilege_type, 'LARGE OBJECT ' || l.oid, 'large object ' || l.oid, ''
    FROM pg_largeobject_metadata l CROSS JOIN LATERAL aclexplode(l.lomacl) g
    WHERE g.grantee <> l.lomowner AND g.privilege_type = 'UPDATE'
),
owned AS (
    SELECT c.relowner AS owner, c.name AS shown FROM classes c
    UNION ALL
    SELECT n.nspowner, format('schema %I', n.nspname) FROM pg_namespace n
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    UNION ALL
    SELECT d.datdba, format('database %I', d.datname) FROM pg_database d WHERE d.datname = current_database()
    UNION ALL
    SELECT p.proowner, format('function %I.%I', n.nspname, p.proname)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    UNION ALL
    SELECT l.lomowner, 'large object ' || l.oid FROM pg_largeobject_metadata l
),
found AS (
    SELECT a.rank, r.oid AS holder, a.name, format('ALTER ROLE %I %s', r.rolname, a.remedy) AS remedy
    FROM roles r CROSS JOIN LATERAL (VALUES
        (r.rolsuper, 1, 'SUPERUSER', 'NOSUPERUSER'),
        (r.rolbypassrls, 2, 'BYPASSRLS', 'NOBYPASSRLS'),
        (r.rolcreaterole, 2, 'CREATEROLE', 'NOCREATEROLE'),
        (r.rolreplication, 2, 'REPLICATION', 'NOREPLICATION'),
        (r.rolcreatedb, 2, 'CREATEDB', 'NOCREATEDB')
    ) AS a (has, rank, name, remedy)
    WHERE a.has
    UNION ALL
    SELECT 2, r.oid, 'membership in ' || r.rolname, NULL FROM roles r
    WHERE r.rolname IN ('pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program', 'pg_read_server_files',
        'pg_maintain', 'pg_create_subscription', 'pg_signal_backend', 'pg_checkpoint')
    UNION ALL
    SELECT 3, o.owner, 'ownership of ' || o.shown, format('REASSIGN OWNED BY %I TO CURRENT_USER', r.rolname)
    FROM owned o JOIN roles r ON r.oid = o.owner
    UNION ALL
    SELECT g.rank, g.grantee, string_agg(g.privilege || g.columns, ', ' ORDER BY g.privilege, g.columns) || ' on ' || g.shown,
        format('REVOKE %s ON %s FROM %s', string_agg(g.privilege || g.columns, ', ' ORDER BY g.privilege, g.columns), g.object,
            CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(max(r.rolname)) END)
    FROM granted g LEFT JOIN roles r ON r.oid = g.grantee
    WHERE g.grantee = 0 OR r.oid IS NOT NULL
    GROUP BY g.rank, g.grantee, g.shown, g.object
)
SELECT me.rolname::text,
    f.name || CASE WHEN f.holder IN (0, me.oid) OR r.via IS NULL THEN ''
        WHEN f.name = 'membership in ' || r.via THEN ''
        WHEN f.name LIKE 'membership in %' THEN ' through ' || r.via
        WHEN r.via = r.rolname THEN ' as a member of ' || r.via
        ELSE ' as a member of ' || r.rolname || ' through ' || r.via END,
    CASE WHEN f.holder IN (0, me.oid) OR r.via IS NULL THEN f.remedy ELSE format('REVOKE %I FROM %I', r.via, me.rolname) END
FROM me LEFT JOIN found f ON true LEFT JOIN roles r ON r.oid = f.holder
WHERE f.remedy IS NOT NULL OR r.via IS NOT NULL OR f.name IS NULL
ORDER BY f.rank, f.holder <> me.oid, f.name LIMIT 100";

/// The privileges of the role of a connection.
pub(super) async fn rights(connection: &mut PgConnection) -> Result<Rights, Error> {
    let mut rights = Rights::default();
    let rows = sqlx::query(BEYOND_READING);
    for row in rows.fetch_all(connection).await? {
        rights.role = row.try_get(0)?;
        let (name, remedy): (Option<String>, Option<String>) = (row.try_get(1)?, row.try_get(2)?);
        if let (Some(name), Some(remedy)) = (name, remedy) {
            rights.privileges.push(Privilege { name, remedy });
        }
    }
    Ok(rights)
}
