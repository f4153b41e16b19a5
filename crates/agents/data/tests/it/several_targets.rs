//! Which of several databases a question is about, and that the answer says so.

use contracts::{
    run::{FinishReason, Source},
    tools::{ToolEnvelope, sql::names},
};
use serde_json::json;

use crate::{
    chat::{Chat, Turn},
    double::Double,
    model::Model,
};

/// The company's database and a warehouse, which has no employees and no customers, and a `crew` of
/// its own.
pub(crate) fn both() -> std::sync::Arc<Double> {
    Double::new().beside(
        "warehouse",
        "Stock, parts and suppliers",
        &["part", "supplier", "crew"],
    )
}

fn target(chat: &Chat) -> String {
    let runs = chat.tools.calls_of(names::RUN_SQL);
    runs.first().map_or_else(String::new, |run| {
        run["target"].as_str().unwrap().to_owned()
    })
}

async fn asked(chat: &mut Chat, question: &str) -> (String, Turn) {
    let turn = chat.say(question).await;
    (target(chat), turn)
}

#[tokio::test]
async fn the_words_of_the_question_choose_and_the_answer_says_which() {
    for (question, wanted) in [
        ("How many employees are there?", "fieldservice"),
        ("How many parts are there?", "warehouse"),
        ("List all suppliers", "warehouse"),
        (
            "How many crews are there in the warehouse database?",
            "warehouse",
        ),
        ("SELECT name FROM supplier", "warehouse"),
    ] {
        let mut chat = Chat::new(both());
        let (target, turn) = asked(&mut chat, question).await;
        assert_eq!(target, wanted, "{question}: {}", turn.text());
        assert!(
            turn.text().contains(&format!("\u{201c}{wanted}\u{201d}")),
            "{question}: {}",
            turn.text()
        );
    }
    // Of one database nothing is said.
    let (_, turn) = asked(
        &mut Chat::new(Double::new()),
        "How many employees are there?",
    )
    .await;
    assert!(!turn.text().contains("fieldservice"), "{}", turn.text());
}

#[tokio::test]
async fn the_only_database_that_fits_is_not_offered_beside_those_that_do_not() {
    let listed = |target: &str, table: &str, score: f64| {
        let about = |name: &str| json!({ "name": name, "dialect": "mysql" });
        Ok(ToolEnvelope::ok(json!({
            "target": target, "dialect": "mysql", "targets": [about("fieldservice"), about("warehouse")], "total": 1,
            "tables": [{ "name": table, "columns": 5, "relationships": 0, "secure": false, "score": score }],
        })))
    };
    for question in [
        "Who worked overtime?",
        "who did overtime",
        "Which people worked overtime?",
    ] {
        for (score, is_asked) in [(0.2, false), (0.36, true)] {
            let double = both()
                .then(names::LIST_TABLES, listed("fieldservice", "workTime", 0.38))
                .then(names::LIST_TABLES, listed("warehouse", "part", score));
            let mut chat = Chat::new(double);
            let text = chat.say(question).await.text();
            let choice = chat.thread().await.choice;
            assert_eq!(choice.is_some(), is_asked, "{question}: {text}");
        }
    }
}

#[tokio::test]
async fn the_only_database_can_be_named_as_well() {
    for question in [
        "in fieldservice: How many employees are there?",
        "fieldservice: How many employees are there?",
        "How many employees are there in fieldservice?",
    ] {
        let mut chat = Chat::new(Double::new());
        let turn = chat.say(question).await;
        let past = chat.tools.calls_of(names::FIND_PAST_QUESTIONS);
        let sought = past.last().unwrap()["question"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(sought, "How many employees are there?", "{question}");
        assert_eq!(turn.text(), "There are 10 employees.", "{question}");
    }
}

#[tokio::test]
async fn the_thread_stays_with_its_database_until_the_words_say_otherwise() {
    let mut chat = Chat::new(both());
    for (question, wanted) in [
        ("How many suppliers are there?", "warehouse"),
        ("How many crews are there?", "warehouse"),
        ("How many employees are there?", "fieldservice"),
        ("How many crews are there?", "fieldservice"),
        ("How many crews are in the warehouse database?", "warehouse"),
    ] {
        let (target, turn) = asked(&mut chat, question).await;
        assert_eq!(target, wanted, "{question}: {}", turn.text());
        chat.restart();
    }
}

#[tokio::test]
async fn a_database_that_the_person_named_stays_the_threads() {
    let mut chat = Chat::new(both());
    asked(&mut chat, "How many suppliers are there in warehouse?").await;
    chat.restart();
    // It has no employees; another has.
    let (target, turn) = asked(&mut chat, "How many employees are there?").await;
    assert_eq!(target, "");
    assert_eq!(
        turn.text(),
        "The database \u{201c}warehouse\u{201d} has no table \u{201c}employee\u{201d} that you may see; \u{201c}fieldservice\u{201d} has one. You could ask: \u{201c}fieldservice: how many employees are there?\u{201d}"
    );
    for (question, wanted) in [
        ("How many crews are there?", "warehouse"),
        (
            "fieldservice: how many employees are there?",
            "fieldservice",
        ),
        ("How many crews are there?", "fieldservice"),
        (
            "not fieldservice, warehouse: how many crews are there?",
            "warehouse",
        ),
        ("the fieldservice customers, how many?", "fieldservice"),
        ("no, warehouse: how many crews are there?", "warehouse"),
    ] {
        let (target, turn) = asked(&mut chat, question).await;
        assert_eq!(target, wanted, "{question}: {}", turn.text());
    }
    // A question that is none to a database is not asked there.
    let turn = chat.say("How do I hire an employee?").await;
    assert_ne!(turn.route().0, "sql", "{}", turn.text());
}

#[tokio::test]
async fn whether_a_database_has_something_is_answered_as_that() {
    let mut chat = Chat::new(both().rows(json!([{ "count": 10 }])));
    let (target, turn) = asked(&mut chat, "does warehouse have crews?").await;
    assert_eq!(target, "warehouse");
    assert!(
        turn.text().starts_with("Yes, there are 10 crews."),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn databases_that_are_named_side_by_side_are_asked_one_at_a_time() {
    let mut chat = Chat::new(both());
    let turn = chat
        .say("How many crews are there in warehouse and fieldservice?")
        .await;
    assert!(
        turn.text()
            .starts_with("A question is put to one database at a time. Which one first?"),
        "{}",
        turn.text()
    );
    assert_eq!(turn.picker().1["options"].as_array().unwrap().len(), 2);
    let (target, turn) = asked(&mut chat, "warehouse").await;
    assert_eq!(target, "warehouse");
    assert!(
        turn.text().contains("There are 10 crews."),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_name_before_a_table_is_its_database() {
    for question in [
        "How many rows are in warehouse.crew?",
        "How many rows does the table warehouse.part have?",
        "List all warehouse.supplier",
    ] {
        let mut chat = Chat::new(both());
        let (target, turn) = asked(&mut chat, question).await;
        assert_eq!(target, "warehouse", "{question}: {}", turn.text());
    }
}

#[tokio::test]
async fn a_database_that_cannot_be_asked_is_named_where_nothing_fits() {
    for question in [
        "SELECT COUNT(*) FROM supplier",
        "How many suppliers are there?",
    ] {
        let mut chat = Chat::new(both().refused("Its role may write."));
        let turn = chat.say(question).await;
        assert!(
            turn.text().contains(
                "The database \u{201c}warehouse\u{201d} cannot be asked at the moment, so it is not known whether it has this."
            ),
            "{question}: {}",
            turn.text()
        );
        assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    }
}

#[tokio::test]
async fn the_tables_that_have_a_column_are_told() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("which tables have a customer_id?").await;
    assert_eq!(
        turn.text(),
        "One table has a column \u{201c}customer_id\u{201d}: workOrder."
    );
    let turn = chat.say("which tables have a wing_span?").await;
    assert_eq!(
        turn.text(),
        "No table that you may see has a column \u{201c}wing_span\u{201d}."
    );
    let turn = chat.say("show me the tables with a column called id").await;
    assert!(
        turn.text().starts_with("5 tables have a column"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn statements_that_read_no_rows_are_refused_as_what_they_are() {
    for (statement, told) in [
        (
            "EXPLAIN SELECT * FROM crew",
            "EXPLAIN shows how the database",
        ),
        ("COPY crew TO '/tmp/x'", "that would write rows to a file"),
        ("SHOW GRANTS", "SHOW asks the server about itself"),
        ("BEGIN;", "it steers a session"),
    ] {
        for double in [Double::new(), both()] {
            let mut chat = Chat::new(double);
            let turn = chat.say(statement).await;
            assert!(
                turn.text().starts_with("I did not run that: ") && turn.text().contains(told),
                "{statement}: {}",
                turn.text()
            );
            assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
        }
    }
}

#[tokio::test]
async fn the_request_chooses_unless_the_words_name_another() {
    let mut chat = Chat::new(both());
    chat.about(Some("warehouse"));
    assert_eq!(
        asked(&mut chat, "How many crews are there?").await.0,
        "warehouse"
    );
    let (target, _) = asked(&mut chat, "List all crews from the fieldservice database").await;
    assert_eq!(target, "fieldservice");
    let mut chat = Chat::new(both());
    chat.about(Some("fieldservice"));
    assert_eq!(
        asked(&mut chat, "How many crews are there?").await.0,
        "fieldservice"
    );
}

#[tokio::test]
async fn where_nothing_tells_the_person_is_asked() {
    let mut chat = Chat::new(both());
    let turn = chat.say("How many crews are there?").await;
    assert_eq!(
        (turn.reason(), turn.route().0),
        (FinishReason::ToolCalls, "sql")
    );
    let (call, picker) = turn.picker();
    assert_eq!(
        picker["options"],
        json!([
            { "value": "fieldservice", "label": "fieldservice", "subtitle": "Jobs and customers" },
            { "value": "warehouse", "label": "warehouse", "subtitle": "Stock, parts and suppliers" },
        ])
    );
    let choice = chat.thread().await.choice.unwrap();
    assert_eq!((choice.call_id.as_str(), choice.targets.len()), (call, 2));
    assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    let call = call.to_owned();
    chat.restart();
    let answered = chat.say("the one with the suppliers").await;
    assert_eq!(
        answered.answered(),
        [(&*call, &json!({ "selection": "warehouse" }))]
    );
    assert_eq!(answered.route(), ("sql", Source::Rules));
    assert_eq!(target(&chat), "warehouse");
    assert!(
        answered.text().contains("There are 10 crews."),
        "{}",
        answered.text()
    );
    assert!(chat.thread().await.choice.is_none());
    // The thread stays there.
    assert_eq!(
        asked(&mut chat, "How many crews are there?").await.0,
        "warehouse"
    );
}

#[tokio::test]
async fn a_value_of_the_picker_and_another_question_are_told_apart() {
    let mut chat = Chat::new(both());
    let turn = chat.say("How many crews are there?").await;
    let call = turn.picker().0.to_owned();
    chat.give(&call, json!({ "selection": "fieldservice" }))
        .await;
    assert_eq!(target(&chat), "fieldservice");

    let mut chat = Chat::new(both());
    chat.say("How many crews are there?").await;
    let (target, turn) = asked(&mut chat, "How many suppliers are there?").await;
    assert_eq!(target, "warehouse", "{}", turn.text());
}

#[tokio::test]
async fn what_is_no_question_to_a_database_asks_for_none() {
    let mut chat = Chat::new(both());
    let turn = chat.say("What can you do?").await;
    assert_eq!(
        (turn.route().0, turn.reason()),
        ("general", FinishReason::Stop)
    );
}

#[tokio::test]
async fn the_databases_and_the_tables_of_all_are_told() {
    let mut chat = Chat::with_model(both(), &Model::new([]));
    let turn = chat.say("Which databases do you have?").await;
    assert_eq!(
        turn.text(),
        "I can ask 2 databases: \u{201c}fieldservice\u{201d} (Jobs and customers), \u{201c}warehouse\u{201d} (Stock, parts and suppliers)."
    );
    let turn = chat.say("Which tables do you have?").await;
    assert!(
        turn.text()
            .contains("of the database \u{201c}fieldservice\u{201d}")
            && turn.text().contains("part, supplier, crew"),
        "{}",
        turn.text()
    );
    let turn = chat.say("what columns has supplier?").await;
    assert!(
        turn.text()
            .starts_with("The table supplier of the database \u{201c}warehouse\u{201d}"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_confirmed_question_of_one_database_is_answered_there() {
    let double = both().knows("How many crews are there?", "SELECT 7 FROM crew", 1.0);
    let mut chat = Chat::new(double);
    assert_eq!(
        asked(&mut chat, "How many crews are there?").await.0,
        "fieldservice"
    );
    // The database that was named is asked about its own tables.
    asked(&mut chat, "How many suppliers are there in warehouse?").await;
    assert_eq!(
        asked(&mut chat, "How many crews are there?").await.0,
        "warehouse"
    );
}

#[tokio::test]
async fn a_pasted_query_goes_to_the_database_that_has_its_tables() {
    for (query, wanted) in [
        ("SELECT COUNT(*) FROM supplier", "warehouse"),
        ("SELECT COUNT(*) FROM customer", "fieldservice"),
        (
            "SELECT c.name FROM crew c JOIN part p ON p.id = c.id",
            "warehouse",
        ),
        ("warehouse: SELECT COUNT(*) FROM crew", "warehouse"),
        (
            "Run this in fieldservice: SELECT COUNT(*) FROM crew",
            "fieldservice",
        ),
    ] {
        let mut chat = Chat::new(both());
        let (target, turn) = asked(&mut chat, query).await;
        assert_eq!(target, wanted, "{query}: {}", turn.text());
    }
    // Of the request, and of the thread.
    let mut chat = Chat::new(both());
    chat.about(Some("warehouse"));
    let query = "SELECT COUNT(*) FROM crew";
    assert_eq!(asked(&mut chat, query).await.0, "warehouse");
    let mut chat = Chat::new(both());
    asked(&mut chat, "How many suppliers are there?").await;
    assert_eq!(asked(&mut chat, query).await.0, "warehouse");
}

#[tokio::test]
async fn a_pasted_query_that_fits_several_databases_is_asked_about_and_runs_as_it_was_written() {
    let mut chat = Chat::new(both());
    let query = "SELECT COUNT(*) FROM crew";
    let turn = chat.say(query).await;
    assert_eq!(turn.reason(), FinishReason::ToolCalls, "{}", turn.text());
    assert_eq!(turn.picker().1["options"].as_array().unwrap().len(), 2);
    assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    chat.restart();
    let turn = chat.say("warehouse").await;
    let run = chat.tools.calls_of(names::RUN_SQL);
    assert_eq!(
        (&run[0]["target"], &run[0]["sql"]),
        (&json!("warehouse"), &json!(query))
    );
    assert!(turn.text().contains("your own query"), "{}", turn.text());
}

#[tokio::test]
async fn a_pasted_query_that_no_database_takes_is_refused_with_the_nearest() {
    for (query, told) in [
        (
            "SELECT COUNT(*) FROM suppliers",
            "I did not run your query. No database has a table \u{201c}suppliers\u{201d} that you may see. Near to it: supplier in \u{201c}warehouse\u{201d}.",
        ),
        (
            "SELECT c.name FROM customer c JOIN part p ON p.id = c.id",
            "I did not run your query. A query reads one database, and none has all of its tables: \u{201c}fieldservice\u{201d} has no table \u{201c}part\u{201d}; \u{201c}warehouse\u{201d} has no table \u{201c}customer\u{201d}.",
        ),
    ] {
        let mut chat = Chat::new(both());
        let turn = chat.say(query).await;
        assert_eq!(turn.text(), told);
        assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    }
}

#[tokio::test]
async fn the_picker_leaves_out_what_cannot_answer() {
    let mut chat = Chat::new(both());
    let turn = chat.say("List the customers of the suppliers").await;
    // Each has one of them.
    assert_eq!(turn.picker().1["options"].as_array().unwrap().len(), 2);
    let mut chat = Chat::new(both());
    let (target, turn) = asked(&mut chat, "does warehouse have crews?").await;
    assert_eq!(target, "warehouse", "{}", turn.text());
    let (_, turn) = asked(&mut chat, "fieldservice: how many suppliers are there?").await;
    assert_eq!(
        turn.text(),
        "The database \u{201c}fieldservice\u{201d} has no table \u{201c}supplier\u{201d} that you may see; \u{201c}warehouse\u{201d} has one. You could ask: \u{201c}warehouse: how many suppliers are there?\u{201d}"
    );
}

#[tokio::test]
async fn a_follow_up_that_only_names_a_database_asks_the_question_there() {
    let mut chat = Chat::new(both());
    asked(&mut chat, "How many crews are there in warehouse?").await;
    let (target, turn) = asked(&mut chat, "and in fieldservice?").await;
    assert_eq!(target, "fieldservice", "{}", turn.text());
    assert!(turn.text().contains("crews"), "{}", turn.text());
}

/// Three that have customers, and one of the words for each: a shop and a zoo beside the company.
fn three() -> std::sync::Arc<Double> {
    Double::new()
        .beside("shop", "Sales", &["customer", "orders", "worker"])
        .beside("zoo", "Animals", &["animal", "keeper"])
}

#[tokio::test]
async fn a_suggestion_names_its_database_and_is_answered_there() {
    for question in [
        "in shop: how many customers have no email?",
        "shop: which customers never bought anything?",
        "How many customers moved away lately in shop?",
        "in shop: what is the weather like?",
    ] {
        let mut chat = Chat::new(three());
        let (_, turn) = asked(&mut chat, question).await;
        let text = turn.text();
        let offered: Vec<&str> = text.split('\u{201c}').skip(1).collect();
        assert!(!offered.is_empty(), "{question}: {text}");
        for offer in offered {
            let offer = offer.split('\u{201d}').next().unwrap();
            assert!(offer.starts_with("in shop: "), "{question}: {text}");
            let (target, turn) = asked(&mut Chat::new(three()), offer).await;
            assert_eq!(target, "shop", "{offer}: {}", turn.text());
        }
    }
    // Of one database none is named.
    let turn = Chat::new(Double::new())
        .say("how many customers have no email?")
        .await;
    assert!(!turn.text().contains("in fieldservice"), "{}", turn.text());
}

#[tokio::test]
async fn a_yes_to_an_offer_is_answered_by_the_database_that_was_asked() {
    let double = three().knows("How many crews are there?", "SELECT 7 FROM crew", 0.9);
    let mut chat = Chat::new(double);
    let (_, turn) = asked(
        &mut chat,
        "in fieldservice: how many crews are there really?",
    )
    .await;
    assert!(
        turn.text()
            .contains("\u{201c}in fieldservice: How many crews are there?\u{201d}"),
        "{}",
        turn.text()
    );
    let (target, turn) = asked(&mut chat, "yes").await;
    assert_eq!(target, "fieldservice", "{}", turn.text());
}

#[tokio::test]
async fn a_thread_remembers_the_database_that_was_named_in_a_refused_question() {
    for first in [
        "in shop: how many customers have no email?",
        "in shop: what is the weather like?",
        "what tables are in shop?",
    ] {
        let mut chat = Chat::new(three());
        asked(&mut chat, first).await;
        chat.restart();
        for follow in ["How many customers are there?", "and customers?"] {
            let (target, turn) = asked(&mut chat, follow).await;
            if follow.starts_with("How") || target != String::new() {
                assert_eq!(target, "shop", "{first}, {follow}: {}", turn.text());
            }
        }
    }
}

#[tokio::test]
async fn tables_that_several_databases_have_are_answered_by_none_of_them_silently() {
    for question in [
        "How many customers are there?",
        "List all customers",
        "How many customers are there per city?",
    ] {
        let mut chat = Chat::new(three());
        let turn = chat.say(question).await;
        assert_eq!(
            turn.reason(),
            FinishReason::ToolCalls,
            "{question}: {}",
            turn.text()
        );
        let options = turn.picker().1["options"].clone();
        let named = options
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["value"].clone());
        assert_eq!(
            named.collect::<Vec<_>>(),
            ["fieldservice", "shop"],
            "{question}"
        );
        assert!(chat.tools.calls_of(names::RUN_SQL).is_empty());
    }
    // "Work orders" are more than "orders".
    for (question, wanted) in [
        ("How many work orders are there?", "fieldservice"),
        ("How many workers are there?", "shop"),
    ] {
        let (target, turn) = asked(&mut Chat::new(three()), question).await;
        assert_eq!(target, wanted, "{question}: {}", turn.text());
    }
}

#[tokio::test]
async fn a_correction_of_the_database_asks_the_question_there() {
    let orders = || {
        Double::new()
            .beside("orders", "Sales", &["customer", "orders"])
            .beside("zoo", "Animals", &["animal"])
            .beside("atelier", "Repairs", &["customer"])
    };
    for (correction, wanted) in [
        ("no, in orders", "orders"),
        ("sorry, I meant in orders", "orders"),
        ("and in the orders?", "orders"),
        ("in atelier please", "atelier"),
    ] {
        let mut chat = Chat::new(orders());
        asked(&mut chat, "How many customers are there in fieldservice?").await;
        let (target, turn) = asked(&mut chat, correction).await;
        assert_eq!(target, wanted, "{correction}: {}", turn.text());
        assert!(
            turn.text().contains("customers"),
            "{correction}: {}",
            turn.text()
        );
    }
    // Also where the question was refused there.
    let mut chat = Chat::new(orders());
    asked(&mut chat, "How many customers are there in zoo?").await;
    let (target, turn) = asked(&mut chat, "no, in orders").await;
    assert_eq!(target, "orders", "{}", turn.text());
    // A database without the table: each that has it is named.
    let (target, turn) = asked(&mut chat, "and in zoo?").await;
    assert_eq!(target, "");
    assert_eq!(
        turn.text(),
        "The database \u{201c}zoo\u{201d} has no table \u{201c}customer\u{201d} that you may see; \u{201c}fieldservice\u{201d}, \u{201c}orders\u{201d} and \u{201c}atelier\u{201d} have one. You could ask: \u{201c}fieldservice: how many customers are there?\u{201d} \u{201c}orders: how many customers are there?\u{201d} \u{201c}atelier: how many customers are there?\u{201d}"
    );
}

#[tokio::test]
async fn a_database_that_does_not_exist_is_said_not_to_and_no_other_answers() {
    for question in [
        "in laden: how many customers are there?",
        "laden: how many crews are there?",
        "How many customers are there in the laden database?",
        "in laden: SELECT COUNT(*) FROM crew",
    ] {
        for (double, exist) in [
            (
                both(),
                "Those that you may ask are \u{201c}fieldservice\u{201d} and \u{201c}warehouse\u{201d}.",
            ),
            (
                Double::new(),
                "The only one that you may ask is \u{201c}fieldservice\u{201d}.",
            ),
        ] {
            let mut chat = Chat::new(double);
            let (target, turn) = asked(&mut chat, question).await;
            assert_eq!(target, "", "{question}");
            assert_eq!(
                turn.text(),
                format!("There is no database \u{201c}laden\u{201d}. {exist} Nothing was asked."),
                "{question}"
            );
        }
    }
}

/// The tables of a target with their columns, as the tool lists them.
fn listed(target: &str, tables: &[(&str, &[&str])]) -> ToolEnvelope {
    let about = |name: &str| json!({ "name": name, "dialect": "mysql" });
    let tables: Vec<_> = tables
        .iter()
        .map(|(name, columns)| {
            json!({
                "name": name, "columns": columns.len(), "column_names": columns, "relationships": 0, "secure": false, "score": 0.1,
            })
        })
        .collect();
    ToolEnvelope::ok(json!({
        "target": target, "dialect": "mysql", "targets": [about("fieldservice"), about("warehouse")], "total": tables.len(),
        "tables": tables,
    }))
}

#[tokio::test]
async fn the_only_database_with_a_column_of_the_question_answers_it_and_is_named() {
    let double = both()
        .then(
            names::LIST_TABLES,
            Ok(listed(
                "fieldservice",
                &[("customer", &["id", "name", "city"])],
            )),
        )
        .then(
            names::LIST_TABLES,
            Ok(listed(
                "warehouse",
                &[
                    ("part", &["id", "name", "cargo"]),
                    ("crew", &["id", "name"]),
                ],
            )),
        )
        .describes(
            "part",
            &[("id", "int"), ("name", "text"), ("cargo", "text")],
        );
    let mut chat = Chat::new(double);
    let turn = chat.say("What is the most common cargo?").await;
    let run = chat.tools.answering();
    assert_eq!(
        (&run[0]["target"], &run[0]["sql"]),
        (
            &json!("warehouse"),
            &json!(
                "SELECT `cargo`, COUNT(*) AS `count` FROM `part` WHERE `cargo` IS NOT NULL GROUP BY `cargo` ORDER BY `count` DESC LIMIT 10"
            )
        )
    );
    assert!(
        turn.text().contains("\u{201c}warehouse\u{201d}"),
        "{}",
        turn.text()
    );
}
