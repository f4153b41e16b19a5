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
        elapsed_ms: 1.0,
        estimated_rows: None,
        findings: Vec::new(),
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
fn few_rows_are_told_all_and_of_many_the_first() {
    let columns = [("city", ValueKind::Text), ("jobs", ValueKind::Number)];
    let rows = |count: usize| {
        (0..count)
            .map(|at| json!({ "city": format!("C{at}"), "jobs": at * 1000 }))
            .collect::<Vec<_>>()
    };
    let told = tell("Jobs by city", &run(&columns, rows(2)), 100);
    assert_eq!(told, "There are 2 results:\n- C0: 0\n- C1: 1,000");
    let told = tell("Jobs by city", &run(&columns, rows(42)), 100);
    assert!(
        told.starts_with("There are 42 results. The first 5:\n- C0: 0\n"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 6);
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
fn one_row_is_told_with_its_labels() {
    let columns = [
        ("firstName", ValueKind::Text),
        ("hiredOn", ValueKind::Date),
        ("note", ValueKind::Text),
    ];
    let row = json!({ "firstName": "Ann", "hiredOn": "2024-05-01", "note": null });
    assert_eq!(
        tell("Who is new?", &run(&columns, vec![row]), 100),
        "First name: Ann, hired on: 2024-05-01, note: none."
    );
}
