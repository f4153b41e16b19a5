//! Secure views, row filters and limits.

use sql_guard::{Dialect, Guard, Kind, Policy, PolicyError, RowFilter, Tenant};

use crate::{accepts, mysql, schema, tenant};

#[track_caller]
fn rewritten(sql: &str) -> String {
    mysql(&tenant(), sql)
        .unwrap_or_else(|findings| panic!("{sql}: {findings:?}"))
        .sql
}

const EMPLOYEES: &str = "(SELECT * FROM secure_employee WHERE secure_employee.company_id = 'A')";
/// As it is in every query of the tenant's employees.
const OF_TENANT: &str = "FROM secure_employee WHERE secure_employee.company_id = 'A'";
const ORDERS: &str = "(SELECT * FROM workOrder WHERE workOrder.company_id = 'A')";

#[test]
fn views_keep_qualifiers_valid() {
    assert_eq!(
        rewritten("SELECT customer.name FROM customer"),
        "SELECT customer.name FROM secure_customer AS customer LIMIT 100"
    );
    assert_eq!(
        rewritten("SELECT c.name FROM customer c"),
        "SELECT c.name FROM secure_customer AS c LIMIT 100"
    );
    assert_eq!(
        rewritten("SELECT Customer.name FROM CUSTOMER"),
        "SELECT CUSTOMER.name FROM secure_customer AS CUSTOMER LIMIT 100"
    );
    assert_eq!(
        rewritten("SELECT secure_customer.name FROM secure_customer"),
        "SELECT secure_customer.name FROM secure_customer AS secure_customer LIMIT 100"
    );
}

#[test]
fn only_table_references_are_rewritten() {
    assert_eq!(
        rewritten("SELECT 'employee' AS customer, note.user, UUID() FROM note"),
        "SELECT 'employee' AS customer, note.user, UUID() FROM note LIMIT 100"
    );
}

#[test]
fn every_scope_is_filtered() {
    for (sql, times) in [
        ("SELECT * FROM employee", 1),
        (
            "SELECT * FROM employee a JOIN employee b ON a.id = b.bossId",
            2,
        ),
        (
            "SELECT id FROM employee UNION SELECT id FROM employee UNION ALL (SELECT id FROM employee)",
            3,
        ),
        (
            "SELECT id FROM note WHERE id IN (SELECT id FROM employee)",
            1,
        ),
        (
            "SELECT (SELECT COUNT(*) FROM employee) FROM note ORDER BY (SELECT MAX(id) FROM employee)",
            2,
        ),
        (
            "SELECT id FROM note GROUP BY id HAVING COUNT(*) > (SELECT COUNT(*) FROM employee)",
            1,
        ),
        (
            "WITH e AS (SELECT * FROM employee) SELECT * FROM e, e AS f",
            1,
        ),
        (
            "WITH employee AS (SELECT * FROM employee) SELECT * FROM employee",
            1,
        ),
        (
            "WITH a AS (SELECT * FROM employee), employee AS (SELECT * FROM a) SELECT * FROM employee",
            1,
        ),
        ("SELECT * FROM (SELECT * FROM employee) AS employee", 1),
        ("SELECT * FROM employee AS note, note AS employee", 1),
        (
            "SELECT n.id FROM note n LEFT JOIN employee e ON e.id = n.employee_id",
            1,
        ),
        ("SELECT n.id FROM (note n CROSS JOIN employee e)", 1),
        ("SELECT n.id FROM note n JOIN employee USING (id)", 1),
        (
            "SELECT n.id FROM note n LEFT JOIN employee e ON e.id = n.id WHERE e.id IS NULL",
            1,
        ),
        (
            "SELECT id FROM note WHERE NOT EXISTS (SELECT * FROM employee WHERE employee.id = note.id)",
            1,
        ),
        (
            "SELECT id FROM note WHERE id <> ALL (SELECT id FROM employee)",
            1,
        ),
        (
            "SELECT note.id FROM employee note, customer employee, (SELECT id FROM employee) customer",
            2,
        ),
        (
            "(SELECT id FROM employee) UNION ALL (SELECT id FROM note WHERE id IN (SELECT id FROM employee)) ORDER BY (SELECT MAX(id) FROM employee)",
            3,
        ),
        (
            "SELECT n.id FROM note n, LATERAL (SELECT * FROM employee e WHERE e.id = n.id) q",
            1,
        ),
        (
            "SELECT id FROM note WHERE EXISTS (SELECT 1 FROM employee WHERE employee.id = note.id)",
            1,
        ),
        (
            "SELECT CASE WHEN 1 IN (SELECT id FROM employee) THEN 1 END FROM note",
            1,
        ),
        (
            "SELECT COUNT(DISTINCT (SELECT MAX(id) FROM employee)) OVER (ORDER BY (SELECT MAX(id) FROM employee)) FROM note",
            2,
        ),
        ("SELECT * FROM `EMPLOYEE`", 1),
        (
            "WITH a AS (WITH employee AS (SELECT * FROM employee) SELECT * FROM employee) SELECT * FROM a, employee",
            2,
        ),
        (
            "WITH RECURSIVE up AS (SELECT id, bossId FROM employee UNION ALL SELECT e.id, e.bossId FROM employee e JOIN up ON up.bossId = e.id) SELECT * FROM up",
            2,
        ),
    ] {
        let sql_out = rewritten(sql);
        assert_eq!(sql_out.matches(OF_TENANT).count(), times, "{sql_out}");
        assert_eq!(
            sql_out.matches("secure_employee").count(),
            2 * times,
            "{sql_out}"
        );
    }
}

/// A table may have columns that the schema does not list; neither a star nor a natural join may
/// touch them.
#[test]
fn stars_show_only_columns_of_the_schema() {
    let employee = "e.id, e.firstName, e.company_id, e.bossId, e.createdAt";
    for (sql, expected) in [
        (
            "SELECT * FROM employee e",
            format!("SELECT {employee} FROM {EMPLOYEES} AS e LIMIT 100"),
        ),
        (
            "SELECT e.* FROM employee e",
            format!("SELECT {employee} FROM {EMPLOYEES} AS e LIMIT 100"),
        ),
        (
            "SELECT customer.* FROM customer",
            "SELECT customer.id, customer.name, customer.company_id FROM secure_customer AS customer LIMIT 100".to_owned(),
        ),
        (
            "SELECT q.*, x.* FROM (SELECT * FROM x) q, x",
            "SELECT q.*, x.id FROM (SELECT x.id FROM x) AS q, x LIMIT 100".to_owned(),
        ),
        (
            "WITH c AS (SELECT * FROM customer) SELECT * FROM c",
            "WITH cte_c AS (SELECT customer.id, customer.name, customer.company_id FROM secure_customer AS customer) \
             SELECT * FROM cte_c AS c LIMIT 100"
                .to_owned(),
        ),
        (
            "SELECT * FROM c, x, (SELECT 1) AS `one`".replace("FROM c", "FROM crew c").as_str(),
            "SELECT c.id, c.workOrderId, c.createdBy, c.title, x.id, `one`.* FROM crew AS c, x, (SELECT 1) AS `one` LIMIT 100"
                .to_owned(),
        ),
        (
            "SELECT * FROM x JOIN customer USING (id)",
            "SELECT * FROM (SELECT id FROM x) AS x JOIN (SELECT id, `name`, company_id FROM secure_customer) AS customer \
             USING(id) LIMIT 100"
                .to_owned(),
        ),
        (
            "SELECT x.id FROM x NATURAL JOIN employee",
            "SELECT x.id FROM (SELECT id FROM x) AS x NATURAL JOIN (SELECT id, firstName, company_id, bossId, createdAt \
             FROM secure_employee WHERE secure_employee.company_id = 'A' LIMIT 9223372036854775807) AS employee LIMIT 100"
                .to_owned(),
        ),
        (
            "SELECT x.id FROM x JOIN customer USING (id)",
            "SELECT x.id FROM x JOIN secure_customer AS customer USING(id) LIMIT 100".to_owned(),
        ),
    ] {
        assert_eq!(rewritten(sql).replace("`id`", "id"), expected);
    }
    let own = crate::open()
        .check("SELECT crewos.x.* FROM crewos.x", Dialect::MySql)
        .unwrap();
    assert_eq!(own.sql, "SELECT x.id FROM x LIMIT 100");
    let unnamed = crate::open().check("SELECT * FROM x, (SELECT 1)", Dialect::PostgreSql);
    assert_eq!(unnamed.unwrap_err()[0].kind, Kind::Unsupported);
}

#[test]
fn outer_joins_keep_their_rows() {
    assert_eq!(
        rewritten(
            "SELECT n.id, e.firstName FROM note n LEFT JOIN employee e ON e.id = n.employee_id"
        ),
        format!(
            "SELECT n.id, e.firstName FROM note AS n LEFT JOIN (SELECT `id`, firstName {OF_TENANT} LIMIT 9223372036854775807) AS e \
             ON e.id = n.employee_id LIMIT 100"
        )
    );
    assert_eq!(
        rewritten(
            "SELECT workOrder.id FROM employee e RIGHT JOIN workOrder ON e.id = workOrder.id"
        ),
        format!(
            "SELECT workOrder.id FROM (SELECT `id` {OF_TENANT} LIMIT 9223372036854775807) AS e RIGHT JOIN \
             (SELECT `id` FROM workOrder WHERE workOrder.company_id = 'A' LIMIT 9223372036854775807) AS workOrder \
             ON e.id = workOrder.id LIMIT 100"
        )
    );
    let full = tenant()
        .check(
            "SELECT e.id FROM employee e FULL OUTER JOIN inspection i ON i.id = e.id",
            Dialect::PostgreSql,
        )
        .unwrap();
    assert_eq!(
        full.sql,
        format!(
            "SELECT e.id FROM (SELECT \"id\" {OF_TENANT} UNION ALL SELECT NULL WHERE false OFFSET 0) AS e FULL JOIN \
             (SELECT \"id\" FROM inspection WHERE inspection.company_id = 'A' UNION ALL SELECT NULL WHERE false OFFSET 0) AS i \
             ON i.id = e.id LIMIT 100"
        )
    );
}

#[test]
fn a_filter_may_lead_through_another_table() {
    assert_eq!(
        rewritten("SELECT l.amount FROM workOrderLine l"),
        format!(
            "SELECT l.amount FROM (SELECT * FROM workOrderLine WHERE workOrderLine.workOrderId IN \
             (SELECT permitted.id FROM {ORDERS} AS permitted)) AS l LIMIT 100"
        )
    );
}

#[test]
fn a_shadowing_name_is_never_taken_for_the_table() {
    // The database must resolve the name as it was resolved here, so the reference is spelt as the
    // declaration is.
    assert_eq!(
        rewritten("WITH employee AS (SELECT 1 AS id) SELECT id FROM EMPLOYEE"),
        "WITH cte_employee AS (SELECT 1 AS id) SELECT id FROM cte_employee AS employee LIMIT 100"
    );
    let findings = mysql(
        &tenant(),
        "WITH secure_employee AS (SELECT 1 AS id) SELECT id FROM employee",
    )
    .unwrap_err();
    assert_eq!(findings[0].kind, Kind::NotPermitted);
    for forged in [
        "workOrder",
        "WORKORDER",
        "`workorder`",
        "workOrdér",
        "`workOrder `",
    ] {
        let sql = format!(
            "WITH {forged} AS (SELECT id, 'A' AS company_id FROM x) SELECT * FROM workOrderLine"
        );
        assert_eq!(
            mysql(&tenant(), &sql).unwrap_err()[0].kind,
            Kind::NotPermitted,
            "rows of a forged parent"
        );
    }
    let checked = tenant()
        .check(
            "WITH \"Employee\" AS (SELECT 1 AS id) SELECT id FROM employee",
            Dialect::PostgreSql,
        )
        .unwrap();
    assert!(
        checked.sql.contains("FROM \"Employee\"") || checked.sql.contains("secure_employee"),
        "{}",
        checked.sql
    );
}

#[test]
fn the_tenant_is_a_quoted_literal() {
    let guard = |tenant| {
        let mut policy = Policy::new(10);
        policy
            .row_filters
            .insert("customer".to_owned(), "company_id".into());
        Guard::new(&schema(), policy.for_tenant(tenant)).unwrap()
    };
    let sql = |guard: Guard, dialect| guard.check("SELECT id FROM customer", dialect).unwrap().sql;
    for dialect in [Dialect::MySql, Dialect::PostgreSql] {
        let text = sql(guard(Tenant::text("x' OR '1'='1").unwrap()), dialect);
        assert_eq!(
            text,
            "SELECT id FROM (SELECT * FROM customer WHERE customer.company_id = 'x'' OR ''1''=''1') AS customer LIMIT 10"
        );
        assert!(sql(guard(Tenant::text("''").unwrap()), dialect).contains("= ''''''"));
        assert!(sql(guard(Tenant::integer(-7)), dialect).contains("customer.company_id = -7)"));
    }
    for text in ["", "a\\", "a\0", "a\nb"] {
        assert_eq!(Tenant::text(text), Err(PolicyError::Tenant));
    }
}

#[test]
fn a_policy_must_fit_and_fails_closed() {
    let refused = |change: &dyn Fn(&mut Policy)| {
        let mut policy = Policy::new(10).for_tenant(Tenant::integer(1));
        change(&mut policy);
        Guard::new(&schema(), policy).unwrap_err()
    };
    let filter = |table: &'static str, filter: RowFilter| {
        refused(&move |policy: &mut Policy| {
            _ = policy.row_filters.insert(table.to_owned(), filter.clone());
        })
    };
    assert_eq!(
        filter("ghost", "company_id".into()),
        PolicyError::UnknownTable("ghost".to_owned())
    );
    assert!(matches!(
        filter("note", "company_id".into()),
        PolicyError::UnknownColumn { .. }
    ));
    let through = |parent: &str| RowFilter::Through {
        column: "id".to_owned(),
        parent: parent.to_owned(),
        parent_column: "id".to_owned(),
    };
    assert_eq!(
        filter("note", through("crew")),
        PolicyError::OpenFilter("note".to_owned())
    );
    assert!(matches!(
        filter("note", through("note")),
        PolicyError::OpenFilter(_)
    ));
    let mut policy = Policy::new(10);
    policy
        .row_filters
        .insert("customer".to_owned(), "company_id".into());
    assert_eq!(
        Guard::new(&schema(), policy).unwrap_err(),
        PolicyError::NoTenant
    );
    let view = refused(&|policy: &mut Policy| {
        _ = policy
            .secure_views
            .insert("note".to_owned(), "a`b".to_owned());
    });
    assert_eq!(view, PolicyError::Name("a`b".to_owned()));
}

#[test]
fn tables_given_to_nobody_are_refused() {
    let mut policy = Policy::new(10).for_tenant(Tenant::integer(1));
    policy
        .row_filters
        .insert("customer".to_owned(), "company_id".into());
    policy.shared_tables = Some(["x".to_owned()].into());
    let guard = Guard::new(&schema(), policy).unwrap();
    assert!(mysql(&guard, "SELECT x.id FROM x, customer").is_ok());
    assert_eq!(
        mysql(&guard, "SELECT id FROM note").unwrap_err()[0].kind,
        Kind::NotPermitted
    );
    assert_eq!(
        mysql(&guard, "SELECT id FROM x WHERE id IN (SELECT id FROM note)").unwrap_err()[0].kind,
        Kind::NotPermitted
    );
}

#[test]
fn a_policy_is_read_from_a_file() {
    let policy: Policy = serde_json::from_str(
        r#"{"schema": "crewos", "secure_views": {"employee": "secure_employee"}, "max_rows": 5, "functions": ["distance_km"],
            "row_filters": {"employee": "company_id", "note": {"column": "employee_id", "parent": "employee", "parent_column": "id"}}}"#,
    )
    .unwrap();
    let guard = Guard::new(&schema(), policy.for_tenant(Tenant::integer(7))).unwrap();
    assert_eq!(
        mysql(&guard, "SELECT distance_km(id, 1) FROM note")
            .unwrap()
            .sql,
        "SELECT distance_km(id, 1) FROM (SELECT `id` FROM note WHERE note.employee_id IN (SELECT permitted.id FROM \
         (SELECT * FROM secure_employee WHERE secure_employee.company_id = 7) AS permitted) LIMIT 9223372036854775807) \
         AS note LIMIT 5"
    );
    assert!(
        serde_json::from_str::<Policy>(r#"{"row_filter": {}}"#).is_err(),
        "a misspelt member must not be ignored"
    );
}

#[test]
fn rows_are_limited_to_the_lesser() {
    for (sql, expected) in [
        ("SELECT id FROM note LIMIT 5", "LIMIT 5"),
        ("SELECT id FROM note LIMIT 5000", "LIMIT 100"),
        ("SELECT id FROM note LIMIT 20, 5000", "LIMIT 20, 100"),
        (
            "SELECT id FROM note LIMIT 5000 OFFSET 20",
            "LIMIT 100 OFFSET 20",
        ),
        ("SELECT id FROM note LIMIT 99999999999999999", "LIMIT 100"),
        (
            "SELECT id FROM note UNION ALL SELECT id FROM crew",
            "LIMIT 100",
        ),
        ("(SELECT id FROM note LIMIT 5000)", "LIMIT 100"),
        ("((SELECT id FROM note))", "SELECT id FROM note LIMIT 100"),
        (
            "SELECT id FROM (SELECT id FROM note LIMIT 5000) q",
            "LIMIT 5000) AS q LIMIT 100",
        ),
        (
            "(SELECT id FROM note LIMIT 500) UNION ALL (SELECT id FROM crew LIMIT 500)",
            "LIMIT 500) LIMIT 100",
        ),
    ] {
        let out = accepts(sql);
        assert!(out.ends_with(expected), "{out}");
    }
    for sql in [
        "SELECT id FROM note LIMIT 1 + 1000",
        "SELECT id FROM note LIMIT (SELECT 5)",
        "SELECT id FROM note LIMIT -1",
    ] {
        assert!(mysql(&crate::open(), sql).is_err(), "{sql}");
    }
    let postgres = |sql: &str| crate::open().check(sql, Dialect::PostgreSql);
    assert!(
        postgres("SELECT id FROM note LIMIT ALL")
            .unwrap()
            .sql
            .ends_with("LIMIT 100")
    );
    assert!(
        postgres("SELECT id FROM note OFFSET 10")
            .unwrap()
            .sql
            .contains("LIMIT 100")
    );
    assert!(
        postgres("SELECT id FROM note FETCH FIRST 500 ROWS ONLY")
            .unwrap()
            .sql
            .contains("FETCH FIRST 100 ROWS ONLY")
    );
    assert!(postgres("SELECT id FROM note FETCH FIRST 5 ROWS WITH TIES").is_err());
    assert_eq!(
        mysql(&crate::open(), "SELECT id FROM note LIMIT 7")
            .unwrap()
            .row_limit,
        7
    );
}

#[test]
fn double_quoted_text_is_text_in_every_mode() {
    assert_eq!(
        accepts(r#"SELECT id FROM note WHERE title = "it's""#),
        "SELECT id FROM note WHERE title = 'it''s' LIMIT 100"
    );
    assert_eq!(
        accepts(r#"SELECT "a\"b""c" FROM note"#),
        r#"SELECT 'a\"b"c' FROM note LIMIT 100"#
    );
    assert_eq!(
        accepts(r"SELECT 'a\'b', '\\', '100\%' FROM note"),
        r"SELECT 'a\'b', '\\', '100\%' FROM note LIMIT 100"
    );
}

#[test]
fn the_tables_read_are_told() {
    let checked = mysql(
        &tenant(),
        "SELECT * FROM EMPLOYEE e, note WHERE e.id IN (SELECT id FROM customer)",
    )
    .unwrap();
    assert_eq!(checked.tables, ["employee", "note", "customer"]);
}
