//! Tables of several schemas, PostgreSQL's.

use sql_guard::{Checked, ColumnRule, Dialect, Finding, Guard, Kind, Policy, Schema, Tenant};

fn guard() -> Guard {
    let schema = Schema::new([
        ("customer", vec!["id", "name", "company_id"]),
        ("hr.employee", vec!["id", "name", "wage", "company_id"]),
        ("hr.customer", vec!["id", "label"]),
        ("hr.shift", vec!["id", "employee_id"]),
        ("ops.shift", vec!["id", "machine"]),
        ("ops.Log Book", vec!["id", "line"]),
    ])
    .unwrap();
    let mut policy = Policy {
        schema: Some("sales".to_owned()),
        schemas: vec!["hr".to_owned(), "ops".to_owned()],
        ..Policy::new(100)
    };
    for table in ["customer", "hr.employee"] {
        policy
            .row_filters
            .insert(table.to_owned(), "company_id".into());
    }
    let hidden = [("wage".to_owned(), ColumnRule::Hidden)].into();
    policy.columns.insert("hr.employee".to_owned(), hidden);
    policy
        .secure_views
        .insert("hr.employee".to_owned(), "ops.secure_employee".to_owned());
    Guard::new(&schema, policy.for_tenant(Tenant::integer(1))).unwrap()
}

fn check(sql: &str) -> Result<Checked, Vec<Finding>> {
    guard().check(sql, Dialect::PostgreSql)
}

#[track_caller]
fn printed(sql: &str) -> String {
    check(sql)
        .unwrap_or_else(|findings| panic!("{sql}: {findings:?}"))
        .sql
}

#[test]
fn tables_of_other_schemas_are_read_by_their_qualified_names() {
    assert_eq!(
        printed("SELECT s.machine FROM ops.shift s"),
        "SELECT s.machine FROM ops.shift AS s LIMIT 100"
    );
    assert_eq!(
        printed("SELECT ops.shift.machine FROM ops.shift"),
        "SELECT shift.machine FROM ops.shift LIMIT 100"
    );
    assert_eq!(
        printed("SELECT b.line FROM ops.\"Log Book\" b"),
        "SELECT b.line FROM ops.\"Log Book\" AS b LIMIT 100"
    );
    let own =
        "SELECT c.name FROM (SELECT * FROM customer WHERE customer.company_id = 1) AS c LIMIT 100";
    assert_eq!(printed("SELECT c.name FROM sales.customer c"), own);
    assert_eq!(printed("SELECT c.name FROM customer c"), own);
    let tables = check("SELECT c.name, l.label FROM customer c JOIN hr.customer l ON l.id = c.id")
        .unwrap()
        .tables;
    assert_eq!(tables, ["customer", "hr.customer"]);
}

#[test]
fn rules_hold_in_every_schema() {
    let expected = "(SELECT \"id\", \"name\", company_id FROM ops.secure_employee WHERE ops.secure_employee.company_id = 1)";
    for sql in [
        "SELECT e.name FROM hr.employee e",
        "SELECT e.name FROM employee e",
        "SELECT hr.employee.name FROM hr.employee",
        "SELECT * FROM hr.employee",
        "SELECT * FROM ops.secure_employee",
    ] {
        let out = printed(sql);
        assert!(out.contains(expected), "{sql}: {out}");
    }
    for sql in [
        "SELECT e.wage FROM hr.employee e",
        "SELECT hr.employee.wage FROM hr.employee",
    ] {
        assert_eq!(
            check(sql).unwrap_err()[0].kind,
            Kind::UnknownColumn,
            "{sql}"
        );
    }
    // What can fail is evaluated behind the fence.
    let fenced = printed("SELECT e.id FROM hr.employee e WHERE 1 / e.id > 0 AND e.name LIKE 'a%'");
    assert!(fenced.contains("UNION ALL SELECT NULL"), "{fenced}");
}

#[test]
fn a_name_without_a_schema_is_the_first_schemas_then_the_only_others() {
    assert!(printed("SELECT machine FROM \"Log Book\" b, ops.shift").contains("ops.\"Log Book\""));
    let several = check("SELECT id FROM shift").unwrap_err();
    assert_eq!(several[0].kind, Kind::UnknownTable);
    assert_eq!(several[0].suggestions, ["hr.shift", "ops.shift"]);
    let wrong = check("SELECT id FROM ops.employee").unwrap_err();
    assert_eq!(wrong[0].suggestions, ["hr.employee"]);
}

#[test]
fn schemas_that_are_not_shown_and_confused_names_are_refused() {
    for (sql, kind) in [
        ("SELECT id FROM secret.customer", Kind::OtherSchema),
        ("SELECT id FROM pg_catalog.pg_class", Kind::Catalogue),
        ("SELECT id FROM information_schema.tables", Kind::Catalogue),
        ("SELECT sales.shift.id FROM ops.shift", Kind::UnknownTable),
        ("SELECT 1 FROM hr.shift, ops.shift", Kind::AmbiguousColumn),
        (
            "SELECT 1 FROM customer JOIN hr.customer ON true",
            Kind::AmbiguousColumn,
        ),
    ] {
        let findings = check(sql).expect_err(sql);
        assert!(
            findings.iter().any(|finding| finding.kind == kind),
            "{sql}: {findings:?}"
        );
    }
    // A common table expression cannot are in for a table of another schema.
    let shadowed =
        printed("WITH employee AS (SELECT 1 AS id) SELECT e.id FROM hr.employee e, employee x");
    assert!(shadowed.contains("FROM ops.secure_employee"), "{shadowed}");
}
