use super::*;
use crate::{Guard, Policy, Schema};

fn check(sql: &str, dialect: Dialect) -> Result<String, Vec<Finding>> {
    let schema = Schema::new([
        ("employee", vec!["id", "name", "manager_id"]),
        ("note", vec!["id", "text"]),
    ])
    .unwrap();
    let guard = Guard::new(&schema, Policy::new(100)).unwrap();
    guard.check(sql, dialect).map(|checked| checked.sql)
}

fn refused(sql: &str) {
    for dialect in [Dialect::MySql, Dialect::PostgreSql] {
        match check(sql, dialect) {
            Err(findings) => assert!(
                findings
                    .iter()
                    .all(|finding| finding.kind == Kind::Unbounded),
                "{findings:?} {sql}"
            ),
            Ok(sql) => panic!("{dialect:?}: {sql}"),
        }
    }
}

fn passes(sql: &str) {
    for dialect in [Dialect::MySql, Dialect::PostgreSql] {
        if let Err(findings) = check(sql, dialect) {
            panic!("{dialect:?}: {findings:?} {sql}");
        }
    }
}

/// Ten rows of a literal each.
fn digits() -> String {
    let rows: Vec<String> = (0..10).map(|n| format!("SELECT {n} AS n")).collect();
    format!("({})", rows.join(" UNION ALL "))
}

#[test]
fn crossed_lists_of_literals_are_counted() {
    let crossed = |count: usize| {
        let from: Vec<String> = (0..count)
            .map(|n| format!("{} AS d{n}", digits()))
            .collect();
        format!("SELECT COUNT(*) AS c FROM {}", from.join(" CROSS JOIN "))
    };
    passes(&crossed(4));
    refused(&crossed(7));
    // By way of common table expressions, in subqueries, and in several steps.
    let d = digits();
    refused(&format!(
        "WITH d AS {d}, dd AS (SELECT a.n FROM d a, d b, d c) SELECT COUNT(*) AS c FROM dd a, dd b"
    ));
    refused(&format!(
        "WITH d AS {d}, dd AS (SELECT a.n FROM d a, d b, d c, d e) SELECT a.n, (SELECT COUNT(*) FROM dd b WHERE b.n < a.n) AS c FROM dd a"
    ));
    passes(&format!(
        "SELECT e.name, d.n FROM employee e CROSS JOIN {d} AS d WHERE e.id < 10"
    ));
    // A calendar of ten thousand days.
    passes(&format!(
        "SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n AS day FROM {d} a CROSS JOIN {d} b CROSS JOIN {d} c CROSS JOIN {d} d ORDER BY day"
    ));
}

#[test]
fn series_of_honest_length_pass_and_others_do_not() {
    for sql in [
        "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 31) SELECT n FROM s",
        "WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT s.n + 1 FROM s WHERE s.n + 1 <= 1439) SELECT COUNT(*) AS c FROM s",
        "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 31), b AS (SELECT 0 AS h UNION ALL SELECT h + 1 FROM b WHERE h < 23) \
         SELECT a.n, b.h FROM a CROSS JOIN b",
        "WITH RECURSIVE t AS (SELECT id, name, 1 AS level FROM employee WHERE manager_id IS NULL UNION ALL \
         SELECT e.id, e.name, t.level + 1 FROM employee e JOIN t ON e.manager_id = t.id) SELECT name, level FROM t ORDER BY level",
        "WITH RECURSIVE t AS (SELECT id, CAST(name AS CHAR(500)) AS path FROM employee WHERE manager_id IS NULL UNION ALL \
         SELECT e.id, concat(t.path, ' > ', e.name) FROM employee e JOIN t ON e.manager_id = t.id) \
         SELECT a.path, b.path AS other FROM t a JOIN t b ON b.id = a.id",
    ] {
        passes(sql);
    }
    let mysql = "WITH RECURSIVE d AS (SELECT DATE('2026-01-01') AS day UNION ALL SELECT DATE_ADD(day, INTERVAL 1 DAY) FROM d WHERE day < '2026-01-31') SELECT day FROM d";
    assert!(check(mysql, Dialect::MySql).is_ok());
    let recent = "WITH RECURSIVE d AS (SELECT CURDATE() - INTERVAL 30 DAY AS day UNION ALL SELECT day + INTERVAL 1 DAY FROM d WHERE day < CURDATE()), \
        h AS (SELECT 0 AS h UNION ALL SELECT h + 1 FROM h WHERE h < 23), m AS (SELECT 0 AS m UNION ALL SELECT m + 15 FROM m WHERE m < 45) SELECT d.day, h.h, m.m FROM d, h, m";
    assert!(check(recent, Dialect::MySql).is_ok());
    let postgresql = "WITH RECURSIVE d AS (SELECT DATE '2026-01-01' AS day UNION ALL SELECT (day + INTERVAL '1 day')::date FROM d WHERE day < DATE '2026-12-31') SELECT day FROM d";
    assert!(check(postgresql, Dialect::PostgreSql).is_ok());
    for sql in [
        "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 10000000) SELECT COUNT(*) AS c FROM s",
        "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 5000) SELECT COUNT(*) AS c FROM s a, s b",
        // More with every step.
        "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT s.n + 1 FROM s, (SELECT 1 AS x UNION ALL SELECT 2) AS two WHERE s.n < 60) SELECT COUNT(*) AS c FROM s",
        "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT s.n + two.x FROM s, (SELECT 1 AS x UNION ALL SELECT 2) AS two) SELECT COUNT(*) AS c FROM s",
    ] {
        refused(sql);
    }
}

#[test]
fn long_texts_are_refused_where_no_column_is_so_long() {
    for sql in [
        "WITH RECURSIVE t(n, s) AS (SELECT 1, LPAD('a', 4000000, 'b') UNION ALL SELECT n + 1, s FROM t WHERE n < 900) SELECT COUNT(*) AS c, MAX(LENGTH(s)) AS l FROM t",
        "SELECT LPAD('a', 1000000, 'b') AS s FROM note",
        "SELECT RPAD(text, 1000001, 'b') AS s FROM note",
        "SELECT LPAD('a', (SELECT MAX(id) FROM note), 'b') AS s FROM note",
        "SELECT REPLACE(REPLACE(REPLACE(REPLACE('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'a', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'), 'b', 'cccccccccccccccccccccccccccccc'), 'c', 'dddddddddddddddddddddddddddddd'), 'd', 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeee') AS s",
        "WITH a AS (SELECT LPAD('a', 1000, 'b') AS s), b AS (SELECT concat(s, s, s, s, s, s, s, s, s, s) AS s FROM a), c AS (SELECT concat(s, s, s, s, s, s, s, s, s, s) AS s FROM b), \
         d AS (SELECT concat(s, s, s, s, s, s, s, s, s, s, s) AS s FROM c) SELECT concat(s, s) AS t FROM d",
    ] {
        refused(sql);
    }
    for sql in [
        "SELECT string_agg(concat(lpad('a', 1000, 'b'), lpad('a', 1000, 'b'), lpad('a', 1000, 'b'), lpad('a', 1000, 'b'), lpad('a', 1000, 'b')), ',') AS s FROM note",
        "SELECT format('%1000000s', 'a') AS s FROM note",
        "SELECT format('%*s', 100000000, 'a') AS s FROM note",
        "SELECT CAST('a' AS char(10000000)) AS s",
        "SELECT string_agg(text, ',') OVER (ORDER BY id) AS s FROM note",
        "SELECT COUNT(*) AS c FROM (SELECT unnest(string_to_array(lpad('a', 1000, 'a,'), ',')) AS x) a, (SELECT unnest(string_to_array(lpad('a', 1000, 'a,'), ',')) AS x) b",
    ] {
        let findings = check(sql, Dialect::PostgreSql).expect_err(sql);
        assert_eq!(findings[0].kind, Kind::Unbounded, "{sql}");
    }
    for sql in [
        "SELECT LPAD(CAST(id AS CHAR(5)), 2, '0') AS month FROM note",
        "SELECT REPLACE(REPLACE(REPLACE(REPLACE(text, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ß', 'ss') AS t FROM note",
        "SELECT concat(name, ' (', id, ')') AS label FROM employee ORDER BY label",
    ] {
        passes(sql);
    }
    assert!(
        check(
            "SELECT format('%s: %5s', name, id) AS s FROM employee",
            Dialect::PostgreSql
        )
        .is_ok()
    );
    assert!(
        check(
            "SELECT string_agg(name, ', ' ORDER BY name) AS s FROM employee",
            Dialect::PostgreSql
        )
        .is_ok()
    );
    assert!(
        check(
            "SELECT GROUP_CONCAT(name ORDER BY name SEPARATOR ', ') AS s FROM employee",
            Dialect::MySql
        )
        .is_ok()
    );
}

#[test]
fn a_computed_number_of_characters_is_held_within_the_limit() {
    let sql = "SELECT LPAD('', 2 * id, ' ') AS indent FROM employee";
    assert_eq!(
        check(sql, Dialect::MySql).unwrap(),
        "SELECT LPAD('', CASE WHEN (2 * id) > 1000 THEN CAST((2 * id) AS SIGNED) + 9223372036854775000 ELSE (2 * id) END, ' ') AS indent FROM employee LIMIT 100"
    );
    // The column keeps the name that it has as it was written.
    let unnamed = check("SELECT LPAD('', 2 * id, ' ') FROM employee", Dialect::MySql).unwrap();
    assert!(
        unnamed.ends_with("AS `LPAD('', 2 * id, ' ')` FROM employee LIMIT 100"),
        "{unnamed}"
    );
    let postgresql = check(sql, Dialect::PostgreSql).unwrap();
    assert!(
        postgresql
            .contains("CASE WHEN (2 * id) > 1000 THEN CAST(concat('heliograph: a text of more"),
        "{postgresql}"
    );
    passes("SELECT REPEAT('*', 40) AS bar FROM employee");
    passes("SELECT REPEAT('*', id) AS bar FROM employee");
    passes("SELECT REPEAT(name, 3) AS bar FROM employee");
    refused("SELECT REPEAT('*', 100000) AS bar FROM employee");
    refused("SELECT REPEAT(name, 1000) AS bar FROM employee");
    refused("SELECT REPEAT(name, id) AS bar FROM employee");
    refused("SELECT REPEAT(REPEAT(REPEAT('abcdefghij', 1000), 1000), 1000) AS bar FROM employee");
}

#[test]
fn in_postgresql_a_recursion_ends_when_it_has_too_many_rows_or_one_that_is_too_long() {
    let sql = "WITH RECURSIVE t AS (SELECT id, name FROM employee WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name FROM employee e JOIN t ON e.manager_id = t.id WHERE e.id > 0) SELECT name FROM t";
    let checked = check(sql, Dialect::PostgreSql).unwrap();
    assert!(
        checked.contains("WHERE (e.id > 0) AND (octet_length(concat(t.*)) <= 10000 OR CAST("),
        "{checked}"
    );
    assert!(
        checked.contains("FROM ((SELECT * FROM t LIMIT 100000) UNION ALL SELECT late.* FROM (SELECT * FROM t LIMIT 1 OFFSET 100000) AS late WHERE"),
        "{checked}"
    );
    let mysql = check(sql, Dialect::MySql).unwrap();
    assert!(!mysql.contains("late"), "{mysql}");
}

fn postgresql(sql: &str) -> String {
    check(sql, Dialect::PostgreSql).unwrap_or_else(|findings| panic!("{findings:?} {sql}"))
}

#[test]
fn series_are_counted_or_limited_while_they_run() {
    for sql in [
        "SELECT n FROM generate_series(1, 31) AS n",
        "SELECT n * 2 AS n FROM generate_series(1, 100000) AS s(n)",
        "SELECT d::date FROM generate_series('2024-01-01'::date, '2024-12-31'::date, '1 day') AS d",
        "SELECT d FROM generate_series(CURRENT_DATE - INTERVAL '30 days', CURRENT_DATE, INTERVAL '1 day') d",
        "SELECT generate_series(1, 12) AS month",
        "SELECT generate_series(date_trunc('month', CURRENT_DATE) - INTERVAL '5 months', date_trunc('month', CURRENT_DATE), '1 month'::interval)::date AS month",
        "SELECT n, i FROM generate_series(10, 1, -1) WITH ORDINALITY AS s(n, i)",
        "SELECT e.name, n FROM employee e CROSS JOIN generate_series(1, 24) AS n",
    ] {
        let out = postgresql(sql);
        assert!(!out.contains("late"), "{out}");
    }
    for sql in [
        "SELECT n FROM generate_series(1, 100000000) AS n",
        "SELECT COUNT(*) FROM generate_series(1, 5000) a, generate_series(1, 5000) b",
        "SELECT d FROM generate_series('1000-01-01'::date, '9999-12-31'::date, '1 minute') d",
        "SELECT generate_series(1, 100000000)",
        "SELECT generate_series(1, id) FROM employee",
        "SELECT n FROM generate_series(1, (SELECT MAX(id) FROM note)) WITH ORDINALITY AS s(n, i)",
        "SELECT COUNT(*) FROM employee e, LATERAL (SELECT generate_series(1, 100000) AS n) s, generate_series(1, 100) t",
        "SELECT COUNT(*) FROM unnest(string_to_array(lpad('a', 1000, 'a,'), ',')) a, unnest(string_to_array(lpad('a', 1000, 'a,'), ',')) b",
    ] {
        let findings = check(sql, Dialect::PostgreSql).expect_err(sql);
        assert_eq!(findings[0].kind, Kind::Unbounded, "{sql}: {findings:?}");
    }
    let out = postgresql("SELECT n FROM generate_series(1, (SELECT MAX(id) FROM note)) AS n");
    assert_eq!(
        out,
        "SELECT n FROM LATERAL ((SELECT generate_series(1, (SELECT MAX(id) FROM note)) AS v LIMIT 100000) UNION ALL SELECT late.v FROM \
         (SELECT generate_series(1, (SELECT MAX(id) FROM note)) AS v LIMIT 1 OFFSET 100000) AS late \
         WHERE CAST(concat('heliograph: a recursion of too many rows', random()) AS INTEGER) = 0) AS n (n) LIMIT 100"
    );
    let lateral = postgresql("SELECT e.id, s.n FROM employee e, generate_series(1, e.id) AS s(n)");
    assert!(
        lateral.contains("LATERAL ((SELECT generate_series(1, e.id) AS v"),
        "{lateral}"
    );
}
