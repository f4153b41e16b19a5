//! Attacks of a user who knows the two databases better than their guard, and similar honest
//! queries.

use std::time::{Duration, Instant};

use sql_guard::{Dialect, Kind};

use crate::{accepts, open, refuses, tenant};

#[track_caller]
fn refused(dialect: Dialect, statements: &[&str]) {
    for sql in statements {
        for guard in [open(), tenant()] {
            let verdict = guard.check(sql, dialect);
            assert!(verdict.is_err(), "{sql}: {verdict:?}");
        }
    }
}

#[track_caller]
fn accepted(dialect: Dialect, statements: &[&str]) {
    for sql in statements {
        for guard in [open(), tenant()] {
            let verdict = guard.check(sql, dialect);
            assert!(verdict.is_ok(), "{sql}: {verdict:?}");
        }
    }
}

#[test]
fn attacks_on_postgresql() {
    refused(
        Dialect::PostgreSql,
        &[
            "SELECT 'pg_authid'::regclass",
            "SELECT E'pg_authid'::regclass",
            "SELECT * FROM pg_ls_dir('/') f",
            "SELECT * FROM ROWS FROM (generate_series(1, 2)) g",
            "SELECT * FROM generate_series(1, 100000000) g",
            "SELECT * FROM pg_catalog.generate_series(1, 2) g",
            "SELECT row_to_json(pg_class) FROM note",
            "SELECT make_interval(days => $1)",
            "SELECT * FROM note TABLESAMPLE SYSTEM (id)",
            "SELECT * FROM note TABLESAMPLE mine (10)",
            "SELECT (ARRAY[1])[1:2:3]",
            "SELECT regclass 'pg_authid'",
            "SELECT CAST('pg_authid' AS pg_catalog.regclass)",
            "SELECT _regclass '{1260}'",
            "SELECT 1260::oid::regclass FROM note",
            "SELECT '{1260}'::regclass[]",
            "SELECT tableoid, ctid, xmin FROM note",
            "SELECT note.tableoid FROM note",
            "SELECT note FROM note",
            "SELECT note.* IS NULL FROM note",
            "SELECT (note).text FROM note",
            "SELECT (n.*) FROM note n",
            "SELECT ROW(n.*) FROM note n",
            "SELECT title(note) FROM note",
            "SELECT $x$ ' $x$, '",
            "SELECT U&\"\\0061\" FROM note",
            "SELECT $1",
            "SELECT id INTO TEMP t FROM note",
            "SELECT * INTO UNLOGGED t FROM note",
            "COPY (SELECT 1) TO PROGRAM 'sh'",
            "DO $$ BEGIN PERFORM 1; END $$",
            "EXECUTE p",
            "DECLARE c CURSOR FOR SELECT 1",
            "FETCH ALL FROM c",
            "LISTEN x",
            "SELECT id FROM note FOR NO KEY UPDATE",
            "SELECT id FROM note FOR KEY SHARE OF note NOWAIT",
            "WITH a AS MATERIALIZED (SELECT 1 FROM note FOR UPDATE) SELECT * FROM a",
            "SELECT lo_get(1)",
            "SELECT lo_export(1, '/x')",
            "SELECT pg_ls_dir('/')",
            "SELECT pg_stat_file('/etc/passwd')",
            "SELECT pg_terminate_backend(1)",
            "SELECT pg_advisory_lock(1)",
            "SELECT pg_notify('a', 'b')",
            "SELECT pg_reload_conf()",
            "SELECT current_setting('heliograph.key')",
            "SELECT current_query()",
            "SELECT query_to_xml('SELECT 1', true, true, '')",
            "SELECT table_to_xml('note', true, true, '')",
            "SELECT database_to_xml(true, true, '')",
            "SELECT xpath('/a', xmlparse(document '<a/>'))",
            "SELECT dblink_connect('a')",
            "SELECT currval('s'), setval('s', 1)",
            "SELECT txid_current()",
            "SELECT inet_server_addr()",
            "SELECT has_table_privilege('note', 'select')",
            "SELECT obj_description(1)",
            "SELECT to_regclass('pg_authid')",
            "SELECT ts_stat('SELECT 1')",
            "SELECT version()",
            "SELECT session_user",
            "SELECT current_catalog",
            "SELECT * FROM XMLTABLE('/a' PASSING '<a/>' COLUMNS a text)",
            "SELECT * FROM json_to_recordset('[]') AS t(a mood)",
            "SELECT * FROM ONLY pg_class",
            "SELECT * FROM note@x",
            "SELECT * FROM (TABLE employee) t",
            "WITH a AS (TABLE employee) SELECT * FROM a",
            "SELECT id FROM note WHERE CURRENT OF c",
            "SELECT id FROM note ORDER BY id USING <",
            "SELECT id OPERATOR(public.=) 1 FROM note",
            "SELECT id FROM note WHERE title COLLATE pg_catalog.\"C\" = 'a'",
            "SELECT id FROM pg_catalog.note",
            "SELECT id FROM public.note",
            "SELECT id FROM note, pg_class",
            "SELECT id FROM note NATURAL JOIN pg_attribute",
            "EXPLAIN ANALYZE SELECT 1",
            "SELECT 1 WHERE EXISTS (DELETE FROM note RETURNING 1)",
            "MERGE INTO note USING crew ON true WHEN MATCHED THEN DELETE",
            "SELECT id FROM note LIMIT (SELECT count(*) FROM employee)",
            "SELECT 'a'::\"char\"::regproc",
            "SELECT id AS \"a\"\"b\" FROM note",
            "SELECT id FROM note AS OF SYSTEM TIME '1'",
        ],
    );
}

#[test]
fn honest_postgresql() {
    accepted(
        Dialect::PostgreSql,
        &[
            "SELECT n.title, count(*) AS c FROM note n GROUP BY 1 ORDER BY c DESC, n.title NULLS FIRST",
            "SELECT id, rank() OVER w FROM note WINDOW w AS (PARTITION BY title ORDER BY id DESC)",
            "SELECT id, sum(id) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM note WINDOW w AS (ORDER BY id)",
            "SELECT c.id, q.last FROM crew c LEFT JOIN LATERAL (SELECT max(n.id) AS last FROM note n WHERE n.title = c.title) q ON true",
            "SELECT id FROM note NATURAL JOIN x",
            "SELECT row_to_json(n) FROM note n",
            "SELECT $$it's$$, E'\\'' || 'a', E'a\\\\', U&'\\0061'",
            "SELECT g FROM generate_series(1, 10) g",
            "SELECT u, i FROM unnest(ARRAY[1]) WITH ORDINALITY AS t(u, i)",
            "SELECT key, value FROM json_each('{}')",
            "SELECT id FROM note TABLESAMPLE SYSTEM (1)",
            "TABLE note",
            "SELECT (ARRAY[1, 2])[1:2], make_interval(days => 3), ROW(1, 2)",
            "VALUES (1, 'a'), (2, 'b')",
            "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT sum(n) FROM t",
            "SELECT \"createdAt\"::date, extract(year FROM \"createdAt\"), \"createdAt\" AT TIME ZONE 'UTC' FROM employee",
            "SELECT id FROM note WHERE title = 'it''s $$ fine; --' /* yes */",
            "SELECT CASE title WHEN 'a' THEN 1 ELSE 2 END AS k, count(*) FROM note GROUP BY k",
            "SELECT id FROM note WHERE (id, title) = (SELECT max(id), 'a' FROM crew)",
            "SELECT coalesce(title, 'none') || '!' FROM note WHERE title LIKE 'a\\_%'",
            "SELECT array_agg(DISTINCT title ORDER BY title) FROM note",
            "SELECT id FROM note WHERE title IS DISTINCT FROM 'a' AND NOT (id = ANY ('{1,2}'::int[]))",
        ],
    );
}

#[test]
fn attacks_on_mysql() {
    refused(
        Dialect::MySql,
        &[
            "SELECT /*!99999 1, */ 2",
            "SELECT/*!SLEEP(1)*/",
            "SELECT 1 -- \n/*! , 2 */",
            "SELECT 1 # '\n/*! , 2 */ # '",
            "SELECT '\\'' /*! , ' */ , 2",
            "SELECT 1 /* /*! nested */ */",
            "SELECT @@datadir, @x := 1",
            "SELECT id FROM note INTO @a",
            "SELECT id INTO DUMPFILE '/tmp/x' FROM note",
            "SELECT id FROM note PROCEDURE ANALYSE(10)",
            "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE note",
            "LOAD XML INFILE 'x' INTO TABLE note",
            "HANDLER note READ FIRST",
            "SELECT id FROM note PARTITION (p0, p1)",
            "SELECT id FROM note LOCK IN SHARE MODE",
            "SELECT id FROM note FOR UPDATE SKIP LOCKED",
            "SELECT SLEEP (1)",
            "SELECT `benchmark`(1, 1)",
            "SELECT note.sleep(1) FROM note",
            "SELECT sys.ps_thread_id(1)",
            "SELECT AES_DECRYPT('a', 'b')",
            "SELECT LOAD_FILE(0x2f6574632f706173737764)",
            "SELECT UPDATEXML(1, 'a', 'b')",
            "SELECT RELEASE_LOCK('a'), IS_USED_LOCK('a')",
            "SELECT ROW_COUNT(), CONNECTION_ID(), FOUND_ROWS()",
            "SELECT NEXTVAL(s), LASTVAL(s)",
            "SELECT NEXT VALUE FOR s",
            "SELECT * FROM note FOR SYSTEM_TIME ALL",
            "SELECT 1 FROM information_schema.tables",
            "SELECT 1 FROM INFORMATION_SCHEMA . TABLES",
            "SELECT 1 FROM `mysql` . `user`",
            "SELECT 1 FROM .note",
            "SELECT 1 FROM performance_schema.threads t",
            "SELECT crewos.crewos.note.id FROM note",
            "SELECT sys.note.id FROM note",
            "SELECT mysql.note.* FROM note",
            "SELECT _utf8mb4 (SELECT 1)",
            "SELECT {d '2020-01-01'} FROM ghost",
            "SELECT SQL_NO_CACHE SQL_CALC_FOUND_ROWS id FROM note",
            "SELECT a FROM JSON_TABLE(LOAD_FILE('/x'), '$' COLUMNS (a INT PATH '$')) j",
            "SELECT id FROM note ORDER BY @a := id",
            "SELECT id FROM note LIMIT ?",
            "SELECT id AS `a``b` FROM note",
            "SELECT 'a' FROM note WHERE `title\\` = 1",
            "SHOW GRANTS",
            "SET PASSWORD = 'x'",
            "KILL 1",
            "FLUSH TABLES",
            "XA START 'a'",
            "INSTALL PLUGIN x SONAME 'y'",
            "BEGIN NOT ATOMIC SELECT 1; END",
            "SELECT 1 UNION SELECT id FROM note INTO OUTFILE '/tmp/x'",
            "WITH a AS (SELECT 1) UPDATE note SET id = 1",
            "SELECT * FROM (DELETE FROM note) q",
        ],
    );
}

#[test]
fn honest_mysql() {
    accepted(
        Dialect::MySql,
        &[
            "SELECT _utf8mb4'a', _latin1 'b', N'c' FROM note",
            "SELECT \"it's\", 'say \"x\"', \"a\\\"b\" FROM note",
            "SELECT id FROM note USE INDEX (a, b) WHERE title LIKE '50\\%'",
            "SELECT id FROM note FORCE INDEX FOR ORDER BY (a) ORDER BY id",
            "SELECT id, MATCH (title, text) AGAINST ('a b') AS score FROM note ORDER BY score DESC",
            "SELECT YEAR(n.createdAt) y, COUNT(*) c FROM note n GROUP BY y WITH ROLLUP",
            "SELECT title t FROM note GROUP BY t HAVING t > 'a' ORDER BY t",
            "SELECT n.id FROM note n JOIN crew c USING (id) LEFT JOIN x USING (id)",
            "SELECT GROUP_CONCAT(title SEPARATOR '; ') FROM note",
            "SELECT SUM(id) OVER w FROM note WINDOW w AS (PARTITION BY title)",
            "SELECT id FROM note WHERE createdAt >= NOW() - INTERVAL 7 DAY # last week",
            "SELECT id -- the key\nFROM note",
            "TABLE note ORDER BY id LIMIT 1",
            "SELECT SQL_NO_CACHE HIGH_PRIORITY id FROM note",
            "SELECT VERSION(), DATABASE(), SPACE(3), REPEAT('a', 3)",
            "SELECT j.a FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) j",
            "SELECT EXTRACT(YEAR_MONTH FROM createdAt), createdAt - INTERVAL '1-2' YEAR_MONTH FROM note",
            "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY id) OVER (PARTITION BY title) FROM note",
            "SELECT id FROM note WHERE title REGEXP '^[a-z]+$' AND id % 2 = 0 AND NOT id <=> NULL",
            "SELECT COUNT(DISTINCT title, text) FROM note",
            "VALUES ROW(1, 2), ROW(3, 4)",
            "SELECT CAST(id AS UNSIGNED), CONVERT(title USING utf8mb4), BINARY title FROM note",
            "SELECT c.id, q.m FROM crew c, LATERAL (SELECT MAX(n.id) AS m FROM note n WHERE n.title = c.title) q",
        ],
    );
}

#[test]
fn words_with_a_meaning_of_their_own_stay_names() {
    accepts("SELECT note.user AS `user`, title AS `current_user` FROM note");
    refuses("SELECT current_role FROM note", Kind::UnknownColumn);
    refuses("SELECT id FROM note, LATERAL ghost", Kind::Syntax);
}

/// A tenant's guard refuses the names that filters and views use, however they are spelt.
#[test]
fn forged_names() {
    for name in [
        "secure_employee",
        "SECURE_EMPLOYEE",
        "`secure_employee`",
        "`secure_employee `",
        "ſecure_employee",
        "secure_customer",
        "workOrder",
    ] {
        let sql = format!(
            "WITH {name} AS (SELECT 1 AS id, 'A' AS company_id) SELECT e.id FROM employee e, workOrderLine l"
        );
        assert!(tenant().check(&sql, Dialect::MySql).is_err(), "{sql}");
        let sql = format!(
            "SELECT id FROM note WHERE id IN (WITH RECURSIVE {name} AS (SELECT 1 AS id UNION ALL SELECT id FROM {name}) \
             SELECT l.id FROM workOrderLine l, employee e)"
        );
        assert!(tenant().check(&sql, Dialect::MySql).is_err(), "{sql}");
    }
}

/// Neither the stack nor the clock: every shape of nesting, just within and far beyond what is
/// looked at.
#[test]
fn nesting_ends_soon() {
    let shapes: &[(&str, &str, &str)] = &[
        ("SELECT ", "(", ")"),
        ("SELECT * FROM ", "(", ")"),
        ("SELECT * FROM note JOIN ", "(note JOIN ", ")"),
        ("", "(", ")"),
        ("", "(SELECT * FROM ", ") q"),
        ("", "(SELECT 1 UNION ", ")"),
        ("SELECT ", "(SELECT ", ")"),
        (
            "SELECT id FROM note WHERE ",
            "id IN (SELECT id FROM note WHERE ",
            ")",
        ),
        (
            "SELECT id FROM note WHERE ",
            "EXISTS (SELECT 1 FROM note WHERE ",
            ")",
        ),
        ("SELECT ", "NOT ", ""),
        ("SELECT ", "- ", ""),
        ("SELECT ", "CASE WHEN ", " THEN 1 END"),
        ("SELECT ", "COALESCE(", ")"),
        ("SELECT ", "CAST(", " AS CHAR)"),
        ("SELECT ", "ARRAY[", "]"),
        ("SELECT ", "(1, ", ")"),
        ("SELECT ", "INTERVAL (", ") DAY"),
        ("SELECT ", "COUNT(*) OVER (ORDER BY ", ")"),
        ("SELECT ", "1 = ANY (", ")"),
        ("SELECT ", "1 BETWEEN (", ") AND 2"),
        ("SELECT ", "EXTRACT(YEAR FROM ", ")"),
        ("SELECT ", "{", "}"),
        ("SELECT ", "[", "]"),
        ("SELECT ", "(a, b) -> ", ""),
        ("SELECT 1::", "int[", "]"),
        ("SELECT CAST(1 AS ", "ARRAY<", ">"),
        ("", "WITH a AS (", ") SELECT 1"),
        ("", "EXPLAIN ", ""),
        (
            "SELECT * FROM note n, ",
            "LATERAL (SELECT * FROM note, ",
            ") q",
        ),
    ];
    for (start, open_one, close_one) in shapes {
        for depth in [8, 20, 26, 40, 48, 60, 600] {
            for closed in [depth, depth / 2, 0] {
                let sql = format!(
                    "{start}{}1{}",
                    open_one.repeat(depth),
                    close_one.repeat(closed)
                );
                for dialect in [Dialect::MySql, Dialect::PostgreSql] {
                    let begun = Instant::now();
                    _ = open().check(&sql, dialect);
                    let took = begun.elapsed();
                    assert!(
                        took < Duration::from_secs(20),
                        "{took:?}: {depth} of {open_one}"
                    );
                }
            }
        }
        let endless = format!("{start}{}", open_one.repeat(100_000));
        let findings = open().check(&endless, Dialect::MySql).unwrap_err();
        assert_eq!(findings[0].kind, Kind::TooLarge);
    }
}
