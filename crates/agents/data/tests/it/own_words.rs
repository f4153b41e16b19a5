//! SQL that a person pastes, wishes to change the data, and questions about the tables themselves.

use contracts::{
    run::Source,
    tools::{ToolEnvelope, ToolStatus, sql::names},
};
use serde_json::{Value, json};

use crate::{
    chat::{Chat, Turn},
    double::Double,
    model::{Model, sql, tables},
};

/// With a model that may not be asked, and without one.
fn chats(double: impl Fn() -> std::sync::Arc<Double>) -> [Chat; 2] {
    [
        Chat::new(double()),
        Chat::with_model(double(), &Model::new([])),
    ]
}

fn sure(turn: &Turn, message: &str) {
    assert_eq!(turn.route(), ("sql", Source::Rules), "{message}");
    assert_eq!(turn.source(), Source::Rules, "{message}");
}

#[tokio::test]
async fn a_pasted_query_runs_as_the_persons_own() {
    for message in [
        "SELECT lastName FROM employee;",
        "```sql\nSELECT lastName FROM employee;\n```",
        "Please run this:\nSELECT lastName FROM employee",
    ] {
        for mut chat in
            chats(|| Double::new().rows(json!([{ "lastName": "A" }, { "lastName": "B" }])))
        {
            let turn = chat.say(message).await;
            sure(&turn, message);
            let calls = chat.tools.calls();
            let of = |tool: &str| -> Vec<&Value> {
                let calls = calls.iter().filter(|(name, _)| name == tool);
                calls.map(|(_, arguments)| &arguments["sql"]).collect()
            };
            assert_eq!(
                of(names::CHECK_SQL),
                ["SELECT lastName FROM employee"],
                "{message}"
            );
            assert_eq!(
                of(names::RUN_SQL),
                ["SELECT lastName FROM employee"],
                "{message}"
            );
            assert_eq!(
                turn.data(),
                Some(&json!([{ "lastName": "A" }, { "lastName": "B" }]))
            );
            assert!(
                turn.text().starts_with("There are 2 results.")
                    && turn.text().contains("your own query as you wrote it, on the database \u{201c}fieldservice\u{201d}. It read employee"),
                "{}",
                turn.text()
            );
            // There is no question yet that it answers.
            let turn = chat.say("remember it").await;
            assert!(turn.text().contains("Which one is it?"), "{}", turn.text());
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_pasted_query_is_told_and_not_corrected() {
    for mut chat in chats(Double::new) {
        let turn = chat.say("SELECT ghost FROM employee").await;
        sure(&turn, "ghost");
        assert_eq!(
            turn.text(),
            "I did not run your query. There is no column \u{201c}ghost\u{201d} that you may see."
        );
        assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    }
    let rejected = |outcome: &str, person: &str| {
        let result = json!({
            "target": "t", "outcome": outcome, "row_count": 0, "truncated": false, "elapsed_ms": 0.0, "person": person,
        });
        let message = "Write a narrower query: SELECT * FROM secure_employee";
        Ok(ToolEnvelope {
            result: Some(result),
            ..ToolEnvelope::without_result(ToolStatus::Error, message)
        })
    };
    for (outcome, told) in [
        ("rejected", "I did not run your query. Because."),
        ("too_expensive", "Because. Please ask for less at once"),
        ("timed_out", "Because. Please ask for less at once"),
    ] {
        for mut chat in chats(|| Double::new().then(names::RUN_SQL, rejected(outcome, "Because.")))
        {
            let turn = chat.say("SELECT lastName FROM employee").await;
            let text = turn.text();
            assert!(
                text.starts_with(told) && !text.contains("secure_") && !text.contains("narrower"),
                "{text}"
            );
        }
    }
}

#[tokio::test]
async fn what_would_change_the_data_is_refused_as_what_it_is() {
    for (message, told) in [
        ("DELETE FROM employee", "I do not delete anything"),
        ("delete all employees", "I do not delete anything"),
        (
            "Please delete the customer Kaiser",
            "I do not delete anything",
        ),
        (
            "UPDATE employee SET status = 'gone'",
            "I do not change anything",
        ),
        (
            "set the status of work order 5 to done",
            "I do not change anything",
        ),
        ("INSERT INTO crew VALUES (9, 'X')", "I do not add anything"),
        ("add a new customer called Meier", "I do not add anything"),
        (
            "DROP TABLE employee;",
            "I do not create, change or drop tables",
        ),
        (
            "drop the table employee",
            "I do not create, change or drop tables",
        ),
        ("GRANT SELECT ON employee TO bob", "I do not change rights"),
        (
            "SELECT 1; DELETE FROM employee",
            "I did not run that: it is more than one statement",
        ),
    ] {
        for mut chat in chats(Double::new) {
            let turn = chat.say(message).await;
            sure(&turn, message);
            assert!(turn.text().starts_with(told), "{message}: {}", turn.text());
            let calls = chat.tools.calls();
            let ran = calls
                .iter()
                .any(|(name, _)| name == names::RUN_SQL || name == names::CHECK_SQL);
            assert!(!ran, "{message}");
        }
    }
    let turn = Chat::new(Double::new()).say("delete all employees").await;
    assert!(
        turn.text().ends_with("You could ask: \u{201c}How many employees are there?\u{201d} \u{201c}List all employees.\u{201d}"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_change_of_one_record_is_refused_after_any_answer() {
    for before in [
        "Which employee of Bonn earns the most?",
        "How many employees are there?",
        "delete all employees",
    ] {
        let mut chat = Chat::new(Double::new().rows(json!([{ "count": 12 }])));
        chat.say(before).await;
        for message in [
            "update the hourly rate of employee 5",
            "set the status of work order 5 to done",
        ] {
            let turn = chat.say(message).await;
            sure(&turn, message);
            let text = turn.text();
            assert!(
                text.starts_with("I do not change anything"),
                "{before}: {text}"
            );
        }
    }
}

#[tokio::test]
async fn the_tables_are_told() {
    for message in [
        "which tables do you have?",
        "show me a list of tables",
        "SHOW TABLES;",
    ] {
        for mut chat in chats(Double::new) {
            let turn = chat.say(message).await;
            sure(&turn, message);
            assert!(
                turn.text().starts_with("You may ask about 5 tables: ")
                    && turn.text().contains("workOrder"),
                "{}",
                turn.text()
            );
            let rows = turn.data().unwrap().as_array().unwrap();
            assert_eq!((rows.len(), &rows[0]["columns"]), (5, &json!(5)));
        }
    }
}

#[tokio::test]
async fn the_tables_of_a_schema_are_told_and_no_others() {
    let list = json!({
        "target": "fieldservice", "dialect": "postgresql", "total": 3,
        "targets": [{ "name": "fieldservice", "dialect": "postgresql" }],
        "tables": [
            { "name": "crew", "columns": 2, "relationships": 0, "secure": false },
            { "name": "lab.sample", "columns": 3, "relationships": 0, "secure": false },
            { "name": "lab.visit", "columns": 4, "relationships": 0, "secure": false },
        ],
    });
    for (message, told, rows) in [
        (
            "which tables are there in lab?",
            "You may ask about 2 tables: lab.sample, lab.visit.",
            2,
        ),
        (
            "which tables are in the lab schema?",
            "You may ask about 2 tables: lab.sample, lab.visit.",
            2,
        ),
        (
            "list the tables of schema public",
            "You may ask about one table: crew.",
            1,
        ),
        (
            "which tables are there in moon?",
            "There is no database and no schema \u{201c}moon\u{201d} that you may see.\n\nYou may ask about 3 tables: crew, lab.sample, lab.visit.",
            3,
        ),
    ] {
        let double = Double::new()
            .then(names::LIST_TABLES, Ok(ToolEnvelope::ok(list.clone())))
            .then(names::LIST_TABLES, Ok(ToolEnvelope::ok(list.clone())));
        let turn = Chat::new(double).say(message).await;
        sure(&turn, message);
        assert_eq!(turn.text(), told, "{message}");
        assert_eq!(turn.data().unwrap().as_array().unwrap().len(), rows);
    }
}

#[tokio::test]
async fn the_columns_of_a_table_are_told() {
    for message in [
        "what columns has customer?",
        "describe table customer",
        "describe customers",
        "Which fields does the table customer have?",
    ] {
        for mut chat in chats(Double::new) {
            let turn = chat.say(message).await;
            sure(&turn, message);
            assert_eq!(
                turn.text(),
                "The table customer has 3 columns: id, name, city.",
                "{message}"
            );
            let rows = turn.data().unwrap();
            assert_eq!(
                (&rows[1]["column"], &rows[1]["type"]),
                (&json!("name"), &json!("varchar(20)"))
            );
            assert_eq!(
                chat.tools.calls_of(names::DESCRIBE_TABLES)[0]["sample_rows"],
                0
            );
        }
    }
    let turn = Chat::new(Double::new())
        .say("what columns has invoices?")
        .await;
    assert_eq!(
        turn.text(),
        "There is no table \u{201c}invoices\u{201d} that you may see. Near to it: customer.",
    );
}

#[tokio::test]
async fn a_query_of_rules_is_made_anew_when_the_names_are_out_of_date() {
    let refused = json!({
        "target": "fieldservice", "outcome": "refused", "row_count": 0, "truncated": false, "elapsed_ms": 0.0,
        "findings": [{ "kind": "unknown_column", "message": "Column 'city' does NOT exist.", "tables": ["customer"] }],
    });
    let refused = ToolEnvelope {
        result: Some(refused),
        ..ToolEnvelope::without_result(ToolStatus::Error, "Refused.")
    };
    let renamed = json!({
        "target": "fieldservice", "dialect": "mysql", "unknown": [], "relationships": [],
        "tables": [{
            "name": "customer", "omitted_columns": 0,
            "columns": [{ "name": "name", "type": "text", "nullable": false, "unique": false }, { "name": "town", "type": "text", "nullable": false, "unique": false }],
        }],
    });
    let double = Double::new().then(names::RUN_SQL, Ok(refused));
    let mut chat = Chat::new(double.clone());
    chat.say("How many crews are there?").await;
    let usual = chat.tools.calls_of(names::RUN_SQL);
    assert_eq!(usual.len(), 2, "once more with the names as they are now");
    let described = chat.say("List all customers").await;
    assert!(described.text().contains("10"), "{}", described.text());
    double.then(names::DESCRIBE_TABLES, Ok(ToolEnvelope::ok(renamed)));
    chat.tools.calls();
    chat.say("List all customers").await;
    assert_eq!(
        chat.tools.calls_of(names::RUN_SQL)[0]["sql"],
        "SELECT `name`, `town` FROM `customer`"
    );
}

#[tokio::test]
async fn prose_and_fences_around_a_models_query_are_taken_off() {
    for answer in [
        "Here is the query:\n\n```sql\nSELECT COUNT(*) AS n FROM employee;\n```\n\nIt counts them.",
        "This should do it: SELECT COUNT(*) AS n FROM employee;\nIt counts the employees.",
    ] {
        let model = Model::new([tables(&["employee"]), crate::model::says(answer)]);
        let mut chat = Chat::with_model(Double::new(), &model);
        chat.say("How many employees are active?").await;
        assert_eq!(
            chat.tools.calls_of(names::RUN_SQL)[0]["sql"],
            "SELECT COUNT(*) AS n FROM employee"
        );
    }
    // The guard refuses statements that would change the data, and the person reads that reason,
    // not that there was no query.
    let refused = || {
        Ok(ToolEnvelope::ok(json!({
            "target": "fieldservice", "valid": false, "tables": [],
            "findings": [{ "kind": "not_a_read", "message": "Only SELECT is allowed.", "person": "It would do something other than read." }],
        })))
    };
    let double = Double::new()
        .then(names::CHECK_SQL, refused())
        .then(names::CHECK_SQL, refused());
    let model = Model::new([
        tables(&["employee"]),
        sql("DELETE FROM employee"),
        sql("DROP TABLE employee"),
    ]);
    let mut chat = Chat::with_model(double, &model)
        .limited(|options| options.limits.correction_max_attempts = 1);
    let turn = chat.say("How many employees are active?").await;
    assert!(
        turn.text()
            .contains("It would do something other than read."),
        "{}",
        turn.text()
    );
}
