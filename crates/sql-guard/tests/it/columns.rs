//! Columns that are hidden or masked.

use sql_guard::{ColumnRule, Dialect, Finding, Guard, Kind, Policy, PolicyError, Schema, Tenant};

fn guard() -> Guard {
    let schema = Schema::new([
        (
            "employee",
            vec!["id", "company_id", "name", "email", "wage"],
        ),
        ("badge", vec!["id", "email", "code"]),
    ])
    .unwrap();
    let mut policy = Policy::new(100);
    policy
        .row_filters
        .insert("employee".to_owned(), "company_id".into());
    let rules = |given: &[(&str, ColumnRule)]| {
        given
            .iter()
            .map(|(column, rule)| ((*column).to_owned(), *rule))
            .collect()
    };
    policy.columns.insert(
        "employee".to_owned(),
        rules(&[
            ("company_id", ColumnRule::Hidden),
            ("WAGE", ColumnRule::Hidden),
            ("email", ColumnRule::Masked),
        ]),
    );
    policy
        .columns
        .insert("badge".to_owned(), rules(&[("code", ColumnRule::Hidden)]));
    Guard::new(&schema, policy.for_tenant(Tenant::integer(1))).unwrap()
}

fn check(sql: &str, dialect: Dialect) -> Result<String, Vec<Finding>> {
    guard().check(sql, dialect).map(|checked| checked.sql)
}

const BOTH: [Dialect; 2] = [Dialect::MySql, Dialect::PostgreSql];

#[test]
fn hidden_columns_do_not_exist() {
    for dialect in BOTH {
        for sql in [
            "SELECT wage FROM employee",
            "SELECT e.wage FROM employee e",
            "SELECT id FROM employee WHERE wage > 3",
            "SELECT id FROM employee ORDER BY wage",
            "SELECT code FROM badge",
            "SELECT MAX(company_id) FROM employee",
            "SELECT b.id FROM badge b JOIN employee e ON e.wage = b.id",
            "SELECT q.wage FROM (SELECT * FROM employee) q",
            "SELECT id FROM employee GROUP BY id HAVING MAX(wage) > 1",
        ] {
            let findings = check(sql, dialect).expect_err(sql);
            assert_eq!(findings[0].kind, Kind::UnknownColumn, "{sql}");
            let suggested = &findings[0].suggestions;
            assert!(
                !suggested.iter().any(|it| it.contains("wage")),
                "{suggested:?}"
            );
        }
        let all = check("SELECT * FROM employee", dialect).unwrap();
        let columns = "SELECT employee.id, employee.name, employee.email FROM (SELECT id, ";
        assert!(all.replace(['`', '"'], "").starts_with(columns), "{all}");
        assert!(!all.contains("wage"), "{all}");
        let near = check("SELECT wag FROM employee", dialect).unwrap_err();
        assert!(!near[0].to_string().contains("wage"), "{near:?}");
        let shared = "SELECT * FROM badge JOIN employee USING (id)";
        let shared = check(shared, dialect).unwrap();
        assert!(
            !shared.contains("code") && !shared.contains("wage"),
            "{shared}"
        );
    }
}

#[test]
fn masked_columns_show_a_mask() {
    for dialect in BOTH {
        for sql in [
            "SELECT email FROM employee",
            "SELECT e.email AS mail FROM employee e",
            "SELECT * FROM employee",
            "SELECT q.email FROM (SELECT id, email FROM employee) q WHERE q.id = 1",
            "WITH q AS (SELECT * FROM employee) SELECT q.email AS mail, id FROM q ORDER BY id",
            "SELECT id, (SELECT e.email FROM employee e WHERE e.id = b.id) AS mail FROM badge b",
            "SELECT email FROM employee UNION ALL SELECT email FROM badge",
            "SELECT id, email FROM employee WHERE id / 2 = 1",
        ] {
            let out = check(sql, dialect).unwrap_or_else(|it| panic!("{sql}: {it:?}"));
            assert!(out.contains("'***' AS email"), "{out}");
            assert!(!out.contains("employee.email = "), "{out}");
        }
    }
}

#[test]
fn masked_columns_are_shown_and_nothing_else() {
    for dialect in BOTH {
        for sql in [
            "SELECT id FROM employee WHERE email = 'x'",
            "SELECT id FROM employee e WHERE e.email IS NULL",
            "SELECT e.id FROM employee e JOIN badge b ON b.email = e.email",
            "SELECT e.id FROM employee e JOIN badge b USING (email)",
            "SELECT email, COUNT(*) FROM employee GROUP BY email",
            "SELECT id FROM employee ORDER BY email",
            "SELECT email FROM employee ORDER BY email",
            "SELECT id AS email FROM employee ORDER BY LOWER(email)",
            "SELECT UPPER(email) FROM employee",
            "SELECT COUNT(email) FROM employee",
            "SELECT COUNT(DISTINCT e.email) FROM employee e",
            "SELECT (SELECT MAX(email) FROM employee) FROM badge",
            "SELECT b.id FROM badge b WHERE EXISTS (SELECT 1 FROM employee e WHERE e.email = b.email)",
            "SELECT id, ROW_NUMBER() OVER (ORDER BY email) FROM employee",
            "SELECT CASE WHEN email LIKE 'a%' THEN 1 END FROM employee",
            "SELECT MAX(id) FROM employee HAVING MAX(email) > 'a'",
            // Read through something else.
            "SELECT q.id FROM (SELECT id, email FROM employee) q WHERE q.email = 'x'",
            "SELECT q.id FROM (SELECT * FROM employee) q WHERE q.email LIKE 'a%'",
            "SELECT q.id FROM (SELECT r.* FROM (SELECT * FROM employee) r) q WHERE email = 'x'",
            "SELECT q.id FROM (SELECT id, email AS mail FROM employee) q(id, email) ORDER BY q.email",
            "WITH q AS (SELECT id, email FROM employee) SELECT id FROM q WHERE email = 'x'",
            "WITH q(a, email) AS (SELECT id, email FROM employee) SELECT email, COUNT(*) FROM q GROUP BY email",
            "WITH q AS (SELECT id, email FROM employee) SELECT UPPER(email) FROM q",
            "WITH q AS (SELECT id, email FROM employee) SELECT COUNT(DISTINCT email) FROM q",
            "WITH q AS (SELECT id, email FROM employee) SELECT b.id FROM badge b JOIN q ON q.email = b.email",
            "WITH q AS (SELECT id, email FROM employee) SELECT b.id FROM badge b JOIN q USING (email)",
            "SELECT b.id FROM badge b NATURAL JOIN (SELECT email FROM employee) q",
            "SELECT id FROM badge NATURAL JOIN employee",
            "SELECT b.id FROM badge b WHERE b.email IN (SELECT email FROM employee)",
            "SELECT b.id FROM badge b WHERE b.email = (SELECT email FROM employee WHERE id = 1)",
            "SELECT b.id FROM badge b WHERE b.email = ANY (SELECT email FROM employee)",
            "SELECT b.id, CONCAT('a', (SELECT email FROM employee WHERE id = 1)) FROM badge b",
            "SELECT q.id FROM (SELECT id, (SELECT email FROM employee WHERE id = 1) AS email FROM badge) q WHERE q.email = 'x'",
            "SELECT id, email FROM employee ORDER BY 2",
            "SELECT email, COUNT(*) FROM employee GROUP BY 1",
            "SELECT DISTINCT email FROM employee",
            "SELECT email FROM employee UNION SELECT email FROM badge",
            "SELECT email FROM badge INTERSECT SELECT email FROM employee",
            "SELECT q.id FROM (SELECT id, email FROM badge UNION ALL SELECT id, email FROM employee) q WHERE q.email = 'x'",
            "WITH RECURSIVE q AS (SELECT id, email FROM employee UNION ALL SELECT b.id, q.email FROM badge b JOIN q ON b.id = q.id WHERE q.email = 'x') SELECT id FROM q",
        ] {
            let findings = check(sql, dialect).expect_err(sql);
            let masked = |finding: &Finding| {
                finding.kind == Kind::NotPermitted && finding.message.contains("'email' is masked")
            };
            assert!(findings.iter().any(masked), "{sql}: {findings:?}");
        }
        let renamed = "SELECT e.id, e.email AS mail FROM employee e ORDER BY mail";
        let findings = check(renamed, dialect).expect_err(renamed);
        assert!(
            findings[0].message.contains("'mail' is masked"),
            "{findings:?}"
        );
        let other = check("SELECT id FROM badge WHERE email = 'x'", dialect);
        assert!(
            other.is_ok(),
            "another table's column of that name: {other:?}"
        );
    }
}

#[test]
fn a_rule_for_no_column_is_refused() {
    let schema = Schema::new([("employee", ["id"])]).unwrap();
    let mut policy = Policy::new(1);
    let rules = [("emial".to_owned(), ColumnRule::Masked)].into();
    policy.columns.insert("employee".to_owned(), rules);
    assert!(matches!(
        Guard::new(&schema, policy).unwrap_err(),
        PolicyError::UnknownColumn { .. }
    ));
}
