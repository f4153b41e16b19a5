//! GROUP BY for `MariaDB`, whose check refuses columns that the grouped ones decide.

use sql_guard::{ColumnKind, Dialect, Guard, Policy, Schema, Server};

fn printed(sql: &str) -> String {
    checked(sql).unwrap_or_else(|findings| panic!("{sql}: {findings:?}"))
}

fn checked(sql: &str) -> Result<String, Vec<sql_guard::Finding>> {
    let schema = Schema::new([
        ("customer", vec!["id", "name", "city_id"]),
        ("city", vec!["id", "name"]),
        ("visit", vec!["id", "customer_id", "city_id", "hours"]),
        ("line", vec!["visit_id", "place", "text"]),
    ])
    .unwrap()
    .with_keys(|table| match table {
        "line" => vec!["visit_id".to_owned(), "place".to_owned()],
        _ => vec!["id".to_owned()],
    })
    .with_kinds(|_, column| match column {
        "name" => Some(ColumnKind::Text),
        "id" => Some(ColumnKind::Integer),
        "text" => Some(ColumnKind::Computed),
        _ => None,
    })
    .with_texts(|_, column| column == "text");
    let policy = Policy {
        server: Some(Server::of_mysql("10.11.6-MariaDB")),
        ..Policy::new(100)
    };
    let checked = Guard::new(&schema, policy)
        .unwrap()
        .check(sql, Dialect::MySql)?;
    Ok(checked.sql)
}

#[test]
fn what_a_key_decides_is_grouped_by() {
    for (sql, end) in [
        (
            "SELECT c.id, c.name, COUNT(*) FROM customer c GROUP BY c.id",
            "GROUP BY c.id, c.name LIMIT 100",
        ),
        (
            "SELECT name, COUNT(*) AS n FROM customer GROUP BY id ORDER BY city_id, n",
            "GROUP BY id, customer.name, customer.city_id ORDER BY city_id, n LIMIT 100",
        ),
        (
            "SELECT c.id AS who, c.name FROM customer c GROUP BY who HAVING c.city_id > 1",
            "GROUP BY who, c.name, c.city_id HAVING c.city_id > 1 LIMIT 100",
        ),
        (
            "SELECT c.name, SUM(v.hours) FROM customer c JOIN visit v ON v.customer_id = c.id GROUP BY c.id",
            "GROUP BY c.id, c.name LIMIT 100",
        ),
        (
            "SELECT c.name, t.name FROM customer c LEFT JOIN city t ON t.id = c.city_id JOIN visit v ON v.customer_id = c.id GROUP BY c.id",
            "GROUP BY c.id, c.name, t.name LIMIT 100",
        ),
        (
            "SELECT c.name FROM visit v JOIN customer c ON c.id = v.customer_id GROUP BY v.customer_id",
            "GROUP BY v.customer_id, c.name LIMIT 100",
        ),
        (
            "SELECT YEAR(v.hours) AS y, COUNT(*) FROM visit v GROUP BY YEAR(hours), v.city_id",
            "GROUP BY 1, v.city_id LIMIT 100",
        ),
        (
            "SELECT l.text FROM line l GROUP BY l.visit_id, l.place",
            "GROUP BY l.visit_id, l.place, l.text LIMIT 100",
        ),
    ] {
        let out = printed(sql);
        assert!(out.ends_with(end), "{sql}: {out}");
    }
}

#[test]
fn what_no_key_decides_is_refused() {
    for sql in [
        "SELECT c.name, MAX(c.id) FROM customer c GROUP BY c.city_id",
        "SELECT l.text FROM line l GROUP BY l.visit_id",
        "SELECT v.hours FROM customer c JOIN visit v ON v.customer_id = c.id GROUP BY c.id",
        // Whether there is a city depends on the visit.
        "SELECT t.name FROM customer c JOIN visit v ON v.customer_id = c.id LEFT JOIN city t ON t.id = c.city_id AND v.hours > 3 GROUP BY c.id",
        // Customers without a visit share one group.
        "SELECT c.name FROM customer c LEFT JOIN visit v ON v.customer_id = c.id GROUP BY v.customer_id",
        "SELECT c.name, COUNT(*) FROM customer c GROUP BY c.id WITH ROLLUP",
    ] {
        let findings = checked(sql).expect_err(sql);
        assert!(
            findings[0].message.contains("neither in GROUP BY"),
            "{sql}: {findings:?}"
        );
    }
}

#[test]
fn an_arbitrary_row_gives_no_value_beside_an_aggregate() {
    for sql in [
        "SELECT MAX(hours), customer_id FROM visit",
        "SELECT *, COUNT(*) FROM customer",
        "SELECT d.name, COUNT(*) FROM (SELECT name FROM customer) d",
        "SELECT MAX(hours) + city_id FROM visit",
    ] {
        assert!(checked(sql).is_err(), "{sql}");
    }
    for sql in [
        "SELECT COUNT(*), 1 AS one FROM customer",
        "SELECT MAX(v.hours) - MIN(v.hours) FROM visit v",
        "SELECT UPPER(c.name), COUNT(*) FROM customer c GROUP BY UPPER(name)",
        "SELECT city_id + 1, COUNT(*) FROM customer GROUP BY city_id",
        "SELECT city_id + 1 AS next, COUNT(*) FROM customer GROUP BY next",
        "SELECT d.n, COUNT(*) FROM (SELECT name AS n FROM customer) d GROUP BY n",
        "SELECT c.name, (SELECT MAX(v.hours) FROM visit v WHERE v.customer_id = c.id) AS most FROM customer c",
        "SELECT id, COUNT(*) OVER () AS n FROM customer",
        "SELECT DISTINCT name FROM customer",
        "SELECT 2, COUNT(*) FROM customer GROUP BY 1",
    ] {
        let out = checked(sql);
        assert!(out.is_ok(), "{sql}: {out:?}");
    }
}

#[test]
fn an_order_by_what_may_differ_within_a_row_is_refused() {
    for sql in [
        "SELECT DISTINCT city_id FROM customer ORDER BY name",
        "SELECT DISTINCT city_id FROM customer ORDER BY name DESC LIMIT 1",
        "SELECT DISTINCT city_id AS c FROM customer ORDER BY c, name",
        "SELECT city_id, COUNT(*) FROM customer GROUP BY city_id ORDER BY name",
        "SELECT city_id, COUNT(*) AS n FROM customer GROUP BY city_id ORDER BY n, UPPER(name) LIMIT 1",
        "SELECT * FROM (SELECT DISTINCT city_id FROM customer ORDER BY name LIMIT 1) q",
    ] {
        let findings = checked(sql).unwrap_err();
        assert!(
            findings[0].message.contains("so the order would be"),
            "{sql}: {findings:?}"
        );
        assert!(
            findings[0]
                .for_person()
                .contains("the order would be that of arbitrary rows"),
            "{}",
            findings[0].for_person()
        );
    }
    for sql in [
        "SELECT DISTINCT city_id FROM customer ORDER BY city_id",
        "SELECT DISTINCT c.city_id FROM customer c ORDER BY city_id",
        "SELECT DISTINCT UPPER(name) FROM customer ORDER BY UPPER(name)",
        "SELECT DISTINCT name AS n FROM customer ORDER BY n, 1",
        "SELECT DISTINCT city_id, name FROM customer ORDER BY LOWER(name)",
        "SELECT DISTINCT * FROM customer ORDER BY name",
        "SELECT city_id, COUNT(*) FROM customer GROUP BY city_id ORDER BY MAX(name), COUNT(*), 2",
        "SELECT YEAR(v.hours), COUNT(*) FROM visit v GROUP BY YEAR(v.hours) ORDER BY YEAR(hours)",
        "SELECT c.id, COUNT(*) FROM customer c GROUP BY c.id ORDER BY c.name",
        "SELECT city_id AS town, COUNT(*) FROM customer GROUP BY town ORDER BY town",
        "SELECT name FROM customer ORDER BY city_id",
        "SELECT COUNT(DISTINCT city_id) FROM customer",
    ] {
        printed(sql);
    }
}

#[test]
fn operators_that_mean_something_else_here_are_refused() {
    for (sql, told) in [
        (
            "SELECT name || 'x' FROM customer",
            "The operator || is OR in this database",
        ),
        ("SELECT text->>'$.a' FROM line", "MariaDB has no -> and ->>"),
        ("SELECT text->'$.a' FROM line", "MariaDB has no -> and ->>"),
        (
            "SELECT hours::date FROM visit",
            "This database has no cast with two colons",
        ),
    ] {
        let findings = checked(sql).unwrap_err();
        assert!(findings[0].message.starts_with(told), "{sql}: {findings:?}");
        let person = findings[0].for_person();
        assert!(person.starts_with("The query is not valid: "), "{person}");
    }
}

#[test]
fn a_text_compared_with_the_number_zero_is_refused() {
    for sql in [
        "SELECT COUNT(*) FROM customer WHERE name = 0",
        "SELECT COUNT(*) FROM customer c WHERE 0 <> c.name",
        "SELECT COUNT(*) FROM customer WHERE name IN (1, 0)",
        "SELECT COUNT(*) FROM customer WHERE (name) = 0",
        "SELECT COUNT(*) FROM customer WHERE UPPER(name) = 0",
        "SELECT COUNT(*) FROM (SELECT name AS called FROM customer) c WHERE c.called = 0",
        "WITH c AS (SELECT * FROM customer) SELECT COUNT(*) FROM c WHERE name = 0",
        "SELECT COUNT(*) FROM line WHERE text = 0",
        "SELECT id FROM visit v WHERE EXISTS (SELECT 1 FROM customer c WHERE c.id = v.id AND c.name = 0.0)",
    ] {
        let findings = checked(sql).unwrap_err();
        assert!(findings[0].message.contains("holds texts"), "{findings:?}");
        let person = findings[0].for_person();
        assert!(person.contains("holds texts"), "{person}");
    }
    for sql in [
        "SELECT COUNT(*) FROM customer WHERE name = '0' AND id = 0",
        "SELECT COUNT(*) FROM visit WHERE hours = 0",
        "SELECT COUNT(*) FROM customer WHERE name = 5",
    ] {
        printed(sql);
    }
}

#[test]
fn time_zones_that_the_server_does_not_know_by_name_are_refused() {
    let schema = Schema::new([("visit", vec!["id", "begun"])]).unwrap();
    let checked = |knows: bool, sql: &str| {
        let server = Server::of_mysql("10.11.6-MariaDB").with_zones(knows);
        let policy = Policy {
            server: Some(server),
            ..Policy::new(100)
        };
        let guard = Guard::new(&schema, policy).unwrap();
        guard.check(sql, Dialect::MySql)
    };
    let named = "SELECT DATE(CONVERT_TZ(begun, 'UTC', 'Europe/Berlin')) FROM visit";
    let offsets = "SELECT DATE(CONVERT_TZ(begun, '+00:00', '+01:00')) FROM visit";
    assert!(checked(true, named).is_ok());
    assert!(checked(false, offsets).is_ok());
    let findings = checked(false, named).unwrap_err();
    assert!(
        findings[0].message.contains("knows no time zone by name"),
        "{findings:?}"
    );
}
