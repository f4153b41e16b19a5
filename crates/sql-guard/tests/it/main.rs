//! Behaviour of the guard through its public interface.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at the first surprise"
)]

mod attacks;
mod bypasses;
mod columns;
mod constructions;
mod fences;
mod fuzz;
mod groups;
mod names;
mod rewriting;
mod schemas;

use sql_guard::{Checked, Dialect, Finding, Guard, Kind, Policy, RowFilter, Schema, Tenant};

/// The field-service company of the examples.
fn schema() -> Schema {
    Schema::new([
        ("crew", vec!["id", "workOrderId", "createdBy", "title"]),
        ("employeeCrew", vec!["id", "employeeId", "crewId", "isLead"]),
        (
            "employee",
            vec!["id", "firstName", "company_id", "bossId", "createdAt"],
        ),
        (
            "inspection",
            vec!["id", "employeeId", "title", "company_id"],
        ),
        (
            "note",
            vec!["id", "employee_id", "text", "user", "title", "createdAt"],
        ),
        ("customer", vec!["id", "name", "company_id"]),
        ("workOrder", vec!["id", "customerId", "company_id", "title"]),
        ("workOrderLine", vec!["id", "workOrderId", "amount"]),
        ("match", vec!["id", "%_Change_2007"]),
        ("x", vec!["id"]),
    ])
    .unwrap()
}

/// Nothing protected.
fn open() -> Guard {
    Guard::new(
        &schema(),
        Policy {
            schema: Some("crewos".to_owned()),
            ..Policy::new(100)
        },
    )
    .unwrap()
}

/// Employees and customers behind views, and every tenant its own rows.
fn tenant() -> Guard {
    let mut policy = Policy::new(100);
    for (table, view) in [
        ("employee", "secure_employee"),
        ("customer", "secure_customer"),
    ] {
        policy
            .secure_views
            .insert(table.to_owned(), view.to_owned());
    }
    for table in ["employee", "inspection", "workOrder"] {
        policy
            .row_filters
            .insert(table.to_owned(), "company_id".into());
    }
    let through = RowFilter::Through {
        column: "workOrderId".to_owned(),
        parent: "workOrder".to_owned(),
        parent_column: "id".to_owned(),
    };
    policy
        .row_filters
        .insert("workOrderLine".to_owned(), through);
    Guard::new(&schema(), policy.for_tenant(Tenant::text("A").unwrap())).unwrap()
}

fn mysql(guard: &Guard, sql: &str) -> Result<Checked, Vec<Finding>> {
    guard.check(sql, Dialect::MySql)
}

#[track_caller]
fn accepts(sql: &str) -> String {
    mysql(&open(), sql)
        .unwrap_or_else(|findings| panic!("{sql}: {findings:?}"))
        .sql
}

#[track_caller]
fn refuses(sql: &str, kind: Kind) {
    let findings = mysql(&open(), sql).expect_err(sql);
    assert!(
        findings.iter().any(|finding| finding.kind == kind),
        "{sql}: {findings:?}"
    );
}
