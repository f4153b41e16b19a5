use contracts::tools::sql::{ResultColumn, SqlOutcome, ValueKind};
use serde_json::json;

use super::*;

fn run(columns: &[(&str, ValueKind)], rows: Vec<Value>) -> SqlRun {
    let rows: Vec<Map<String, Value>> = rows
        .into_iter()
        .map(|row| row.as_object().cloned().unwrap())
        .collect();
    SqlRun {
        target: "t".to_owned(),
        outcome: SqlOutcome::Rows,
        sql: None,
        tables: Vec::new(),
        columns: columns
            .iter()
            .map(|(name, kind)| ResultColumn {
                name: (*name).to_owned(),
                kind: *kind,
            })
            .collect(),
        row_count: u32::try_from(rows.len()).unwrap(),
        rows,
        truncated: false,
        truncated_by: None,
        elapsed_ms: 1.0,
        estimated_rows: None,
        findings: Vec::new(),
        person: String::new(),
    }
}

fn count(question: &str, count: u64) -> String {
    let run = run(
        &[("active_technicians", ValueKind::Number)],
        vec![json!({ "active_technicians": count })],
    );
    tell(question, &run, "")
}

#[test]
fn whether_there_is_one_is_told_with_the_count() {
    for (question, number, answer) in [
        ("are there customers?", 7, "Yes, there are 7 customers."),
        ("Is there a work order?", 1, "Yes, there is 1 work order."),
        (
            "do we have any sales orders?",
            2,
            "Yes, there are 2 sales orders.",
        ),
        (
            "Are there any customers at all?",
            0,
            "No, there are no customers.",
        ),
        ("customers, how many?", 7, "There are 7 customers."),
    ] {
        let run = run(
            &[("count", ValueKind::Number)],
            vec![json!({ "count": number })],
        );
        assert_eq!(tell(question, &run, ""), answer, "{question}");
    }
    // A figure other than a count does not show the number of rows.
    assert_eq!(count("Are there customers?", 1), "Active technicians: 1.");
}

#[test]
fn a_count_is_told_in_the_words_of_the_question() {
    for (question, number, answer) in [
        (
            "How many technicians are active?",
            10,
            "There are 10 active technicians.",
        ),
        (
            "How many technicians are active?",
            1,
            "There is 1 active technician.",
        ),
        (
            "How many technicians are active?",
            0,
            "There are no active technicians.",
        ),
        (
            "How many work orders are there?",
            1234,
            "There are 1,234 work orders.",
        ),
        (
            "how many orders were cancelled",
            3,
            "There were 3 cancelled orders.",
        ),
        (
            "How many technicians worked last week?",
            10,
            "10 technicians worked last week.",
        ),
        (
            "How many hours did Anna work?",
            12,
            "Active technicians: 12.",
        ),
        (
            "How many customers are in Bonn?",
            4,
            "4 customers are in Bonn.",
        ),
        ("Count the technicians", 4, "Active technicians: 4."),
    ] {
        assert_eq!(count(question, number), answer, "{question}");
    }
}

#[test]
fn several_rows_are_counted_and_their_ends_named() {
    let columns = [("city", ValueKind::Text), ("jobs", ValueKind::Number)];
    let rows = |count: usize| {
        (0..count)
            .map(|at| json!({ "city": format!("C{at}"), "jobs": at * 1000 }))
            .collect::<Vec<_>>()
    };
    let told = tell("Jobs by city", &run(&columns, rows(42)), "");
    assert_eq!(
        told,
        "There are 42 results. Jobs: C41 (41,000) is highest, C0 (0) lowest."
    );
    let equal = vec![
        json!({ "city": "A", "jobs": 7 }),
        json!({ "city": "B", "jobs": 7 }),
    ];
    let told = tell("Jobs by city", &run(&columns, equal), "");
    assert_eq!(told, "There are 2 results.", "none of equals stands out");
    let with_total = vec![
        json!({ "city": "A", "jobs": 7 }),
        json!({ "city": "B", "jobs": 9 }),
        json!({ "city": null, "jobs": 16 }),
    ];
    let told = tell("Jobs by city", &run(&columns, with_total), "");
    assert_eq!(
        told,
        "There are 3 results. Jobs: B (9) is highest, A (7) lowest."
    );
    for (by, told) in [
        (None, "There are more than these 42 results"),
        (Some(SqlCut::Rows), "There are more than these 42 results"),
        (
            Some(SqlCut::Bytes),
            "There may be more than these 42 results",
        ),
    ] {
        let run = SqlRun {
            truncated: true,
            truncated_by: by,
            ..run(&columns, rows(42))
        };
        let said = tell("Jobs by city", &run, "");
        assert!(said.starts_with(told), "{said}");
    }
}

#[test]
fn a_list_that_its_query_cuts_has_one_end() {
    let columns = [
        ("animal", ValueKind::Text),
        ("weight_kg", ValueKind::Number),
    ];
    let rows = |figures: [f64; 3]| {
        let rows = figures.iter().enumerate();
        rows.map(|(at, figure)| json!({ "animal": format!("A{at}"), "weight_kg": figure }))
            .collect::<Vec<_>>()
    };
    for (figures, sql, told) in [
        (
            [215.0, 190.0, 183.5],
            "SELECT a, w FROM t ORDER BY w DESC LIMIT 3",
            " Weight kg: A0 (215) is highest.",
        ),
        (
            [0.2, 0.3, 9.0],
            "SELECT a, w FROM t ORDER BY w LIMIT 3;",
            " Weight kg: A0 (0.2) is lowest.",
        ),
        ([2.0, 9.0, 3.0], "SELECT a, w FROM t ORDER BY a LIMIT 3", ""),
        ([2.0, 9.0, 3.0], "SELECT a, w FROM t LIMIT 3", ""),
        // There were no more.
        (
            [9.0, 3.0, 2.0],
            "SELECT a, w FROM t ORDER BY w DESC LIMIT 10",
            " Weight kg: A0 (9) is highest, A2 (2) lowest.",
        ),
    ] {
        let said = tell("", &run(&columns, rows(figures)), sql);
        assert_eq!(said, format!("There are 3 results.{told}"), "{sql}");
    }
    let cut = SqlRun {
        truncated: true,
        ..run(&columns, rows([9.0, 3.0, 2.0]))
    };
    let said = tell("", &cut, "SELECT a, w FROM t ORDER BY w DESC");
    assert!(said.ends_with(" Weight kg: A0 (9) is highest."), "{said}");
}

#[test]
fn the_lowest_of_groups_is_not_said_to_be_more_than_it_is() {
    let columns = |name: &'static str| [(name, ValueKind::Text), ("count", ValueKind::Number)];
    let rows = |names: [&str; 3]| {
        let rows = names.iter().zip([9, 5, 2]);
        rows.map(|(name, count)| json!({ "of": name, "count": count }))
            .collect::<Vec<_>>()
    };
    // Branches without a rental are in no row.
    let joined =
        "SELECT o.name, COUNT(*) FROM rental AS i JOIN branch AS o ON i.b = o.id GROUP BY o.name";
    let said = tell(
        "",
        &run(&columns("of"), rows(["Isar", "Rhein", "Spree"])),
        joined,
    );
    assert_eq!(
        said,
        "There are 3 results. Count: Isar (9) is highest, Spree (2) lowest of those that have any."
    );
    let plain = "SELECT d AS of, COUNT(*) FROM rental GROUP BY d";
    for (names, end) in [
        (
            ["2026-01", "2026-02", "2026-03"],
            "2026-03 (2) lowest; that is the last one, which may not be complete.",
        ),
        (
            ["2026-W03", "2026-W02", "2026-W01"],
            "2026-W01 (2) lowest; that is the first one, which may not be complete.",
        ),
        (["2026-03", "2026-01", "2026-02"], "2026-02 (2) lowest."),
        (["Alster", "Isar", "Rhein"], "Rhein (2) lowest."),
    ] {
        let said = tell("", &run(&columns("of"), rows(names)), plain);
        assert!(said.ends_with(end), "{said}");
    }
}

#[test]
fn the_number_of_groups_is_compared_and_that_of_a_row_is_not() {
    let columns = [("name", ValueKind::Text), ("number", ValueKind::Number)];
    let rows = || {
        vec![
            json!({ "name": "Isar", "number": 33 }),
            json!({ "name": "Rhein", "number": 21 }),
        ]
    };
    let grouped =
        "SELECT name, COUNT(*) AS number FROM m GROUP BY name ORDER BY number DESC LIMIT 2";
    assert_eq!(
        tell("", &run(&columns, rows()), grouped),
        "There are 2 results. Number: Isar (33) is highest."
    );
    let plain = "SELECT name, number FROM house";
    assert_eq!(
        tell("", &run(&columns, rows()), plain),
        "There are 2 results."
    );
}

#[test]
fn the_group_without_a_name_is_told() {
    let columns = [("notes", ValueKind::Text), ("count", ValueKind::Number)];
    let rows = || {
        vec![
            json!({ "notes": "loose peg", "count": 74 }),
            json!({ "notes": null, "count": 58 }),
            json!({ "notes": "crack", "count": 61 }),
        ]
    };
    let sql = "SELECT notes, COUNT(*) AS count FROM repair GROUP BY notes";
    assert_eq!(
        tell("", &run(&columns, rows()), sql),
        "There are 3 results. Count: loose peg (74) is highest, crack (61) lowest. Without notes: 58."
    );
    // With a roll-up it is the sum of all.
    let said = tell(
        "",
        &run(&columns, rows()),
        "SELECT notes, COUNT(*) FROM repair GROUP BY ROLLUP (notes)",
    );
    assert!(!said.contains("Without"), "{said}");
}

#[test]
fn sums_in_several_currencies_are_not_compared() {
    let columns = [("currency", ValueKind::Text), ("total", ValueKind::Number)];
    let rows = vec![
        json!({ "currency": "EUR", "total": 120 }),
        json!({ "currency": "CHF", "total": 90 }),
    ];
    assert_eq!(tell("", &run(&columns, rows), ""), "There are 2 results.");
    let columns = [("currency", ValueKind::Text), ("count", ValueKind::Number)];
    let rows = vec![
        json!({ "currency": "EUR", "count": 120 }),
        json!({ "currency": "CHF", "count": 90 }),
    ];
    let said = tell("", &run(&columns, rows), "");
    assert!(
        said.ends_with("Count: EUR (120) is highest, CHF (90) lowest."),
        "{said}"
    );
}

#[test]
fn one_row_of_many_columns_is_a_list() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let columns = names.map(|name| (name, ValueKind::Number));
    let row = json!({ "a": 1, "b": 2, "c": 3, "d": 4, "e": null, "f": 6, "g": 7 });
    let told = tell("All of it", &run(&columns, vec![row]), "");
    assert_eq!(told, "- A: 1\n- B: 2\n- C: 3\n- D: 4\n- F: 6\n- G: 7");
}

#[test]
fn years_and_moments_are_told_as_people_write_them() {
    let columns = [
        ("vessel", ValueKind::Text),
        ("built_year", ValueKind::Number),
        ("arrival", ValueKind::DateTime),
    ];
    let row = json!({ "vessel": "Anna", "built_year": 2004, "arrival": "2025-01-14T13:29:00Z" });
    assert_eq!(
        tell("Which vessel is oldest?", &run(&columns, vec![row]), ""),
        "Vessel: Anna, built year: 2004, arrival: 14 January 2025, 13:29 UTC."
    );
    let run = run(
        &[("year", ValueKind::Number)],
        vec![json!({ "year": 2021 })],
    );
    assert_eq!(tell("Since when?", &run, ""), "Year: 2021.");
}

#[test]
fn one_row_is_told_with_its_labels() {
    let columns = [
        ("firstName", ValueKind::Text),
        ("hiredOn", ValueKind::Date),
        ("note", ValueKind::Text),
    ];
    let row = json!({ "firstName": "Ann", "hiredOn": "2024-05-01", "note": null });
    assert_eq!(
        tell("Who is new?", &run(&columns, vec![row]), ""),
        "First name: Ann, hired on: 1 May 2024, note: none."
    );
}
