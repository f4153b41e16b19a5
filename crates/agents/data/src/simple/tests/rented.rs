//! Groups, sums, conditions and listings over a company that rents vehicles out.

use serde_json::json;

use super::*;

pub(super) fn schemas() -> Vec<TableDescription> {
    vec![
        typed(
            "customer",
            &[
                ("customer_id", "bigint", true),
                ("customer_name", "text", false),
                ("email", "text", false),
                ("city", "text", false),
                ("active", "bigint", false),
            ],
        ),
        typed(
            "driver",
            &[
                ("driver_id", "bigint", true),
                ("first_name", "text", false),
                ("last_name", "text", false),
            ],
        ),
        typed(
            "cost_unit",
            &[("cost_unit_id", "bigint", true), ("name", "text", false)],
        ),
        typed(
            "vehicle",
            &[
                ("vehicle_id", "bigint", true),
                ("plate", "text", true),
                ("status", "text", false),
                ("retired_on", "date", false),
                ("monthly_fee", "numeric", false),
                ("currency", "text", false),
            ],
        ),
        typed(
            "rental",
            &[
                ("rental_id", "bigint", true),
                ("vehicle_id", "bigint", false),
                ("driver_id", "bigint", false),
                ("cost_unit_id", "bigint", false),
                ("started_on", "date", false),
                ("due_on", "date", false),
                ("returned_at", "timestamp", false),
                ("status", "text", false),
                ("fee", "numeric", false),
                ("currency", "text", false),
            ],
        ),
        typed(
            "rental_extension",
            &[
                ("rental_extension_id", "bigint", true),
                ("rental_id", "bigint", false),
                ("fee", "numeric", false),
            ],
        ),
        typed(
            "invoice",
            &[
                ("invoice_id", "bigint", true),
                ("customer_id", "bigint", false),
                ("issued_on", "date", false),
                ("due_on", "date", false),
                ("paid_on", "date", false),
                ("status", "text", false),
                ("total", "numeric", false),
                ("currency", "text", false),
            ],
        ),
        typed(
            "work_order",
            &[
                ("work_order_id", "bigint", true),
                ("status_id", "bigint", false),
            ],
        ),
        typed(
            "status",
            &[("status_id", "bigint", true), ("label", "text", false)],
        ),
        typed(
            "part",
            &[
                ("part_id", "bigint", true),
                ("name", "text", false),
                ("stock", "bigint", false),
                ("reorder_level", "bigint", false),
                ("reorder_quantity", "bigint", false),
                ("sold_date", "date", false),
            ],
        ),
    ]
}

pub(super) fn known(schemas: &[TableDescription]) -> Known<'_> {
    let steps: Vec<PlannedJoin> = [
        ("rental", "vehicle_id", "vehicle"),
        ("rental", "driver_id", "driver"),
        ("rental", "cost_unit_id", "cost_unit"),
        ("rental_extension", "rental_id", "rental"),
        ("invoice", "customer_id", "customer"),
        ("work_order", "status_id", "status"),
    ]
    .into_iter()
    .map(|(from, column, to)| step((from, column), (to, column), "N:1"))
    .collect();
    let values = |table: &str, column: &str, values: Value| ColumnValues {
        table: table.to_owned(),
        column: column.to_owned(),
        values: values.as_array().unwrap().clone(),
    };
    let mut known = Known::of(schemas, &steps);
    known.today = NaiveDate::from_ymd_opt(2026, 11, 21);
    known.values = vec![
        values("vehicle", "status", json!(["in service", "retired"])),
        values("vehicle", "currency", json!(["EUR", "CHF"])),
        values("rental", "status", json!(["open", "closed", null])),
        values("invoice", "status", json!(["sent", "paid", "cancelled"])),
        values("customer", "city", json!(["Bonn", "Kiel"])),
        values("customer", "active", json!([0, 1])),
        values("status", "label", json!(["open", "on hold"])),
    ];
    known
}

pub(super) fn query(question: &str) -> Option<String> {
    let schemas = schemas();
    let names = || schemas.iter().map(|table| &*table.name);
    let shape = any_shape(question, names())?;
    shape.query(&known(&schemas), SqlDialect::Postgresql)
}

pub(super) fn holds(question: &str, condition: &str) {
    let query = query(question).unwrap_or_else(|| panic!("{question}"));
    let (_, found) = query
        .split_once(" WHERE ")
        .unwrap_or_else(|| panic!("{query}"));
    let ends = [" GROUP BY ", " ORDER BY "];
    let end = ends.iter().filter_map(|end| found.find(end)).min();
    let found = found[..end.unwrap_or(found.len())].replace("i.\"", "\"");
    assert_eq!(found, condition, "{question}");
}

#[test]
fn groups_are_made_by_labels_dates_and_several_things() {
    for (question, sql) in [
        (
            "work orders per status",
            r#"SELECT o."label" AS "status", COUNT(*) AS "count" FROM "work_order" i LEFT JOIN "status" o ON i."status_id" = o."status_id" GROUP BY o."status_id", o."label" ORDER BY "count" DESC"#,
        ),
        (
            "invoices per customer",
            r#"SELECT o."customer_name" AS "customer", COUNT(*) AS "count" FROM "invoice" i LEFT JOIN "customer" o ON i."customer_id" = o."customer_id" GROUP BY o."customer_id", o."customer_name" ORDER BY "count" DESC"#,
        ),
        (
            "invoices per status and currency",
            r#"SELECT "status", "currency", COUNT(*) AS "count" FROM "invoice" GROUP BY "status", "currency" ORDER BY "count" DESC"#,
        ),
        (
            "How many rentals are there per driver and cost unit?",
            r#"SELECT o."first_name" || ' ' || o."last_name" AS "driver", o2."name" AS "cost_unit", COUNT(*) AS "count" FROM "rental" i LEFT JOIN "driver" o ON i."driver_id" = o."driver_id" LEFT JOIN "cost_unit" o2 ON i."cost_unit_id" = o2."cost_unit_id" GROUP BY o."driver_id", o."first_name" || ' ' || o."last_name", o2."cost_unit_id", o2."name" ORDER BY "count" DESC"#,
        ),
        (
            "invoices per month",
            r#"SELECT EXTRACT(YEAR FROM "issued_on") AS "issued_on_year", EXTRACT(MONTH FROM "issued_on") AS "issued_on_month", COUNT(*) AS "count" FROM "invoice" GROUP BY EXTRACT(YEAR FROM "issued_on"), EXTRACT(MONTH FROM "issued_on") ORDER BY EXTRACT(YEAR FROM "issued_on"), EXTRACT(MONTH FROM "issued_on")"#,
        ),
        (
            "total of invoices per year of due on",
            r#"SELECT EXTRACT(YEAR FROM "due_on") AS "due_on_year", "currency", SUM("total") AS "total" FROM "invoice" GROUP BY EXTRACT(YEAR FROM "due_on"), "currency" ORDER BY EXTRACT(YEAR FROM "due_on"), "currency""#,
        ),
        (
            "invoices per customer city",
            r#"SELECT o."city" AS "customer_city", COUNT(*) AS "count" FROM "invoice" i LEFT JOIN "customer" o ON i."customer_id" = o."customer_id" GROUP BY o."city" ORDER BY "count" DESC"#,
        ),
    ] {
        assert_eq!(query(question).as_deref(), Some(sql), "{question}");
    }
    for question in [
        "invoices per mood",
        "invoices per status and mood",
        "rental extensions per month",
        "work orders per status and status colour",
    ] {
        assert_eq!(query(question), None, "{question}");
    }
}

#[test]
fn sums_are_kept_apart_by_the_currency_of_what_the_rows_belong_to() {
    let join = r#"FROM "rental_extension" i LEFT JOIN "rental" o ON i."rental_id" = o."rental_id""#;
    for (question, sql) in [
        (
            "total fee of rental extensions",
            format!(
                r#"SELECT o."currency", SUM(i."fee") AS "total" {join} GROUP BY o."currency" ORDER BY o."currency""#
            ),
        ),
        (
            "What is the average fee of the rental extensions?",
            format!(
                r#"SELECT o."currency", AVG(i."fee") AS "average" {join} GROUP BY o."currency" ORDER BY o."currency""#
            ),
        ),
        (
            "total fee of rental extensions per currency",
            format!(
                r#"SELECT o."currency", SUM(i."fee") AS "total" {join} GROUP BY o."currency" ORDER BY "total" DESC"#
            ),
        ),
    ] {
        assert_eq!(query(question), Some(sql), "{question}");
    }
}

#[test]
fn conditions_are_read_from_columns_and_their_values() {
    for (question, condition) in [
        ("retired vehicles", r#""status" = 'retired'"#),
        ("Which vehicles are retired?", r#""status" = 'retired'"#),
        (
            "How many vehicles are in service?",
            r#""status" = 'in service'"#,
        ),
        (
            "list all vehicles with status in service",
            r#""status" = 'in service'"#,
        ),
        (
            "customers without email",
            r#"("email" IS NULL OR "email" = '')"#,
        ),
        (
            "Which customers have no email?",
            r#"("email" IS NULL OR "email" = '')"#,
        ),
        (
            "How many customers do not have an email?",
            r#"("email" IS NULL OR "email" = '')"#,
        ),
        ("customers with an email", r#""email" <> ''"#),
        ("How many active customers are there?", r#""active" = 1"#),
        ("inactive customers", r#""active" = 0"#),
        ("customers that are not active", r#""active" = 0"#),
        ("customers in Bonn", r#""city" = 'Bonn'"#),
        (
            "List all active customers in Kiel",
            r#""active" = 1 AND "city" = 'Kiel'"#,
        ),
        (
            "customers without email and in Bonn",
            r#"("email" IS NULL OR "email" = '') AND "city" = 'Bonn'"#,
        ),
    ] {
        holds(question, condition);
    }
}

#[test]
fn columns_are_compared_with_numbers_and_with_each_other() {
    for (question, condition) in [
        (
            "vehicles with a monthly fee above 300",
            r#""monthly_fee" > 300"#,
        ),
        (
            "vehicles whose monthly fee is at least 1,300.50",
            r#""monthly_fee" >= 1300.50"#,
        ),
        (
            "How many vehicles have a monthly fee below 300?",
            r#""monthly_fee" < 300"#,
        ),
        (
            "vehicles with monthly fee above 300 EUR",
            r#""monthly_fee" > 300 AND "currency" = 'EUR'"#,
        ),
        (
            "vehicles with monthly fee between 200 and 300",
            r#""monthly_fee" BETWEEN 200 AND 300"#,
        ),
        ("invoices over 500", r#""total" > 500"#),
        ("parts below reorder level", r#""stock" < "reorder_level""#),
        (
            "Which parts are below the reorder level?",
            r#""stock" < "reorder_level""#,
        ),
        (
            "parts with stock at or below reorder level",
            r#""stock" <= "reorder_level""#,
        ),
        (
            "rentals returned late",
            r#"CAST("returned_at" AS DATE) > "due_on""#,
        ),
        (
            "How many rentals were returned after the due date?",
            r#"CAST("returned_at" AS DATE) > "due_on""#,
        ),
        (
            "rentals that were returned on time",
            r#"CAST("returned_at" AS DATE) <= "due_on""#,
        ),
        ("invoices paid late", r#""paid_on" > "due_on""#),
        (
            "rentals not yet returned",
            r#"("returned_at" IS NULL OR "returned_at" >= '2026-11-22')"#,
        ),
        ("returned rentals", r#""returned_at" < '2026-11-22'"#),
        ("rentals without driver", r#""driver_id" IS NULL"#),
        (
            "overdue invoices",
            r#""due_on" < '2026-11-21' AND "paid_on" IS NULL AND ("status" IS NULL OR "status" NOT IN ('cancelled'))"#,
        ),
        (
            "total of paid invoices per currency",
            r#""status" = 'paid'"#,
        ),
        ("open rentals per cost unit", r#""status" = 'open'"#),
        (
            "vehicles that are not in service",
            r#""status" <> 'in service'"#,
        ),
        (
            "How many open work orders are there?",
            r#"o."label" = 'open'"#,
        ),
    ] {
        holds(question, condition);
    }
}

#[test]
fn a_condition_that_is_not_settled_is_not_dropped() {
    for question in [
        "big customers",
        "customers with a boat",
        "customers in Paris",
        "invoices over 1.000",
        "vehicles with monthly fee above 300 YEN",
        "vehicles with monthly fee above average",
        "late rentals",
        "overdue vehicles",
        "due invoices",
        "invoices paid by card",
        "customers without email or in Bonn",
        "rentals of customer 3",
        "active customers except those in Bonn",
        "red vehicles in service",
        "Which driver has the most late rentals?",
        "vehicles over 50",
        "rentals over 30",
        "parts without stock",
        "parts with stock",
        "customers with customers",
        "parts below level",
        "rentals not returned late",
        "vehicles that should be retired",
        "do not list retired vehicles",
    ] {
        assert_eq!(query(question), None, "{question}");
    }
}

#[test]
fn a_listing_shows_what_a_person_calls_the_rows_by() {
    assert_eq!(
        query("list all rentals").unwrap(),
        r#"SELECT o."plate" AS "vehicle", o2."first_name" || ' ' || o2."last_name" AS "driver", o3."name" AS "cost_unit", i."started_on", i."due_on", i."status", i."fee", i."currency" FROM "rental" i LEFT JOIN "vehicle" o ON i."vehicle_id" = o."vehicle_id" LEFT JOIN "driver" o2 ON i."driver_id" = o2."driver_id" LEFT JOIN "cost_unit" o3 ON i."cost_unit_id" = o3."cost_unit_id""#
    );
    assert_eq!(
        query("list the first 5 invoices").unwrap(),
        r#"SELECT o."customer_name" AS "customer", i."issued_on", i."due_on", i."paid_on", i."status", i."total", i."currency" FROM "invoice" i LEFT JOIN "customer" o ON i."customer_id" = o."customer_id" ORDER BY i."invoice_id" LIMIT 5"#
    );
}
