//! What other gates let through, and what they refuse without need.

use sql_guard::{Dialect, Kind};

use crate::{accepts, open, refuses, tenant};

#[test]
fn variables() {
    for sql in [
        "SELECT @aesKey",
        "SELECT @@version",
        "SELECT @@global.secure_file_priv",
        "SELECT @`aesKey`",
        "SELECT @customerIds := '1,2', id FROM note",
        "SELECT id FROM note WHERE id = @x",
        "SELECT 1 LIMIT @x",
        "SELECT AES_DECRYPT(title, @aesKey) FROM note",
        "SELECT `@aesKey`",
        "SELECT id INTO @x FROM note",
        "SELECT (@aesKey)",
        "SELECT id FROM note ORDER BY @aesKey",
        "SELECT ?",
        "SELECT :name",
    ] {
        assert!(open().check(sql, Dialect::MySql).is_err(), "{sql}");
        assert!(open().check(sql, Dialect::PostgreSql).is_err(), "{sql}");
    }
    refuses("SELECT @aesKey", Kind::Variable);
    refuses("SELECT id FROM note WHERE id = @x", Kind::Variable);
    refuses("SELECT ?", Kind::Variable);
}

#[test]
fn odd_quotes_do_not_switch_rewriting_off() {
    for sql in [
        "SELECT '\"' AS q, e.* FROM inspection i, employee e",
        r"SELECT '\\' AS q, e.* FROM inspection i, employee e",
        r"SELECT '\'' AS q, e.* FROM inspection i, employee e",
        "SELECT '''' AS q, e.* FROM inspection i, employee e",
        "SELECT 1 AS q, e.* FROM inspection i -- it's\n, employee e",
        "SELECT 1 AS q, e.* FROM inspection i STRAIGHT_JOIN employee e",
        "SELECT \"'\" AS q, e.* FROM inspection i, employee e",
        "SELECT e.* FROM(employee)e",
        "SELECT e.* FROM/**/employee e",
        "SELECT e.* FROM (inspection i CROSS JOIN employee e)",
        "SELECT e.* FROM EMPLOYEE e",
        "SELECT e.* FROM `employee` e",
    ] {
        let Ok(checked) = tenant().check(sql, Dialect::MySql) else {
            continue;
        };
        assert!(
            checked
                .sql
                .contains(" FROM secure_employee WHERE secure_employee.company_id = 'A'"),
            "{sql}: {}",
            checked.sql
        );
    }
    assert!(
        tenant()
            .check(
                "SELECT '\"' AS q, e.* FROM inspection i, employee e",
                Dialect::MySql
            )
            .is_ok()
    );
    assert!(
        tenant()
            .check(
                r"SELECT '\\' AS q, e.* FROM inspection i, employee e",
                Dialect::MySql
            )
            .is_ok()
    );
    assert!(
        tenant()
            .check(
                r"SELECT '\' AS q, e.* FROM inspection i, employee e",
                Dialect::PostgreSql
            )
            .is_ok()
    );
}

#[test]
fn other_schemas_and_the_catalogue() {
    refuses("SELECT * FROM information_schema.tables", Kind::Catalogue);
    refuses(
        "SELECT * FROM `information_schema`.`columns`",
        Kind::Catalogue,
    );
    refuses("SELECT * FROM/**/mysql.user", Kind::Catalogue);
    refuses("SELECT 1 FROM note, other.x", Kind::OtherSchema);
    refuses("SELECT other.note.id FROM note", Kind::OtherSchema);
    refuses("SELECT 1 FROM a.b.c", Kind::OtherSchema);
    refuses("SELECT 1 FROM crewos.crewos.note", Kind::OtherSchema);
    refuses("SELECT a.b.c.* FROM note", Kind::OtherSchema);
    refuses("SELECT 1 FROM note, ghost", Kind::UnknownTable);
    refuses("SELECT 1 FROM(ghost CROSS JOIN x)", Kind::UnknownTable);
    assert!(
        open()
            .check("SELECT 1 FROM(ghost)", Dialect::MySql)
            .is_err()
    );
    refuses(
        "SELECT 1 FROM note i STRAIGHT_JOIN ghost",
        Kind::UnknownTable,
    );
    refuses("SELECT id FROM note PROCEDURE ANALYSE()", Kind::Syntax);
    accepts("SELECT crewos.note.id FROM crewos.note");
    accepts("SELECT x.id FROM(x CROSS JOIN note)");
    let postgres = |sql: &str| open().check(sql, Dialect::PostgreSql).unwrap_err()[0].kind;
    assert_eq!(
        postgres("SELECT * FROM pg_catalog.pg_authid"),
        Kind::Catalogue
    );
    assert_eq!(postgres("SELECT * FROM pg_authid"), Kind::Catalogue);
}

#[test]
fn into_in_any_spelling() {
    for sql in [
        "SELECT id INTO OUTFILE '/tmp/x' FROM note",
        "SELECT id INTO/**/OUTFILE '/tmp/x' FROM note",
        "SELECT id FROM note INTO OUTFILE '/tmp/x'",
        "SELECT id FROM note INTO DUMPFILE '/tmp/x'",
        "SELECT id FROM note LIMIT 1 INTO @x",
        "SELECT id INTO copy FROM note",
        "SELECT id FROM note UNION SELECT id INTO OUTFILE '/x' FROM note",
    ] {
        for dialect in [Dialect::MySql, Dialect::PostgreSql] {
            let findings = open().check(sql, dialect).expect_err(sql);
            assert!(
                matches!(findings[0].kind, Kind::Into | Kind::Variable | Kind::Syntax),
                "{sql}: {findings:?}"
            );
        }
    }
    refuses("SELECT id INTO/**/OUTFILE '/tmp/x' FROM note", Kind::Into);
}

#[test]
fn dangerous_and_unknown_functions() {
    for call in [
        "SLEEP(60)",
        "BENCHMARK(1000000, MD5('x'))",
        "LOAD_FILE('/etc/passwd')",
        "GET_LOCK('x', 10)",
        "frobnicate(1)",
        "`sleep`(1)",
        "sys.version_major()",
        "AES_DECRYPT(title, 'x')",
        "MASTER_POS_WAIT('a', 1)",
        "EXTRACTVALUE(1, '/a')",
        "UUID_SHORT()",
        "LAST_INSERT_ID(5)",
        "CONNECTION_ID()",
        "{fn SLEEP(1)}",
    ] {
        assert!(
            open()
                .check(&format!("SELECT {call} FROM note"), Dialect::MySql)
                .is_err(),
            "{call}"
        );
        assert!(
            open()
                .check(
                    &format!("SELECT id FROM note WHERE 1 = (SELECT {call})"),
                    Dialect::MySql
                )
                .is_err(),
            "{call}"
        );
        assert!(
            open()
                .check(
                    &format!("SELECT id FROM note GROUP BY id HAVING {call} > 0 ORDER BY {call}"),
                    Dialect::MySql
                )
                .is_err()
        );
    }
    for call in [
        "pg_sleep(60)",
        "pg_catalog.pg_sleep(1)",
        "pg_read_file('/etc/passwd')",
        "lo_import('/x')",
        "dblink('a', 'b')",
        "set_config('a', 'b', false)",
        "current_setting('app.key')",
        "query_to_xml('select 1', true, true, '')",
        "nextval('s')",
        "'pg_authid'::regclass",
        "pg_sleep(1) OVER ()",
        "\"pg_sleep\"(1)",
        "1 OPERATOR(pg_catalog.+) 1",
        "'note'::regclass::oid",
        "generate_series(1, 1000000000)",
        "(note).id",
    ] {
        assert!(
            open()
                .check(&format!("SELECT {call} FROM note"), Dialect::PostgreSql)
                .is_err(),
            "{call}"
        );
    }
    refuses("SELECT SLEEP(60)", Kind::Function);
    assert!(
        open()
            .check("SELECT * FROM pg_sleep(5)", Dialect::PostgreSql)
            .is_err()
    );
    assert!(
        open()
            .check(
                "SELECT * FROM dblink('a', 'b') AS t(x int)",
                Dialect::PostgreSql
            )
            .is_err()
    );
    assert!(
        open()
            .check("SELECT * FROM ROWS FROM (pg_sleep(1))", Dialect::PostgreSql)
            .is_err()
    );
}

#[test]
fn several_statements_and_writes() {
    for sql in [
        "SELECT 1; GRANT ALL ON note TO x",
        "SELECT 1; REPLACE INTO note VALUES (1)",
        "SELECT 1; SET GLOBAL x = 1",
        "SELECT 1; CALL p()",
        "SELECT 1; SELECT 2",
        "SELECT 1;; DROP TABLE note",
    ] {
        refuses(sql, Kind::SeveralStatements);
    }
    for sql in [
        "INSERT INTO note VALUES (1)",
        "UPDATE note SET id = 1",
        "DELETE FROM note",
        "DROP TABLE note",
        "TRUNCATE note",
        "SET @x = 1",
        "CALL p()",
        "EXPLAIN ANALYZE SELECT 1",
        "SHOW TABLES",
        "DESCRIBE note",
        "HANDLER note OPEN",
        "LOAD DATA INFILE 'x' INTO TABLE note",
        "DO SLEEP(1)",
        "REPLACE INTO note VALUES (1)",
        "GRANT ALL ON x TO y",
        "LOCK TABLES note READ",
        "PREPARE s FROM 'SELECT 1'",
        "COPY note TO '/tmp/x'",
        "BEGIN",
        "COMMIT",
        "USE mysql",
    ] {
        assert!(open().check(sql, Dialect::MySql).is_err(), "{sql}");
        assert!(open().check(sql, Dialect::PostgreSql).is_err(), "{sql}");
    }
    for sql in [
        "WITH d AS (DELETE FROM note RETURNING id) SELECT * FROM d",
        "WITH d AS (INSERT INTO note (id) VALUES (1) RETURNING id) SELECT * FROM d",
        "WITH d AS (UPDATE note SET id = 1 RETURNING id) SELECT * FROM d",
        "TABLE note FOR UPDATE",
        "SELECT * FROM note FOR UPDATE",
        "SELECT * FROM (SELECT * FROM note FOR SHARE) q",
    ] {
        assert!(open().check(sql, Dialect::PostgreSql).is_err(), "{sql}");
    }
    refuses("WITH d AS (SELECT 1) DELETE FROM note", Kind::NotARead);
    refuses("", Kind::Syntax);
    refuses(";", Kind::Syntax);
    accepts("SELECT id FROM note;");
}

#[test]
fn locking_and_modifiers() {
    refuses("SELECT id FROM note FOR UPDATE", Kind::Locking);
    refuses(
        "SELECT id FROM (SELECT id FROM note FOR UPDATE) q",
        Kind::Locking,
    );
    assert!(
        open()
            .check("SELECT id FROM note LOCK IN SHARE MODE", Dialect::MySql)
            .is_err()
    );
    assert!(
        open()
            .check("SELECT id FROM note FOR SHARE SKIP LOCKED", Dialect::MySql)
            .is_err()
    );
    refuses("SELECT SQL_CALC_FOUND_ROWS id FROM note", Kind::Unsupported);
    assert_eq!(
        accepts("SELECT HIGH_PRIORITY id FROM note"),
        "SELECT id FROM note LIMIT 100"
    );
    refuses("SELECT id FROM note PARTITION (p0)", Kind::Unsupported);
}

#[test]
fn comments_that_are_executed() {
    refuses("SELECT /*!50000 SLEEP(1) */", Kind::ExecutableComment);
    refuses(
        "SELECT 1 /*! UNION SELECT * FROM mysql.user */",
        Kind::ExecutableComment,
    );
    refuses("SELECT 1 /*M!100000 , SLEEP(1) */", Kind::ExecutableComment);
    refuses(
        "SELECT /*+ SET_VAR(max_execution_time=0) */ 1",
        Kind::ExecutableComment,
    );
    assert_eq!(
        accepts("-- list them\nSELECT id /* all */ FROM note # done"),
        "SELECT id FROM note LIMIT 100"
    );
    assert_eq!(
        accepts("SELECT '/*! no comment */' FROM note"),
        "SELECT '/*! no comment */' FROM note LIMIT 100"
    );
}

#[test]
fn what_is_harmless_is_accepted() {
    for sql in [
        "WITH n AS (SELECT id FROM note) SELECT id FROM n",
        "SELECT id FROM note WHERE title = 'Update required'",
        "SELECT id FROM note WHERE title LIKE '%drop off%'",
        "SELECT EXTRACT(YEAR FROM createdAt) FROM employee",
        "SELECT TRIM(BOTH ' ' FROM text) FROM note",
        "(SELECT id FROM note) UNION (SELECT id FROM crew)",
        "/* leading */ SELECT id FROM note",
        "SELECT 'select @x; drop table note -- /*' AS s FROM note",
        "SELECT COUNT(*), COUNT(DISTINCT title) FROM note",
        "SELECT id, ROW_NUMBER() OVER (PARTITION BY title ORDER BY id) FROM note",
        "SELECT TIMESTAMPDIFF(MONTH, createdAt, NOW()), DATE_SUB(NOW(), INTERVAL 1 DAY) FROM employee",
        "SELECT CASE WHEN id > 1 THEN 'a' ELSE NULL END FROM note",
        "SELECT GROUP_CONCAT(DISTINCT title ORDER BY title SEPARATOR ', ') FROM note",
        "SELECT CAST(id AS CHAR), CONVERT(id, CHAR), IF(id > 1, 1, 0), IFNULL(title, '') FROM note",
        "SELECT id FROM note WHERE MATCH (title) AGAINST ('x' IN BOOLEAN MODE)",
        "SELECT DATE('2020-01-01'), DATE '2020-01-01', CURRENT_DATE, CURDATE()",
        "SELECT note.user, UUID() FROM note",
        "SELECT id FROM note WHERE (id, title) IN (SELECT id, title FROM crew)",
        "SELECT id FROM note WHERE title REGEXP '^a' AND id BETWEEN 1 AND 2 AND title IS NOT NULL",
        "SELECT STRAIGHT_JOIN n.id FROM note n USE INDEX (PRIMARY) JOIN crew c ON c.id = n.id",
        "SELECT JSON_EXTRACT(text, '$.a'), text->'$.a', text->>'$.b' FROM note",
        "SELECT 1 FROM dual",
        "SELECT id AS 'my id', title AS \"my title\" FROM note ORDER BY RAND()",
        "SELECT -id, NOT id, id % 2, id DIV 2, id << 1, 0x1F FROM note",
        "SELECT title, COUNT(*) FROM note GROUP BY title WITH ROLLUP",
    ] {
        accepts(sql);
    }
    for sql in [
        "SELECT date_trunc('month', \"createdAt\") AS m, count(*) FILTER (WHERE id > 1) FROM employee GROUP BY m ORDER BY m DESC NULLS LAST",
        "SELECT id::int[], id::double precision, title::timestamp with time zone, title::varchar(10) FROM note",
        "SELECT id::text, CAST(id AS numeric(10, 2)), title ILIKE '%x%', title ~ '^a' FROM note",
        "SELECT DISTINCT ON (title) title, id FROM note ORDER BY title, id",
        "SELECT now() - INTERVAL '1 day', CURRENT_TIMESTAMP, to_char(now(), 'YYYY')",
        "SELECT id FROM note WHERE id = ANY(ARRAY[1, 2])",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM note",
        "SELECT id FROM note FETCH FIRST 5 ROWS ONLY",
        "SELECT title FROM note GROUP BY GROUPING SETS ((title), ())",
        "SELECT string_agg(title, ', ' ORDER BY title) FROM note",
        "SELECT n.id FROM note n, LATERAL (SELECT c.id FROM crew c WHERE c.id = n.id) q",
        "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(id, name)",
        "SELECT extract(epoch FROM \"createdAt\") FROM note",
    ] {
        open()
            .check(sql, Dialect::PostgreSql)
            .unwrap_or_else(|findings| panic!("{sql}: {findings:?}"));
    }
}

#[test]
fn depth_and_length_end_in_a_finding() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("SELECT {}1{}", open.repeat(n), close.repeat(n))
    };
    let long = [
        deep("(", ")", 2000),
        deep("NOT ", "", 2000),
        deep("(SELECT ", ")", 500),
        format!("SELECT 1{}", " + 1".repeat(1900)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(1300)),
        format!("SELECT 1{}", " IS NULL".repeat(1900)),
        format!("SELECT 1{}", "::int".repeat(1300)),
        format!("SELECT * FROM note{}", " JOIN note".repeat(1900)),
        format!("SELECT {}1", "CASE WHEN ".repeat(1000)),
        format!("SELECT * FROM {}note", "(".repeat(1900)),
        format!("SELECT 1::int{}", "[]".repeat(1900)),
        format!("SELECT CAST(1 AS {}", "ARRAY<".repeat(1900)),
        format!("SELECT {}1", "- ".repeat(1900)),
        format!("SELECT {}1", "INTERVAL ".repeat(1900)),
        format!("SELECT a{}", "[1".repeat(1900)),
        format!("SELECT a{}", ".b".repeat(1900)),
        format!("SELECT {}", "COUNT(".repeat(1900)),
        format!("SELECT {}1", "(1, ".repeat(1000)),
        format!(
            "SELECT 1 {}",
            "INTERSECT SELECT 1 UNION SELECT 1 ".repeat(500)
        ),
        format!("{}SELECT 1", "WITH a AS (".repeat(600)),
        format!("{}SELECT 1", "EXPLAIN ".repeat(1900)),
        format!("SELECT '{}'", "x".repeat(100_000)),
    ];
    for sql in &long {
        for dialect in [Dialect::MySql, Dialect::PostgreSql] {
            _ = open().check(sql, dialect);
        }
    }
    accepts(&format!(
        "SELECT id FROM note WHERE id IN ({})",
        vec!["1"; 1500].join(", ")
    ));
    accepts(&format!(
        "SELECT id FROM note WHERE {}",
        vec!["id = 1"; 300].join(" OR ")
    ));
}
