//! Which names mean what, and what is said of those that mean nothing.

use sql_guard::{Dialect, Kind};

use crate::{accepts, mysql, open, refuses};

fn message(sql: &str) -> String {
    mysql(&open(), sql).unwrap_err()[0].message.clone()
}

#[test]
fn what_the_validator_of_the_document_misses() {
    for sql in [
        "SELECT c.isLead FROM crew c",
        "SELECT isLead FROM crew",
        "SELECT `crew`.`isLead` FROM crew",
        "SELECT crew . isLead FROM crew",
        "SELECT e.firstName FROM crew c JOIN employee ON employee.id = c.id",
    ] {
        assert!(mysql(&open(), sql).is_err(), "{sql}");
    }
    refuses("SELECT ghost.x FROM crew", Kind::UnknownTable);
    refuses("SELECT id FROM ghost", Kind::UnknownTable);
    refuses("SELECT employee.id FROM crew", Kind::UnknownTable);
    for sql in [
        "SELECT crew.ID FROM crew",
        "SELECT CREW.id FROM crew",
        "SELECT title FROM note WHERE note.text = 'crew.isLead' -- crew.foo",
        "SELECT note.isLead FROM employeeCrew AS note",
        "WITH note AS (SELECT isLead FROM employeeCrew) SELECT note.isLead FROM note",
    ] {
        accepts(sql);
    }
}

#[test]
fn wording_is_the_documents() {
    assert_eq!(
        message("SELECT crew.isLead FROM crew"),
        "Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. \
         Available columns in crew: id, workOrderId, createdBy, title."
    );
    assert!(message("SELECT titel FROM crew").contains("Did you mean 'title'?"));
    assert!(message("SELECT id FROM employe").contains("Did you mean 'employee'?"));
    assert!(message("SELECT id FROM secure_employee").contains("Did you mean 'employee'?"));
}

#[test]
fn all_findings_are_given_at_once() {
    let findings = mysql(
        &open(),
        "SELECT a, n.b, SLEEP(1) FROM note n JOIN ghost g ON g.id = n.c FOR UPDATE",
    )
    .unwrap_err();
    let kinds: Vec<Kind> = findings.iter().map(|finding| finding.kind).collect();
    assert!(
        kinds.contains(&Kind::Function)
            && kinds.contains(&Kind::Locking)
            && kinds.contains(&Kind::UnknownTable)
    );
    assert!(
        findings
            .iter()
            .any(|finding| finding.message.contains("'n.b'"))
    );
    assert!(
        findings
            .iter()
            .any(|finding| finding.message.contains("'n.c'"))
    );
}

#[test]
fn derived_tables_expose_what_they_select() {
    accepts("SELECT q.n FROM (SELECT COUNT(*) AS n FROM note) q");
    accepts("SELECT q.a, b FROM (SELECT id, title FROM note) AS q(a, b)");
    accepts("SELECT q.title FROM (SELECT * FROM note) q");
    accepts("SELECT q.isLead FROM (SELECT n.id, c.* FROM note n, employeeCrew c) q");
    refuses(
        "SELECT q.title FROM (SELECT id FROM note) q",
        Kind::UnknownColumn,
    );
    refuses(
        "SELECT q.id FROM (SELECT id FROM note) AS q(a)",
        Kind::UnknownColumn,
    );
    refuses(
        "SELECT n.id FROM (SELECT n.id FROM note n) q",
        Kind::UnknownTable,
    );
    refuses(
        "SELECT q.isLead FROM (SELECT n.* FROM note n, employeeCrew c) q",
        Kind::UnknownColumn,
    );
    refuses(
        "SELECT n.id FROM note n, (SELECT id FROM crew WHERE id = n.id) q",
        Kind::UnknownTable,
    );
    accepts("SELECT n.id FROM note n, LATERAL (SELECT id FROM crew WHERE id = n.id) q");
}

#[test]
fn correlated_queries_see_outwards() {
    accepts(
        "SELECT id FROM crew c WHERE EXISTS (SELECT 1 FROM note WHERE note.id = c.id AND workOrderId = 1)",
    );
    accepts("SELECT (SELECT MAX(n.id) FROM note n WHERE n.title = c.title) FROM crew c");
    refuses(
        "SELECT id FROM crew WHERE EXISTS (SELECT 1 FROM note n) AND n.id = 1",
        Kind::UnknownTable,
    );
    refuses(
        "SELECT id FROM crew WHERE id IN (SELECT isLead FROM note)",
        Kind::UnknownColumn,
    );
}

#[test]
fn common_table_expressions() {
    accepts("WITH a AS (SELECT id AS x FROM note), b AS (SELECT x FROM a) SELECT b.x FROM b");
    accepts(
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
    );
    accepts(
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
    );
    accepts(
        "WITH RECURSIVE up AS (SELECT * FROM employee UNION ALL SELECT e.* FROM employee e JOIN up ON up.bossId = e.id) SELECT id FROM up",
    );
    accepts("SELECT id FROM note WHERE id IN (WITH a AS (SELECT id FROM crew) SELECT id FROM a)");
    accepts("WITH employee AS (SELECT id AS x FROM employee) SELECT x FROM EMPLOYEE");
    refuses(
        "WITH employee AS (SELECT id AS x FROM employee) SELECT firstName FROM employee",
        Kind::UnknownColumn,
    );
    refuses(
        "WITH a AS (SELECT x FROM b), b AS (SELECT id AS x FROM note) SELECT x FROM a",
        Kind::UnknownTable,
    );
    refuses(
        "WITH RECURSIVE a AS (SELECT id FROM crew), crew AS (SELECT 1 AS id) SELECT id FROM a",
        Kind::Unsupported,
    );
    accepts("WITH RECURSIVE a AS (SELECT id FROM note), b AS (SELECT id FROM a) SELECT id FROM b");
    accepts("WITH a AS (SELECT id FROM crew), crew AS (SELECT 1 AS id) SELECT a.id FROM a, crew");
    refuses(
        "SELECT id FROM (WITH a AS (SELECT id FROM note) SELECT id FROM a) q, a",
        Kind::UnknownTable,
    );
    refuses(
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT m + 1 FROM t) SELECT n FROM t",
        Kind::UnknownColumn,
    );
}

#[test]
fn using_and_natural() {
    accepts("SELECT id, n.title FROM note n JOIN crew USING (id)");
    accepts("SELECT id FROM note NATURAL JOIN crew");
    refuses(
        "SELECT id FROM note JOIN crew USING (text)",
        Kind::UnknownColumn,
    );
    refuses(
        "SELECT id FROM note JOIN crew USING (workOrderId)",
        Kind::UnknownColumn,
    );
    refuses(
        "SELECT c.id FROM note n JOIN crew ON n.isLead = crew.id",
        Kind::UnknownColumn,
    );
}

#[test]
fn a_join_without_a_condition_takes_its_tables_along() {
    assert_eq!(
        accepts("SELECT n.id FROM note n JOIN crew c JOIN x ON n.id = c.id AND x.id = n.id"),
        "SELECT n.id FROM note AS n CROSS JOIN crew AS c JOIN x ON n.id = c.id AND x.id = n.id LIMIT 100"
    );
    accepts("SELECT n.id FROM note n JOIN crew c JOIN x y JOIN x ON n.id = c.id AND x.id = y.id");
    accepts("SELECT n.id FROM note n JOIN crew c JOIN x ON x.id = c.id ON n.id = c.id");
    assert_eq!(
        accepts("SELECT n.id FROM note n, crew c JOIN x ON n.id = x.id"),
        "SELECT n.id FROM note AS n CROSS JOIN crew AS c JOIN x ON n.id = x.id LIMIT 100"
    );
    assert_eq!(
        accepts("SELECT n.id FROM note n JOIN crew c ON c.id = x.id JOIN x ON n.id = x.id"),
        "SELECT n.id FROM note AS n CROSS JOIN crew AS c JOIN x ON (c.id = x.id) AND (n.id = x.id) LIMIT 100"
    );
    refuses(
        "SELECT n.id FROM note n LEFT JOIN crew c ON c.id = x.id JOIN x ON n.id = x.id",
        Kind::UnknownTable,
    );
    refuses(
        "SELECT n.id FROM note n, crew c RIGHT JOIN x ON n.id = x.id",
        Kind::UnknownTable,
    );
}

#[test]
fn names_of_the_select_list() {
    accepts("SELECT COUNT(*) AS n, title FROM note GROUP BY title HAVING n > 1 ORDER BY n");
    accepts("SELECT YEAR(createdAt) AS y FROM note GROUP BY y ORDER BY y + 1");
    refuses(
        "SELECT COUNT(*) AS n FROM note WHERE n > 1",
        Kind::UnknownColumn,
    );
    refuses("SELECT id AS a, a + 1 FROM note", Kind::UnknownColumn);
    let postgres = |sql: &str| open().check(sql, Dialect::PostgreSql);
    assert!(postgres("SELECT COUNT(*) AS n, title FROM note GROUP BY title ORDER BY n").is_ok());
    assert!(postgres("SELECT COUNT(*) AS n, title FROM note GROUP BY title HAVING n > 1").is_err());
    assert!(postgres("SELECT id AS n FROM note ORDER BY n + 1").is_err());
}

#[test]
fn ambiguous_columns_are_told() {
    refuses(
        "SELECT id FROM note JOIN crew ON note.id = crew.id",
        Kind::AmbiguousColumn,
    );
    refuses("SELECT title FROM note n, crew c", Kind::AmbiguousColumn);
    refuses(
        "SELECT n.id FROM note n JOIN crew c ON title = n.text",
        Kind::AmbiguousColumn,
    );
    refuses(
        "SELECT a.id FROM x a, x b WHERE id = 1",
        Kind::AmbiguousColumn,
    );
    refuses(
        "SELECT n.id FROM note n JOIN crew c JOIN x USING (id)",
        Kind::AmbiguousColumn,
    );
    refuses(
        "SELECT n.id FROM note n, crew c WHERE EXISTS (SELECT 1 FROM x WHERE title = 'a')",
        Kind::AmbiguousColumn,
    );
    let findings = mysql(&open(), "SELECT title FROM note n, crew").unwrap_err();
    assert_eq!(
        findings[0].message,
        "Column 'title' is ambiguous. Say whose it is: n.title, crew.title."
    );
    assert_eq!(findings[0].suggestions, ["n.title", "crew.title"]);
    for sql in [
        "SELECT id, n.title FROM note n JOIN crew USING (id) JOIN x USING (id) ORDER BY id",
        "SELECT id, title FROM note NATURAL JOIN crew",
        "SELECT id FROM note n LEFT JOIN crew c USING (id) WHERE id > 1 GROUP BY id HAVING id > 1",
        "SELECT n.title FROM note n, crew c ORDER BY title",
        "SELECT n.title, COUNT(*) FROM note n, crew c GROUP BY title HAVING title > 'a' ORDER BY title",
        "SELECT n.id AS title FROM note n, crew c ORDER BY title",
        "SELECT n.* FROM note n, crew c ORDER BY title",
        "SELECT text, workOrderId FROM note, crew",
        "SELECT id FROM x WHERE id IN (SELECT crew.id FROM crew, note WHERE text = 'a')",
        "SELECT c.id FROM crew c WHERE EXISTS (SELECT 1 FROM x WHERE id = c.id)",
    ] {
        accepts(sql);
    }
    let postgres = |sql: &str| open().check(sql, Dialect::PostgreSql);
    assert!(postgres("SELECT n.title FROM note n, crew c ORDER BY title").is_ok());
    assert!(postgres("SELECT DISTINCT ON (title) n.title FROM note n, crew c").is_ok());
    assert!(
        postgres("SELECT n.title FROM note n, crew c GROUP BY title").is_err(),
        "a name in GROUP BY is a column before it is a name of the select list"
    );
    assert!(postgres("SELECT n.title FROM note n, crew c ORDER BY title || 'a'").is_err());
    assert!(postgres("SELECT id FROM note n FULL JOIN crew c USING (id)").is_ok());
}

#[test]
fn set_operations_are_ordered_by_what_they_give() {
    accepts("SELECT id AS a FROM note UNION SELECT id FROM crew ORDER BY a");
    accepts("SELECT title FROM note UNION ALL SELECT title FROM crew ORDER BY title DESC, 1");
    refuses(
        "SELECT id AS a FROM note UNION SELECT id FROM crew ORDER BY workOrderId",
        Kind::UnknownColumn,
    );
    assert_eq!(
        accepts(
            "SELECT id FROM note ORDER BY id LIMIT 3 INTERSECT SELECT id FROM crew ORDER BY id LIMIT 3"
        ),
        "(SELECT id FROM note ORDER BY id LIMIT 3) INTERSECT (SELECT id FROM crew ORDER BY id LIMIT 3) LIMIT 100"
    );
    accepts("SELECT id FROM note INTERSECT SELECT id FROM crew EXCEPT SELECT id FROM x");
}

#[test]
fn case_rules_of_each_dialect() {
    let postgres = |sql: &str| {
        open()
            .check(sql, Dialect::PostgreSql)
            .map(|checked| checked.sql)
    };
    assert_eq!(
        postgres("SELECT ID, Title FROM Note").unwrap(),
        "SELECT ID, Title FROM note LIMIT 100"
    );
    assert_eq!(
        postgres("SELECT employeecrew.isLead FROM employeeCrew").unwrap(),
        "SELECT \"employeeCrew\".\"isLead\" FROM \"employeeCrew\" LIMIT 100"
    );
    assert!(postgres("SELECT \"ID\" FROM note").is_err());
    assert!(postgres("SELECT id FROM \"Note\"").is_err());
    assert!(postgres("SELECT \"N\".id FROM note \"N\"").is_ok());
    assert!(postgres("SELECT \"n\".id FROM note \"N\"").is_err());
    assert!(postgres("SELECT 1 FROM dual").is_err());
    assert_eq!(
        accepts("SELECT T1.ID FROM EMPLOYEECREW AS t1"),
        "SELECT t1.ID FROM employeeCrew AS t1 LIMIT 100"
    );
    assert_eq!(
        accepts("SELECT `match`.`%_Change_2007` FROM `match`"),
        "SELECT `match`.`%_Change_2007` FROM `match` LIMIT 100"
    );
}

#[test]
fn stars_are_qualified_by_what_is_there() {
    accepts("SELECT n.*, crew.* FROM note n, crew");
    refuses("SELECT note.* FROM note n", Kind::UnknownTable);
    refuses("SELECT q.* FROM note n", Kind::UnknownTable);
    assert!(
        open()
            .check("SELECT note FROM note", Dialect::PostgreSql)
            .is_err(),
        "a whole row"
    );
}

#[test]
fn aggregates_ordinals_and_widths_are_checked_before_the_server_does() {
    let guard = open();
    for dialect in [Dialect::MySql, Dialect::PostgreSql] {
        for (sql, kind, words) in [
            (
                "SELECT id FROM crew WHERE COUNT(*) > 1",
                Kind::Syntax,
                "cannot stand in WHERE",
            ),
            (
                "SELECT c.id FROM crew c JOIN note n ON n.id = MAX(c.id)",
                Kind::Syntax,
                "cannot stand in ON",
            ),
            (
                "SELECT id FROM crew GROUP BY SUM(id)",
                Kind::Syntax,
                "cannot stand in GROUP BY",
            ),
            (
                "SELECT id, title FROM crew ORDER BY 3",
                Kind::UnknownColumn,
                "ORDER BY 3",
            ),
            (
                "SELECT id FROM crew GROUP BY 2",
                Kind::UnknownColumn,
                "GROUP BY 2",
            ),
            (
                "SELECT id FROM crew UNION SELECT id, title FROM note",
                Kind::Syntax,
                "one has 1 and the other 2",
            ),
            (
                "SELECT * FROM x UNION ALL SELECT id, name FROM customer",
                Kind::Syntax,
                "one has 1 and the other 2",
            ),
        ] {
            let findings = guard.check(sql, dialect).expect_err(sql);
            let found = findings
                .iter()
                .any(|finding| finding.kind == kind && finding.message.contains(words));
            assert!(found, "{sql}: {findings:?}");
        }
        for sql in [
            "SELECT title, COUNT(*) FROM crew GROUP BY 1 HAVING COUNT(*) > 1 ORDER BY 2",
            "SELECT c.title FROM crew c GROUP BY c.title HAVING EXISTS (SELECT 1 FROM note n WHERE n.id > MAX(c.id))",
            "SELECT * FROM crew c JOIN x USING (id) UNION ALL SELECT id, workOrderId, createdBy, title FROM crew",
            "SELECT id FROM crew WHERE id > (SELECT AVG(id) FROM crew)",
        ] {
            if let Err(findings) = guard.check(sql, dialect) {
                panic!("{sql}: {findings:?}");
            }
        }
    }
}
