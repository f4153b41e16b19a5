//! Keys of several columns, columns of years, and figures that several tables have.

use contracts::tools::sql::ColumnPair;

use super::*;

fn schemas() -> Vec<TableDescription> {
    vec![
        typed(
            "rack",
            &[
                ("hall", "text", false),
                ("row_no", "bigint", false),
                ("capacity", "bigint", false),
            ],
        ),
        typed(
            "box",
            &[
                ("box_id", "bigint", true),
                ("rack_hall", "text", false),
                ("rack_row", "bigint", false),
            ],
        ),
        typed(
            "instrument",
            &[
                ("serial_no", "text", true),
                ("maker", "text", false),
                ("built_year", "bigint", false),
                ("bought_on", "date", false),
                ("sold_on", "date", false),
            ],
        ),
        typed(
            "student",
            &[("student_id", "bigint", true), ("name", "text", false)],
        ),
        typed(
            "course",
            &[("course_id", "bigint", true), ("title", "text", false)],
        ),
        typed(
            "enrolment",
            &[
                ("student_id", "bigint", false),
                ("course_id", "bigint", false),
                ("enrolled_on", "date", false),
            ],
        ),
        typed(
            "client",
            &[("client_id", "bigint", true), ("name", "text", false)],
        ),
        typed(
            "bill",
            &[
                ("bill_id", "bigint", true),
                ("client_id", "bigint", false),
                ("total", "numeric", false),
            ],
        ),
        typed(
            "payment",
            &[
                ("payment_id", "bigint", true),
                ("client_id", "bigint", false),
                ("amount", "numeric", false),
            ],
        ),
        typed(
            "refund",
            &[
                ("refund_id", "bigint", true),
                ("client_id", "bigint", false),
                ("amount", "numeric", false),
            ],
        ),
    ]
}

fn known(schemas: &[TableDescription]) -> Known<'_> {
    let mut in_rack = step(("box", "rack_hall"), ("rack", "hall"), "N:1");
    in_rack.edge.and = vec![ColumnPair {
        from_column: "rack_row".to_owned(),
        to_column: "row_no".to_owned(),
    }];
    let of_client = ["bill", "payment", "refund"]
        .map(|table| step((table, "client_id"), ("client", "client_id"), "N:1"));
    let mut steps = vec![
        in_rack,
        step(
            ("enrolment", "student_id"),
            ("student", "student_id"),
            "N:1",
        ),
        step(("enrolment", "course_id"), ("course", "course_id"), "N:1"),
    ];
    steps.extend(of_client);
    let mut known = Known::of(schemas, &steps);
    known.today = NaiveDate::from_ymd_opt(2026, 11, 21);
    known.values = vec![ColumnValues {
        table: "course".to_owned(),
        column: "title".to_owned(),
        values: vec![Value::from("Databases"), Value::from("Logic")],
    }];
    known
}

/// The query, and what the answer says of it.
fn asked(question: &str) -> Option<(String, Option<String>)> {
    let schemas = schemas();
    let names = || schemas.iter().map(|table| &*table.name);
    let shape = any_shape(question, names())?;
    let (known, dialect) = (known(&schemas), SqlDialect::Postgresql);
    Some((
        shape.query(&known, dialect)?,
        shape.read_as(&known, dialect),
    ))
}

#[test]
fn a_key_of_several_columns_is_one_condition() {
    let keys = r#"SELECT "rack_hall", "rack_row" FROM "box" WHERE "rack_hall" IS NOT NULL AND "rack_row" IS NOT NULL"#;
    for (question, test) in [
        ("How many racks have no boxes?", format!("NOT IN ({keys})")),
        ("How many racks have boxes?", format!("IN ({keys})")),
        (
            "How many racks have more than 2 boxes?",
            format!(r#"IN ({keys} GROUP BY "rack_hall", "rack_row" HAVING COUNT(*) > 2)"#),
        ),
    ] {
        let (query, _) = asked(question).unwrap_or_else(|| panic!("{question}"));
        let expected =
            format!(r#"SELECT COUNT(*) AS "count" FROM "rack" WHERE ("hall", "row_no") {test}"#);
        assert_eq!(query, expected, "{question}");
    }
}

#[test]
fn rows_are_chosen_over_the_table_that_links_them_with_others() {
    let links = r#"SELECT "student_id" FROM "enrolment" WHERE "course_id" IS NOT NULL AND "student_id" IS NOT NULL"#;
    let databases = r#"SELECT "student_id" FROM "enrolment" WHERE "course_id" IN (SELECT "course_id" FROM "course" WHERE "title" = 'Databases' AND "course_id" IS NOT NULL) AND "student_id" IS NOT NULL"#;
    for (question, test, said) in [
        (
            "How many students have no courses?",
            format!("NOT IN ({links})"),
            "no course",
        ),
        (
            "How many students have courses?",
            format!("IN ({links})"),
            "at least 1 course",
        ),
        (
            "How many students have more than 2 courses?",
            format!(r#"IN ({links} GROUP BY "student_id" HAVING COUNT(DISTINCT "course_id") > 2)"#),
            "number of courses > 2",
        ),
        (
            "How many students are enrolled in the course Databases?",
            format!("IN ({databases})"),
            "at least 1 course (title = 'Databases')",
        ),
        (
            "number of students in course databases",
            format!("IN ({databases})"),
            "at least 1 course (title = 'Databases')",
        ),
        (
            "How many students are enrolled in courses?",
            format!("IN ({links})"),
            "at least 1 course",
        ),
    ] {
        let (query, read) = asked(question).unwrap_or_else(|| panic!("{question}"));
        let expected =
            format!(r#"SELECT COUNT(*) AS "count" FROM "student" WHERE "student_id" {test}"#);
        assert_eq!(query, expected, "{question}");
        assert_eq!(read, Some(format!("The condition was read as: {said}.")));
    }
    for question in [
        "How many students failed in the course Databases?",
        "How many students are enrolled in the course Botany?",
        "How many students have no clients?",
    ] {
        assert_eq!(asked(question), None, "{question}");
    }
}

#[test]
fn a_column_of_years_is_compared_with_whole_years() {
    for (question, test) in [
        ("How many instruments were built last year?", "= 2025"),
        ("How many instruments were built in 1998?", "= 1998"),
        ("How many instruments were built before 2000?", "< 2000"),
        ("How many instruments were built since 2010?", ">= 2010"),
        (
            "How many instruments were built between 1990 and 1999?",
            "BETWEEN 1990 AND 1999",
        ),
    ] {
        let (query, _) = asked(question).unwrap_or_else(|| panic!("{question}"));
        let expected =
            format!(r#"SELECT COUNT(*) AS "count" FROM "instrument" WHERE "built_year" {test}"#);
        assert_eq!(query, expected, "{question}");
    }
    for question in [
        "How many instruments were built last month?",
        "How many instruments were repaired last year?",
    ] {
        assert_eq!(asked(question), None, "{question}");
    }
}

#[test]
fn of_several_figures_that_of_the_invoices_is_taken_and_said() {
    let (query, said) = asked("top 5 clients by total amount").unwrap();
    assert!(
        query.contains(r#"SUM(i."total") AS "total" FROM "bill" i"#),
        "{query}"
    );
    assert_eq!(
        said.as_deref(),
        Some("The figure is that of bills; payments and refunds have one, too.")
    );
}
