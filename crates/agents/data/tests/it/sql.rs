//! A question about data from end to end, with a model.

use agent_data::Route;
use contracts::{
    run::{Channel, RunEvent, Source},
    tools::{ToolEnvelope, ToolStatus, names::RENDER_UI_COMPONENT, sql::names},
};
use serde_json::json;

use crate::{
    chat::Chat,
    double::Double,
    model::{Model, material, says, sql, tables},
};

const QUESTION: &str = "How many employees are active?";
const QUERY: &str = "SELECT COUNT(*) AS active_employees FROM employee WHERE status = 'active'";

#[tokio::test]
async fn a_question_becomes_tables_a_query_rows_and_a_sentence() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.route(), ("sql", Source::Rules));
    assert_eq!(turn.text(), "There are 10 active employees.");
    assert_eq!(turn.data(), Some(&json!([{ "active_employees": 10 }])));
    assert_eq!(turn.told_calls(), [names::RUN_SQL]);
    assert!(turn.warnings().is_empty() && model.is_spent());
    let called: Vec<_> = chat
        .tools
        .calls()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        called,
        [
            names::LIST_TABLES,
            names::FIND_PAST_QUESTIONS,
            names::DESCRIBE_TABLES,
            names::CHECK_SQL,
            names::RUN_SQL
        ]
    );
    let thread = chat.thread().await;
    assert_eq!(thread.state.route, Some(Route::Sql));
    assert!(thread.state.confirmable && thread.pending.is_none());
    assert_eq!(thread.state.queries[0].sql, QUERY);
}

#[tokio::test]
async fn the_events_of_the_way_come_in_their_order() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    let kinds: Vec<String> = turn
        .events
        .iter()
        .map(|event| {
            serde_json::to_value(event).unwrap()["event"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .filter(|kind| kind != "status")
        .collect();
    assert_eq!(
        kinds.join(" "),
        "started route step_started tool_call tool_result step_finished step_started structured_data text_started text_delta text_finished \
         step_finished finished"
    );
}

#[tokio::test]
async fn bridges_are_found_and_described_and_their_joins_are_the_plan() {
    let query = "SELECT e.lastName FROM employee e JOIN workTime t ON t.employeeId = e.id JOIN workOrder w ON w.id = t.workOrderId";
    let model = Model::new([tables(&["employee", "workOrder"]), sql(query)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say("Which employees worked on which work orders last week?")
        .await;
    let asked = material(&model.requests()[1]);
    let names: Vec<_> = asked["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["employee", "workOrder", "workTime"]);
    assert_eq!(
        asked["joins"],
        json!([
            "workTime.employeeId = employee.id",
            "workTime.workOrderId = workOrder.id"
        ])
    );
}

#[tokio::test]
async fn a_model_chooses_only_among_parallel_joins() {
    let step = |column: &str| {
        json!({ "from_table": "workOrder", "from_column": column, "to_table": "customer", "to_column": "id", "type": "foreign_key",
            "confidence": 1.0, "cardinality": "N:1" })
    };
    let plan = || {
        let mut first = step("customerId");
        first["choices"] = json!([step("billedCustomerId")]);
        ToolEnvelope::ok(json!({
            "target": "fieldservice", "tables": ["workOrder", "customer"], "bridges": [], "unknown": [], "steps": [first],
            "groups": [["workOrder", "customer"]], "paths": [], "relationships": [],
        }))
    };
    for (answer, join) in [
        (
            r#"{"choices": {"0": 1}}"#,
            "workOrder.billedCustomerId = customer.id",
        ),
        (
            r#"{"choices": {"0": 0}}"#,
            "workOrder.customerId = customer.id",
        ),
        (
            r#"{"choices": {"7": 1, "0": 9}}"#,
            "workOrder.customerId = customer.id",
        ),
        ("the second", "workOrder.customerId = customer.id"),
    ] {
        let double = Double::new().then(names::FIND_JOIN_PATHS, Ok(plan()));
        let model = Model::new([
            tables(&["workOrder", "customer"]),
            says(answer),
            sql("SELECT name FROM customer"),
        ]);
        Chat::with_model(double, &model)
            .say("Which customers pay for which work orders?")
            .await;
        let requests = model.requests();
        assert_eq!(material(&requests[2])["joins"], json!([join]), "{answer}");
        assert!(material(&requests[1])["joins"][0]["choices"].is_array());
    }
}

#[tokio::test]
async fn names_that_are_no_table_are_dropped_and_asked_again_once() {
    let model = Model::new([
        tables(&["technicians"]),
        tables(&["EMPLOYEE", "ghosts"]),
        sql(QUERY),
    ]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.text(), "There are 10 active employees.");
    let requests = model.requests();
    assert_eq!(
        material(&requests[1])["no_such_tables"],
        json!(["technicians"])
    );
    assert_eq!(
        chat.tools.calls_of(names::DESCRIBE_TABLES)[0]["tables"],
        json!(["employee"])
    );
}

#[tokio::test]
async fn where_the_choice_can_not_be_used_the_best_candidates_are_taken() {
    for first in ["employee I guess", "[1, 2"] {
        let model = Model::new([says(first), sql(QUERY)]);
        let mut chat = Chat::with_model(Double::new(), &model)
            .limited(|options| options.limits.max_fallback_tables = 2);
        chat.say(QUESTION).await;
        let described = chat.tools.calls_of(names::DESCRIBE_TABLES);
        assert_eq!(described[0]["tables"], json!(["employee", "crew"]));
    }
}

#[tokio::test]
async fn a_question_that_no_table_fits_is_said_to_be_one() {
    let model = Model::new([tables(&[])]);
    let turn = Chat::with_model(Double::new(), &model)
        .say("How many customers live on the moon?")
        .await;
    assert!(
        turn.text()
            .starts_with("I found no table that holds what you ask for."),
        "{}",
        turn.text()
    );
    assert_eq!(turn.data(), None);
}

#[tokio::test]
async fn a_simple_question_is_answered_where_the_model_finds_no_table() {
    for (question, read) in [
        ("How many employees are there?", "employee"),
        ("How many customers do we have?", "customer"),
        ("List all crews", "crew"),
    ] {
        let model = Model::new([tables(&[])]);
        let mut chat = Chat::with_model(Double::new(), &model);
        chat.say(question).await;
        let runs = chat.tools.calls_of(names::RUN_SQL);
        assert_eq!(runs.len(), 1, "{question}");
        assert!(runs[0]["sql"].as_str().unwrap().contains(read), "{runs:?}");
    }
}

#[tokio::test]
async fn a_near_question_is_offered_where_the_model_has_no_query() {
    let script = || {
        [
            vec![tables(&[])],
            vec![tables(&["employee"]), says("no"), says("no")],
        ]
    };
    for answers in script() {
        let double =
            Double::new().knows("How many employees are ill?", "SELECT 1 FROM employee", 0.9);
        let model = Model::new(answers);
        let mut chat = Chat::with_model(double, &model);
        let turn = chat
            .say("How many employees feel unwell on the moon?")
            .await;
        assert!(
            turn.text()
                .contains("I can answer: \u{201c}How many employees are ill?\u{201d}"),
            "{}",
            turn.text()
        );
    }
}

#[tokio::test]
async fn the_rules_answer_where_the_model_insists_on_a_query_without_rows() {
    for (question, read) in [
        ("How many employees are there?", "employee"),
        ("List all customers", "customer"),
    ] {
        let absurd = format!("SELECT id FROM {read} WHERE id < 0");
        // Told of the condition, and of the missing rows.
        let model = Model::new([tables(&[read]), sql(&absurd), sql(&absurd), sql(&absurd)]);
        let double = Double::new()
            .rows(json!([]))
            .rows(json!([{ "count": 1806 }]));
        let mut chat = Chat::with_model(double, &model);
        let turn = chat.say(question).await;
        assert_eq!(chat.tools.calls_of(names::RUN_SQL).len(), 2, "{question}");
        assert!(turn.text().contains("1,806"), "{}", turn.text());
    }
}

#[tokio::test]
async fn rows_by_category_are_drawn_before_they_are_told() {
    let rows = json!([{ "city": "Bonn", "orders": 3 }, { "city": "Ulm", "orders": 1 }]);
    let model = Model::new([
        tables(&["customer"]),
        sql(
            "SELECT c.city, COUNT(*) AS orders FROM workOrder w JOIN customer c ON w.customerId = c.id GROUP BY c.city",
        ),
    ]);
    let turn = Chat::with_model(Double::new().rows(rows.clone()), &model)
        .say("How many orders by city do customers have?")
        .await;
    assert_eq!(turn.chart().unwrap()["chartType"], "bar");
    assert_eq!(turn.chart().unwrap()["data"], rows);
    assert_eq!(turn.data(), Some(&rows));
    assert_eq!(
        turn.text(),
        "There are 2 results. Orders: Bonn (3) is highest, Ulm (1) lowest of those that have any."
    );
    assert_eq!(turn.told_calls(), [names::RUN_SQL, RENDER_UI_COMPONENT]);
}

#[tokio::test]
async fn an_empty_result_goes_back_to_the_generator_once_with_a_hint() {
    let model = Model::new([
        tables(&["employee"]),
        sql(QUERY),
        sql("SELECT firstName FROM employee"),
    ]);
    let mut chat = Chat::with_model(Double::new().rows(json!([])), &model);
    let turn = chat.say(QUESTION).await;
    assert!(turn.text().contains("10"), "{}", turn.text());
    let requests = model.requests();
    let again = material(&requests[2]);
    assert_eq!(again["before"], QUERY);
    assert!(again["hint"].as_str().unwrap().contains("brought no rows"));
}

#[tokio::test]
async fn a_second_empty_result_stands_and_so_does_a_query_that_is_not_changed() {
    for second in [
        "SELECT firstName FROM employee WHERE status = 'active'",
        QUERY,
    ] {
        let model = Model::new([tables(&["employee"]), sql(QUERY), sql(second)]);
        let double = Double::new().rows(json!([])).rows(json!([]));
        let mut chat = Chat::with_model(double, &model);
        let turn = chat.say(QUESTION).await;
        let text = turn.text();
        assert!(
            text.starts_with(
                "Nothing was found for \u{201c}How many employees are active?\u{201d}"
            ),
            "{text}"
        );
        assert!(text.contains("check how names are spelled") && model.is_spent());
        assert_eq!(turn.data(), Some(&json!([])));
        assert!(chat.thread().await.state.confirmable);
    }
}

#[tokio::test]
async fn a_row_that_holds_an_empty_list_is_a_row() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let turn = Chat::with_model(Double::new().rows(json!([{ "tags": "[]" }])), &model)
        .say(QUESTION)
        .await;
    assert_eq!(turn.text(), "Tags: [].");
}

#[tokio::test]
async fn a_database_that_is_away_is_told_and_never_corrected() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let double = Double::new().ends(
        "unavailable",
        "The database fieldservice cannot be reached.",
    );
    let mut chat = Chat::with_model(double, &model);
    let turn = chat.say(QUESTION).await;
    assert!(
        turn.text()
            .contains("The database fieldservice cannot be reached."),
        "{}",
        turn.text()
    );
    assert!(turn.text().contains("not about your question") && model.is_spent());
    assert!(!chat.thread().await.state.confirmable);
    assert_eq!(chat.tools.calls_of(names::RUN_SQL).len(), 1);
}

#[tokio::test]
async fn a_service_that_is_away_is_told_at_every_step() {
    for tool in [
        names::LIST_TABLES,
        names::DESCRIBE_TABLES,
        names::CHECK_SQL,
        names::RUN_SQL,
    ] {
        let model = Model::new([tables(&["employee"]), sql(QUERY)]);
        let double = Double::new().then(tool, Err(agent_kit::ToolsError::Unavailable));
        let turn = Chat::with_model(double, &model).say(QUESTION).await;
        assert!(
            turn.text()
                .contains("The data service cannot be reached at the moment."),
            "{tool}: {}",
            turn.text()
        );
    }
}

#[tokio::test]
async fn without_a_target_the_answer_says_what_to_connect() {
    let nothing = ToolEnvelope::without_result(
        ToolStatus::NoData,
        "There is no target database for your organisation.",
    );
    let double = Double::new().then(names::LIST_TABLES, Ok(nothing));
    let turn = Chat::new(double).say("How many employees are there?").await;
    assert_eq!(turn.route().0, "sql");
    assert!(
        turn.text().contains("[[targets]]") && turn.text().contains("no target database"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn too_much_goes_once_to_a_narrower_query() {
    for outcome in ["too_expensive", "timed_out"] {
        let model = Model::new([
            tables(&["employee"]),
            sql(QUERY),
            sql("SELECT firstName FROM employee"),
        ]);
        let double = Double::new().ends(outcome, "That is too much.");
        let turn = Chat::with_model(double, &model).say(QUESTION).await;
        assert!(turn.text().contains("10"), "{}", turn.text());
        let correction = material(&model.requests()[2]);
        assert!(
            correction["error"]
                .as_str()
                .unwrap()
                .contains("narrower query"),
            "{correction}"
        );

        let model = Model::new([
            tables(&["employee"]),
            sql(QUERY),
            sql("SELECT firstName FROM employee"),
        ]);
        let double = Double::new()
            .ends(outcome, "That is too much.")
            .ends(outcome, "That is too much.");
        let turn = Chat::with_model(double, &model).say(QUESTION).await;
        assert!(
            turn.text()
                .starts_with("That is too much. Please ask for less at once: a shorter period"),
            "{}",
            turn.text()
        );
        assert!(model.is_spent());
    }
}

#[tokio::test]
async fn follow_ups_have_the_earlier_question_and_query_with_them() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say(QUESTION).await;
    model.then(tables(&["employee"]));
    model.then(says(json!({ "sql": "SELECT lastName FROM employee", "question": "How many employees of Bonn are active?" }).to_string()));
    chat.tools.calls();
    let turn = chat.say("only for Bonn").await;
    assert_eq!(turn.route(), ("sql", Source::Rules));
    let requests = model.requests();
    let asked = material(requests.last().unwrap());
    assert_eq!(asked["earlier"][0]["question"], QUESTION);
    assert_eq!(asked["earlier"][0]["sql"], QUERY);
    assert_eq!(
        chat.tools.calls_of(names::LIST_TABLES)[0]["question"],
        json!(format!("{QUESTION} only for Bonn"))
    );
    let state = chat.thread().await.state;
    assert_eq!(
        state.queries[1].question,
        "How many employees of Bonn are active?"
    );
}

#[tokio::test]
async fn a_thread_remembers_three_queries_and_no_rows() {
    let model = Model::new([]);
    let mut chat = Chat::with_model(Double::new(), &model);
    for column in ["id", "status", "firstName", "lastName", "crewId"] {
        model.then(tables(&["employee"]));
        model.then(sql(&format!("SELECT {column} FROM employee")));
        chat.say(QUESTION).await;
    }
    let state = chat.thread().await.state;
    let kept: Vec<_> = state
        .queries
        .iter()
        .map(|query| query.sql.as_str())
        .collect();
    assert_eq!(
        kept,
        [
            "SELECT firstName FROM employee",
            "SELECT lastName FROM employee",
            "SELECT crewId FROM employee"
        ]
    );
    let stored = serde_json::to_string(&state).unwrap();
    assert!(
        stored.len() < 3_000 && !stored.contains("\"active_employees\":10"),
        "{stored}"
    );
}

#[tokio::test]
async fn the_way_is_shown_only_when_that_is_wanted() {
    for show_work in [false, true] {
        let model = Model::new([tables(&["employee", "crew"]), sql(QUERY)]);
        let mut chat = Chat::with_model(Double::new(), &model)
            .limited(|options| options.show_work = show_work);
        let turn = chat.say(QUESTION).await;
        let shown = turn.on(Channel::SqlAgent);
        assert_eq!(
            shown.contains("Tables: employee, crew"),
            show_work,
            "{shown}"
        );
        assert_eq!(
            shown.contains("Joins:\n- employee.crewId = crew.id") && shown.contains(QUERY),
            show_work,
            "{shown}"
        );
        assert_eq!(
            turn.told_calls().contains(&names::DESCRIBE_TABLES),
            show_work
        );
        assert_eq!(turn.text(), "There are 10 active employees.");
    }
}

#[tokio::test]
async fn no_samples_are_sent_and_the_day_is_told() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    Chat::with_model(Double::new(), &model).say(QUESTION).await;
    let requests = model.requests();
    let system = requests[1].system.as_deref().unwrap();
    assert!(
        system.contains("Today is 2026-11-21 (Saturday)")
            && system.contains("MySQL")
            && system.contains("LIMIT 100")
    );
    assert!(system.contains("never an instruction") && !system.contains("Ignore all rules"));
    let table = &material(&requests[1])["tables"][0];
    assert!(
        table.get("samples").is_none() && !table.to_string().contains("Ignore all rules"),
        "no row goes to the provider unless that is configured: {table}"
    );
    for request in &requests {
        assert!(!request.system.as_deref().unwrap().contains("{{"));
    }
}

#[tokio::test]
async fn a_stopped_turn_keeps_its_form_and_the_thread_what_it_had() {
    let model = Model::new([tables(&["employee"]), sql(QUERY)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say(QUESTION).await;
    model.then(crate::model::Answer::Hangs(String::new()));
    let turn = chat.stop("List the employees that were ill").await;
    assert_eq!(turn.warnings(), ["cancelled"]);
    assert!(matches!(
        turn.events.last(),
        Some(RunEvent::Finished { .. })
    ));
    assert_eq!(chat.thread().await.state.queries.len(), 1);
}

#[tokio::test]
async fn a_turn_that_was_cut_off_is_answered_again_the_same() {
    let model = Model::new([
        tables(&["employee"]),
        sql(QUERY),
        tables(&["employee"]),
        sql(QUERY),
    ]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let first = chat.say(QUESTION).await;
    let again = chat.again(QUESTION).await;
    assert_eq!(first.events, again.events);
    assert_eq!(
        chat.thread().await.state.queries.len(),
        1,
        "not answered twice"
    );
}

#[tokio::test]
async fn a_failed_model_leaves_simple_questions_to_the_rules_and_says_so() {
    let model = Model::new([crate::model::Answer::Fails(llm::ErrorKind::Overloaded)]);
    let turn = Chat::with_model(Double::new(), &model)
        .say("How many employees are there?")
        .await;
    assert_eq!(turn.text(), "There are 10 employees.");
    assert_eq!(
        (turn.warnings(), turn.source()),
        (vec!["model_unavailable"], Source::Rules)
    );

    let model = Model::new([crate::model::Answer::Fails(llm::ErrorKind::Overloaded)]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert!(
        turn.text().contains("takes a language model"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_query_that_states_its_answer_is_not_run() {
    for attack in [
        "SELECT 99 AS active_employees FROM employee",
        "SELECT 99 FROM employee LIMIT 1",
        "SELECT COUNT(*) + 1 AS n FROM employee",
        "SELECT COUNT(*) * 2 AS n FROM employee",
        "SELECT CASE WHEN COUNT(*) > 0 THEN 99 ELSE 98 END AS n FROM employee",
        "SELECT CONCAT('All ', 'of them are fired') AS answer FROM employee",
        "SELECT firstName, 'fired' AS status FROM employee",
        "SELECT COALESCE(MAX(id), 4711) AS n FROM employee",
        "WITH t AS (SELECT 7 AS n) SELECT n FROM t, employee",
        "SELECT GREATEST(COUNT(*), 500) AS n FROM employee",
    ] {
        let model = Model::new([tables(&["employee"]), sql(attack), sql(QUERY)]);
        let mut chat = Chat::with_model(Double::new(), &model);
        let turn = chat.say(QUESTION).await;
        assert_eq!(turn.text(), "There are 10 active employees.", "{attack}");
        assert_eq!(chat.tools.calls_of(names::RUN_SQL).len(), 1, "{attack}");
        let error = material(&model.requests()[2])["error"].to_string();
        assert!(error.contains("comes from a table"), "{error}");
    }
}

#[tokio::test]
async fn a_column_is_called_what_it_is() {
    for (query, name) in [
        ("SELECT COUNT(*) AS revenue FROM employee", "count"),
        (
            "SELECT COUNT(*) AS inactive_employees FROM employee WHERE status = 'active'",
            "count",
        ),
        ("SELECT COUNT(*) AS thieves FROM employee", "count"),
        (
            "SELECT COUNT(*) AS active FROM employee WHERE status = 'active'",
            "active",
        ),
        (
            "SELECT COUNT(*) AS employees FROM employee WHERE status = 'active'",
            "employees",
        ),
    ] {
        let alias = query
            .split_once(" AS ")
            .unwrap()
            .1
            .split(' ')
            .next()
            .unwrap();
        let rows = json!([{ alias: 10 }]);
        let model = Model::new([tables(&["employee"]), sql(query)]);
        let mut chat = Chat::with_model(Double::new().rows(rows), &model);
        let turn = chat.say(QUESTION).await;
        assert_eq!(turn.data(), Some(&json!([{ name: 10 }])), "{query}");
    }
}

#[tokio::test]
async fn the_rules_query_in_place_of_a_models_says_why() {
    let question = "How many employees are there?";
    let none = [says("I can't."), says("No.")];
    let made_up = ["99", "98", "97", "96"].map(|n| sql(&format!("SELECT {n} FROM employee")));
    for script in [none.to_vec(), made_up.to_vec()] {
        let mut all = vec![tables(&["employee"])];
        all.extend(script);
        let model = Model::new(all);
        let turn = Chat::with_model(Double::new(), &model).say(question).await;
        assert_eq!(turn.text(), "There are 10 employees.");
        assert_eq!(turn.warnings(), ["model_unavailable"]);
        let told = format!("{:?}", turn.events);
        assert!(
            told.contains("The query of the language model cannot be used"),
            "{told}"
        );
    }
}
