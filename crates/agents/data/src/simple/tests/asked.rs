//! Questions as people put them: other rows that there are not, days, several values, and the
//! largest by a sum.

use super::{
    rented::{holds, known, query, schemas},
    *,
};

#[test]
fn rows_are_chosen_by_the_rows_that_belong_to_them() {
    let keys = r#"(SELECT "customer_id" FROM "invoice" WHERE "customer_id" IS NOT NULL)"#;
    let none = format!(r#""customer_id" NOT IN {keys}"#);
    for question in [
        "customers without invoices",
        "Which customers have no invoices?",
        "How many customers do not have any invoice?",
        "list customers that have never had an invoice",
        "customers with no invoices",
        "How many customers don't have an invoice?",
        "number of customers without an invoice",
    ] {
        holds(question, &none);
    }
    for question in [
        "customers with invoices",
        "How many customers have an invoice?",
        "customers that have at least one invoice",
    ] {
        holds(question, &format!(r#""customer_id" IN {keys}"#));
    }
    for (question, condition) in [
        (
            "customers without paid invoices",
            r#""customer_id" NOT IN (SELECT "customer_id" FROM "invoice" WHERE "status" = 'paid' AND "customer_id" IS NOT NULL)"#,
        ),
        (
            "active customers with overdue invoices",
            r#""active" = 1 AND "customer_id" IN (SELECT "customer_id" FROM "invoice" WHERE "due_on" < '2026-11-21' AND "paid_on" IS NULL AND ("status" IS NULL OR "status" NOT IN ('cancelled')) AND "customer_id" IS NOT NULL)"#,
        ),
        (
            "customers with more than 3 invoices",
            r#""customer_id" IN (SELECT "customer_id" FROM "invoice" WHERE "customer_id" IS NOT NULL GROUP BY "customer_id" HAVING COUNT(*) > 3)"#,
        ),
        (
            "customers with fewer than two invoices",
            r#""customer_id" NOT IN (SELECT "customer_id" FROM "invoice" WHERE "customer_id" IS NOT NULL GROUP BY "customer_id" HAVING COUNT(*) >= 2)"#,
        ),
        (
            "vehicles without rentals in 2021",
            r#""vehicle_id" NOT IN (SELECT "vehicle_id" FROM "rental" WHERE "started_on" >= '2021-01-01' AND "started_on" < '2022-01-01' AND "vehicle_id" IS NOT NULL)"#,
        ),
    ] {
        let found = query(question).unwrap_or_else(|| panic!("{question}"));
        let found = found.split_once(" WHERE ").unwrap().1.replace("i.\"", "\"");
        assert_eq!(found, condition, "{question}");
    }
    for question in [
        "rentals without customers",
        "customers without rentals",
        "customers without invoices in Paris",
        "customers with more than invoices",
    ] {
        assert_eq!(query(question), None, "{question}");
    }
}

#[test]
fn days_are_those_of_the_date_that_is_named_or_of_the_usual_one() {
    let of =
        |from: &str, until: &str| format!(r#""issued_on" >= '{from}' AND "issued_on" < '{until}'"#);
    let year = of("2021-01-01", "2022-01-01");
    for (question, condition) in [
        ("invoices in 2021", &*year),
        ("How many invoices are there in 2021?", &year),
        ("how many invoices were issued in 2021", &year),
        ("2021 invoices", &year),
        ("invoices of 2021", &year),
        ("invoices from 2021", &year),
        (
            "invoices after March 2021",
            r#""issued_on" >= '2021-04-01'"#,
        ),
        (
            "invoices since March 2021",
            r#""issued_on" >= '2021-03-01'"#,
        ),
        (
            "invoices issued before 5 March 2021",
            r#""issued_on" < '2021-03-05'"#,
        ),
        (
            "invoices between March 2021 and May 2021",
            &of("2021-03-01", "2021-06-01"),
        ),
        (
            "invoices between 2020 and 2021",
            &of("2020-01-01", "2022-01-01"),
        ),
        ("last year's invoices", &of("2025-01-01", "2026-01-01")),
        ("invoices last month", &of("2026-10-01", "2026-11-01")),
        (
            "invoices in the last 30 days",
            &of("2026-10-23", "2026-11-22"),
        ),
        ("invoices in Q1 2021", &of("2021-01-01", "2021-04-01")),
        (
            "invoices due in May 2021",
            r#""due_on" >= '2021-05-01' AND "due_on" < '2021-06-01'"#,
        ),
        ("invoices paid after 2021", r#""paid_on" >= '2022-01-01'"#),
        (
            "invoices with a due date before 2021",
            r#""due_on" < '2021-01-01'"#,
        ),
        (
            "vehicles that were retired last month",
            r#""retired_on" >= '2026-10-01' AND "retired_on" < '2026-11-01'"#,
        ),
        (
            "paid invoices in 2021 over 500",
            &format!(r#""status" = 'paid' AND {year} AND "total" > 500"#),
        ),
        (
            "invoices over 500 in 2021",
            &format!(r#""total" > 500 AND {year}"#),
        ),
        ("total of invoices in 2021", &year),
        (
            "How many invoices in 2021 per customer?",
            r#""issued_on" >= '2021-01-01' AND "issued_on" < '2022-01-01'"#,
        ),
    ] {
        holds(question, condition);
    }
    for question in [
        "invoices in Paris in 2021",
        "work orders in 2021",
        "invoices approved in 2021",
        "invoices in the evening",
        "customers in 2021",
    ] {
        assert_eq!(query(question), None, "{question}");
    }
}

#[test]
fn several_values_of_a_column_are_one_condition() {
    for (question, condition) in [
        ("customers in Bonn or Kiel", r#""city" IN ('Bonn', 'Kiel')"#),
        (
            "How many customers are in either Bonn or Kiel?",
            r#""city" IN ('Bonn', 'Kiel')"#,
        ),
        (
            "customers from Bonn and Kiel",
            r#""city" IN ('Bonn', 'Kiel')"#,
        ),
        (
            "customers in Bonn or in Kiel",
            r#""city" IN ('Bonn', 'Kiel')"#,
        ),
        (
            "paid or cancelled invoices",
            r#""status" IN ('paid', 'cancelled')"#,
        ),
        (
            "sent, paid or cancelled invoices",
            r#""status" IN ('sent', 'paid', 'cancelled')"#,
        ),
        (
            "invoices with status sent or paid",
            r#""status" IN ('sent', 'paid')"#,
        ),
        (
            "invoices that are sent or paid",
            r#""status" IN ('sent', 'paid')"#,
        ),
        (
            "active customers in Bonn or Kiel",
            r#""active" = 1 AND "city" IN ('Bonn', 'Kiel')"#,
        ),
    ] {
        holds(question, condition);
    }
    for question in [
        "customers in Bonn or Paris",
        "customers without email or in Bonn",
        "retired vehicles or vehicles in service",
        "paid or big invoices",
    ] {
        assert_eq!(query(question), None, "{question}");
    }
}

/// The query where all amounts are in euros.
fn in_euros(question: &str) -> Option<String> {
    let schemas = schemas();
    let names = || schemas.iter().map(|table| &*table.name);
    let shape = any_shape(question, names())?;
    let mut known = known(&schemas);
    for table in ["invoice", "rental", "vehicle"] {
        known
            .values
            .retain(|one| one.table != table || one.column != "currency");
        known.values.push(ColumnValues {
            table: table.to_owned(),
            column: "currency".to_owned(),
            values: vec![Value::from("EUR")],
        });
    }
    shape.query(&known, SqlDialect::Postgresql)
}

#[test]
fn the_largest_are_found_by_a_sum() {
    let of_invoices = r#"SELECT o."customer_name" AS "customer", i."currency", SUM(i."total") AS "total" FROM "invoice" i JOIN "customer" o ON i."customer_id" = o."customer_id" WHERE i."total" IS NOT NULL GROUP BY o."customer_id", o."customer_name", i."currency" ORDER BY "total" DESC LIMIT 5"#;
    for question in [
        "top 5 customers by total amount",
        "Top 5 customers by total amount of invoices",
        "top 5 customers by invoice total",
        "show me the top 5 customers by total invoice amount",
        "Which 5 customers have the highest total of invoices?",
    ] {
        let found = in_euros(question).unwrap_or_else(|| panic!("{question}"));
        let found = found.replace(r#" AS "customers""#, r#" AS "customer""#);
        assert_eq!(found, of_invoices, "{question}");
    }
    for (question, order) in [
        (
            "which driver has the highest average fee of rentals?",
            r#"ORDER BY "average" DESC LIMIT 10"#,
        ),
        (
            "top 3 vehicles by monthly fee",
            r#"ORDER BY "monthly_fee" DESC, "vehicle_id" LIMIT 3"#,
        ),
        (
            "bottom 3 vehicles by monthly fee",
            r#"ORDER BY "monthly_fee", "vehicle_id" LIMIT 3"#,
        ),
        (
            "top 2 customers by total amount of paid invoices",
            r#"ORDER BY "total" DESC LIMIT 2"#,
        ),
    ] {
        let found = in_euros(question).unwrap_or_else(|| panic!("{question}"));
        assert!(found.ends_with(order), "{question}: {found}");
    }
    // In several currencies, or in unknown ones, none is the largest.
    for question in [
        "top 5 customers by total amount",
        "top 3 vehicles by monthly fee",
        "top 5 customers by total weight",
        "top 5 customers by mood",
        "bottom 5 customers by total amount of invoices",
    ] {
        assert_eq!(query(question), None, "{question}");
    }
}

#[test]
fn groups_are_made_by_quarters_and_weeks() {
    for (question, group) in [
        (
            "invoices per quarter",
            r#"GROUP BY EXTRACT(YEAR FROM "issued_on"), EXTRACT(QUARTER FROM "issued_on")"#,
        ),
        (
            "How many invoices are there per week?",
            r#"GROUP BY CAST(DATE_TRUNC('week', "issued_on") AS DATE)"#,
        ),
        (
            "invoices by due week",
            r#"GROUP BY CAST(DATE_TRUNC('week', "due_on") AS DATE)"#,
        ),
        ("invoices per day", r#"GROUP BY CAST("issued_on" AS DATE)"#),
        (
            "total of invoices per quarter",
            r#"GROUP BY EXTRACT(YEAR FROM "issued_on"), EXTRACT(QUARTER FROM "issued_on"), "currency""#,
        ),
    ] {
        let found = query(question).unwrap_or_else(|| panic!("{question}"));
        assert!(found.contains(group), "{question}: {found}");
    }
}

#[test]
fn what_continues_a_question_keeps_its_conditions() {
    let schemas = schemas();
    let names = || schemas.iter().map(|table| &*table.name);
    for (before, text, whole) in [
        (
            "How many active customers are there?",
            "and per city?",
            Some("How many active customers are there per city?"),
        ),
        (
            "How many invoices are there in 2021?",
            "per status",
            Some("How many invoices in 2021 are there per status?"),
        ),
        (
            "customers in Bonn or Kiel",
            "how about per city",
            Some("How many customers in Bonn or Kiel are there per city?"),
        ),
        (
            "How many paid invoices are there?",
            "list them",
            Some("List all paid invoices"),
        ),
        ("How many paid invoices are there?", "and customers?", None),
    ] {
        let found = continued(text, before, names());
        assert_eq!(found.as_deref(), whole, "{before} {text}");
    }
    holds(
        "How many invoices in 2021 are there per status?",
        r#""issued_on" >= '2021-01-01' AND "issued_on" < '2022-01-01'"#,
    );
}
