//! Kinds of rows that another table names, columns of several tables, and days to come.

use serde_json::json;

use super::*;

fn schemas() -> Vec<TableDescription> {
    vec![
        typed(
            "workOrder",
            &[
                ("id", "int", true),
                ("workOrderTypeId", "int", false),
                ("customerId", "int", false),
                ("scheduledStart", "datetime", false),
                ("estimatedHours", "decimal(5,2)", false),
            ],
        ),
        typed(
            "workOrderType",
            &[("id", "int", true), ("name", "varchar(50)", false)],
        ),
        typed(
            "customer",
            &[
                ("id", "int", true),
                ("name", "varchar(50)", false),
                ("type", "varchar(20)", false),
            ],
        ),
        typed(
            "invoice",
            &[
                ("id", "int", true),
                ("invoiceKind", "varchar(20)", false),
                ("status", "varchar(20)", false),
                ("customerId", "int", false),
                ("issuedOn", "date", false),
                ("dueOn", "date", false),
            ],
        ),
        typed(
            "payment",
            &[
                ("id", "int", true),
                ("invoiceId", "int", false),
                ("paidOn", "date", false),
                ("amount", "decimal(9,2)", false),
            ],
        ),
        typed(
            "vehicle",
            &[
                ("id", "int", true),
                ("plate", "varchar(9)", true),
                ("lastServiceOn", "date", false),
                ("nextServiceOn", "date", false),
            ],
        ),
    ]
}

fn query(question: &str) -> Option<String> {
    let schemas = schemas();
    let names = || schemas.iter().map(|table| &*table.name);
    let shape = any_shape(question, names())?;
    let steps = [
        ("workOrder", "workOrderTypeId", "workOrderType"),
        ("workOrder", "customerId", "customer"),
        ("invoice", "customerId", "customer"),
        ("payment", "invoiceId", "invoice"),
    ]
    .map(|(from, column, to)| step((from, column), (to, "id"), "N:1"));
    let mut known = Known::of(&schemas, &steps);
    known.today = NaiveDate::from_ymd_opt(2026, 11, 30);
    let range = |table: &str, column: &str, days: [&str; 2]| ColumnValues {
        table: table.to_owned(),
        column: column.to_owned(),
        values: days.map(|day| json!(day)).to_vec(),
    };
    known.values = vec![
        range("invoice", "dueOn", ["2024-01-05", "2026-12-29"]),
        range(
            "workOrder",
            "scheduledStart",
            ["2024-01-05 08:00:00", "2027-01-12 08:00:00"],
        ),
    ];
    shape.query(&known, SqlDialect::Mysql)
}

#[test]
fn the_kind_of_the_rows_comes_before_that_of_what_they_belong_to() {
    for question in [
        "How many work orders are there per type?",
        "work orders by type",
        "average estimated hours of work orders per type",
        "total estimated hours of work orders by type",
        "work orders per work order type",
    ] {
        let query = query(question).unwrap_or_else(|| panic!("{question}"));
        assert!(
            query.contains("LEFT JOIN `workOrderType` o ON i.`workOrderTypeId` = o.`id`"),
            "{question}: {query}"
        );
        assert!(!query.contains("`customer`"), "{question}: {query}");
    }
    let own = query("invoices per kind").unwrap();
    assert!(own.starts_with("SELECT `invoiceKind`, COUNT(*)"), "{own}");
}

#[test]
fn a_column_of_another_table_is_called_by_that_table() {
    for (question, shown) in [
        ("payments per status", "o.`status` AS `invoice_status`"),
        (
            "How many payments are there by status?",
            "o.`status` AS `invoice_status`",
        ),
        (
            "total amount of payments per status",
            "o.`status` AS `invoice_status`",
        ),
        ("invoices per type", "o.`type` AS `customer_type`"),
        (
            "work orders per customer type",
            "o.`type` AS `customer_type`",
        ),
    ] {
        let query = query(question).unwrap_or_else(|| panic!("{question}"));
        assert!(query.contains(shown), "{question}: {query}");
    }
}

#[test]
fn a_month_of_what_lies_ahead_is_the_next_one_that_the_data_have() {
    for (question, days) in [
        (
            "how many invoices are due in December?",
            ("dueOn", "2026-12-01", "2027-01-01"),
        ),
        (
            "which invoices are due on 5 December?",
            ("dueOn", "2026-12-05", "2026-12-06"),
        ),
        (
            "invoices due in January",
            ("dueOn", "2026-01-01", "2026-02-01"),
        ),
        (
            "how many invoices were due in December?",
            ("dueOn", "2025-12-01", "2026-01-01"),
        ),
        (
            "how many invoices are due next month?",
            ("dueOn", "2026-12-01", "2027-01-01"),
        ),
        (
            "invoices in December",
            ("issuedOn", "2025-12-01", "2026-01-01"),
        ),
        (
            "invoices issued in December",
            ("issuedOn", "2025-12-01", "2026-01-01"),
        ),
        (
            "work orders with a scheduled start in January",
            ("scheduledStart", "2027-01-01", "2027-02-01"),
        ),
        (
            "vehicles with next service in December",
            ("nextServiceOn", "2026-12-01", "2027-01-01"),
        ),
        (
            "vehicles with last service in December",
            ("lastServiceOn", "2025-12-01", "2026-01-01"),
        ),
    ] {
        let query = query(question).unwrap_or_else(|| panic!("{question}"));
        let (column, from, until) = days;
        let expected = format!("`{column}` >= '{from}' AND `{column}` < '{until}'");
        let query = query.replace("i.`", "`");
        assert!(query.contains(&expected), "{question}: {query}");
    }
}
