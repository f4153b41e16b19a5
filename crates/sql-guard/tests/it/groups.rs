//! GROUP BY for `MariaDB`, whose check refuses columns that the grouped ones decide.

use sql_guard::{Dialect, Guard, Policy, Schema, Server};

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
    });
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
