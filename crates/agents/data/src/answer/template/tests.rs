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
    tell(question, &run, 100)
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
        assert_eq!(tell(question, &run, 100), answer, "{question}");
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
    let told = tell("Jobs by city", &run(&columns, rows(42)), 100);
    assert_eq!(
        told,
        "There are 42 results. Jobs: C41 (41,000) is highest, C0 (0) lowest."
    );
    let equal = vec![
        json!({ "city": "A", "jobs": 7 }),
        json!({ "city": "B", "jobs": 7 }),
    ];
    let told = tell("Jobs by city", &run(&columns, equal), 100);
    assert_eq!(told, "There are 2 results.", "none of equals stands out");
    let with_total = vec![
        json!({ "city": "A", "jobs": 7 }),
        json!({ "city": "B", "jobs": 9 }),
        json!({ "city": null, "jobs": 16 }),
    ];
    let told = tell("Jobs by city", &run(&columns, with_total), 100);
    assert_eq!(
        told,
        "There are 3 results. Jobs: B (9) is highest, A (7) lowest."
    );
    for (truncated, max_rows) in [(true, 100), (false, 42)] {
        let run = SqlRun {
            truncated,
            ..run(&columns, rows(42))
        };
        let told = tell("Jobs by city", &run, max_rows);
        assert!(
            told.starts_with("There may be more than these 42 results"),
            "{told}"
        );
    }
}

#[test]
fn one_row_of_many_columns_is_a_list() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let columns = names.map(|name| (name, ValueKind::Number));
    let row = json!({ "a": 1, "b": 2, "c": 3, "d": 4, "e": null, "f": 6, "g": 7 });
    let told = tell("All of it", &run(&columns, vec![row]), 100);
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
        tell("Which vessel is oldest?", &run(&columns, vec![row]), 100),
        "Vessel: Anna, built year: 2004, arrival: 14 January 2025, 13:29 UTC."
    );
    let run = run(
        &[("year", ValueKind::Number)],
        vec![json!({ "year": 2021 })],
    );
    assert_eq!(tell("Since when?", &run, 100), "Year: 2021.");
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
        tell("Who is new?", &run(&columns, vec![row]), 100),
        "First name: Ann, hired on: 1 May 2024, note: none."
    );
}
