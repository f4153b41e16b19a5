//! Free chat with a model.

use agent_kit::testing::{Answer, Model, calls, fails, results, says};
use agent_site::SiteSettings;
use contracts::{
    run::{FinishReason, RunEvent, Source, Usage},
    tools::{ToolStatus, names},
};
use llm::ErrorKind;
use serde_json::{Value, json};

use crate::{
    chat::{Chat, Turn},
    double::{Double, Ending},
};

/// A question of free chat that the rules recognize, so that the model is not asked for its flow.
pub(crate) const QUESTION: &str = "Power curve of GW-INV-001 on Nov 29";

pub(crate) fn curve(id: &str, logger: &str) -> Answer {
    calls(
        id,
        names::GET_POWER_CURVE,
        json!({ "logger_id": logger, "date": "2025-11-29" }),
    )
}

/// Words before calls announce them, and are left out of an answer that is read later.
#[tokio::test]
async fn an_answer_that_no_user_waits_for_announces_no_calls() {
    let answers = || {
        [
            says("Let me look.").and(
                "a",
                names::GET_POWER_CURVE,
                json!({ "logger_id": "GW-INV-001", "date": "2025-11-29" }),
            ),
            says("«must» GW-INV-001 peaked at «\"peakValue\":\"4.8 kW»."),
        ]
    };
    let mut attended = Chat::with_model(Double::new(), &Model::new(answers()));
    let with = attended.say(QUESTION).await;
    assert!(with.text().contains("Let me look."), "{}", with.text());
    let mut chat = Chat::with_model(Double::new(), &Model::new(answers()));
    chat.unattended = true;
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.called(), [names::GET_POWER_CURVE]);
    let text = turn.text();
    assert!(!text.contains("Let me look."), "{text}");
    assert!(text.ends_with("GW-INV-001 peaked at 4.8 kW."), "{text}");
    assert_eq!(turn.source(), Source::Model);
}

#[tokio::test]
async fn two_rounds_of_tools_and_the_answer() {
    let model = Model::new([
        says("Let me look.")
            .and(
                "a",
                names::GET_POWER_CURVE,
                json!({ "logger_id": "GW-INV-001", "date": "2025-11-29" }),
            )
            .and(
                "b",
                names::FORECAST_PRODUCTION,
                json!({ "logger_id": "GW-INV-001", "days_ahead": 1 }),
            ),
        calls(
            "c",
            names::RENDER_UI_COMPONENT,
            json!({ "component": "DynamicChart", "props": { "handle": "result_1" } }),
        ),
        says("«must» GW-INV-001 peaked at «\"peakValue\":\"4.8 kW»."),
    ]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(QUESTION).await;
    assert_eq!(
        turn.called(),
        [names::GET_POWER_CURVE, names::FORECAST_PRODUCTION]
    );
    let blocks = turn.blocks();
    assert_eq!((blocks.len(), blocks[0].as_str()), (2, "Let me look."));
    assert!(
        blocks[1].contains("31.4 kWh")
            && blocks[1].contains("30 kWh")
            && blocks[1].ends_with(" GW-INV-001 peaked at 4.8 kW."),
        "{blocks:?}"
    );
    assert_eq!(turn.card()["component"], "DynamicChart");
    assert_eq!(turn.card()["props"]["data"].as_array().unwrap().len(), 3);
    assert_eq!(
        (turn.source(), turn.reason()),
        (Source::Model, FinishReason::Stop)
    );
    assert_eq!(
        turn.usage(),
        Some(Usage {
            input_tokens: 300,
            output_tokens: 30,
            ..Usage::default()
        })
    );
    assert!(turn.warnings().is_empty());
    let requests = model.requests();
    let bound: Vec<_> = requests[0]
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    let listed = contracts::tools::solar_definitions();
    let expected: Vec<_> = listed
        .iter()
        .map(|tool| tool.name.as_str())
        .chain([names::RENDER_UI_COMPONENT, names::REQUEST_USER_SELECTION])
        .collect();
    assert_eq!(bound, expected);
    assert_eq!(
        results(&requests[1])
            .iter()
            .map(|(id, ..)| *id)
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
    let system = requests[0].system.as_deref().unwrap();
    assert!(
        system.contains("Today is 2025-12-05 (Friday)") && system.contains("GW-INV-001"),
        "{system}"
    );
}

#[tokio::test]
async fn thoughts_are_never_shown() {
    let model = Model::new([says("Hello there.")]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(turn.blocks()[0], "Hello there.");
    assert!(!turn.text().contains("4711"), "{}", turn.text());
    assert_eq!(
        (turn.source(), turn.called()),
        (
            Source::Rules,
            vec![names::LIST_LOGGERS, names::GET_POWER_CURVE]
        ),
        "the rules can answer, so a greeting alone is no answer"
    );
}

#[tokio::test]
async fn a_sentence_with_a_figure_from_nowhere_is_left_out_and_that_is_said() {
    let model = Model::new([
        curve("a", "GW-INV-001"),
        says("It peaked at «\"peakValue\":\"4.8 kW». It made 99.9 kWh. That is fine."),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    let text = turn.blocks().concat();
    assert!(
        text.contains("It peaked at 4.8 kW.") && text.contains("I left out 2 sentences"),
        "{text}"
    );
    assert!(!text.contains("99.9"));
}

#[tokio::test]
async fn wrong_calls_are_never_made_and_the_model_learns_why() {
    let model = Model::new([
        calls("a", "drop_table", json!({}))
            .and("b", names::GET_POWER_CURVE, json!("{\"logger_id\": \"GW"))
            .and("c", names::GET_POWER_CURVE, json!({ "logger_id": "GW-INV-001", "date": "soon" }))
            .and("d", names::RENDER_UI_COMPONENT, json!({ "component": "DynamicChart", "props": { "title": "x" } }))
            .and("e", names::RENDER_UI_COMPONENT, json!({ "component": "ErrorCard", "props": { "title": "Lost", "message": "You lost 777 kWh.", "details": [] } }))
            .and("f", names::RENDER_UI_COMPONENT, json!({ "component": "DynamicChart", "props": { "handle": "result_9" } }))
            .and("g", names::REQUEST_USER_SELECTION, json!({ "prompt": "Which?", "selectionType": "single", "inputType": "dropdown", "options": [] })),
        says("I can't do that."),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    // None of them is made: what was called, the rules called.
    assert_eq!(turn.called(), [names::LIST_LOGGERS, names::GET_POWER_CURVE]);
    assert!(turn.cards().len() == 1 && turn.open_picker().is_none());
    let requests = model.requests();
    let told = results(&requests[1]);
    let reasons = [
        "no tool of this name",
        "not a JSON object",
        "/date",
        "do not fit",
        "777",
        "no result of the handle",
        "nothing to choose from",
    ];
    assert_eq!(told.len(), reasons.len());
    for ((id, output, is_error), reason) in told.into_iter().zip(reasons) {
        assert!(
            is_error && output["message"].as_str().unwrap().contains(reason),
            "{id}: {output}"
        );
    }
}

#[tokio::test]
async fn fifty_calls_at_once_are_made_up_to_the_limit_and_all_are_answered() {
    let mut answer = Answer::default();
    for number in 0..50 {
        answer = answer.and(
            &format!("c{number}"),
            names::ANALYZE_INVERTER_HEALTH,
            json!({ "logger_id": "GW-INV-001", "days": number + 1 }),
        );
    }
    let model = Model::new([answer, says("Fine.")]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(
        turn.called().len(),
        SiteSettings::default().max_calls_per_step
    );
    let requests = model.requests();
    let told = results(&requests[1]);
    assert_eq!(
        (
            told.len(),
            told.iter().filter(|(.., is_error)| *is_error).count()
        ),
        (50, 38)
    );
}

#[tokio::test]
async fn help_needs_no_model() {
    let model = Model::new([]);
    let turn = Chat::with_model(Double::new(), &model)
        .say("What can you do?")
        .await;
    assert!(turn.text().contains("Morning briefing"));
    assert_eq!(turn.usage(), None);
}

#[tokio::test]
async fn a_failure_among_successes_is_said() {
    let tools = Double::new().always_for(
        names::GET_POWER_CURVE,
        "SD-INV-001",
        Ending::Status(ToolStatus::NoData, "Nothing."),
    );
    let model = Model::new([
        curve("a", "GW-INV-001").and(
            "b",
            names::GET_POWER_CURVE,
            json!({ "logger_id": "SD-INV-001", "date": "2025-11-29" }),
        ),
        says("SD-INV-001 has no data."),
    ]);
    let turn = Chat::with_model(tools, &model).say(QUESTION).await;
    let text = turn.text();
    assert!(
        text.contains("GW-INV-001 made 31.4 kWh") || text.contains("made 31.4 kWh"),
        "{text}"
    );
    assert!(
        text.contains("I could not get the figures of SD-INV-001."),
        "{text}"
    );
    let requests = model.requests();
    assert_eq!(results(&requests[1])[1].1["status"], "no_data");
}

#[tokio::test]
async fn a_large_result_is_summarised_for_the_model_and_whole_for_the_client() {
    let rows: Vec<_> = (0..288).map(|at| json!({ "timestamp": "2025-11-29T10:00:00+00:00", "power": f64::from(at), "irradiance": null })).collect();
    let mut whole = json!({ "type": "power_curve", "loggerId": "GW-INV-001", "date": "2025-11-29", "flags": [] });
    whole["data"] = Value::from(rows);
    let tools = Double::new().always(names::GET_POWER_CURVE, Ending::Answers(whole));
    let model = Model::new([
        curve("a", "GW-INV-001"),
        calls(
            "b",
            "read_result",
            json!({ "handle": "result_1", "path": "/result/data", "offset": 100, "limit": 2 }),
        ),
        says(
            "GW-INV-001 peaked at a power of «\"max\":\"287 W», with «\"mean\":\"144 W» on average.",
        ),
    ]);
    let turn = Chat::with_model(tools, &model).say(QUESTION).await;
    let text = turn.text();
    assert!(
        text.ends_with("GW-INV-001 peaked at a power of 287 W, with 144 W on average."),
        "{text}"
    );
    let sent = turn.events.iter().find_map(|event| match event {
        RunEvent::ToolResult { output, .. } => output["result"]["data"].as_array().map(Vec::len),
        _ => None,
    });
    assert_eq!(sent, Some(288));
    // Reading is between the model and the assistant.
    assert_eq!(turn.called(), [names::GET_POWER_CURVE]);
    let requests = model.requests();
    let told = results(&requests[1])[0].1;
    assert_eq!(
        (&told["result"]["data"]["count"], &told["handle"]),
        (&json!(288), &json!("result_1"))
    );
    assert!(
        requests[1]
            .tools
            .iter()
            .any(|tool| tool.name == "read_result")
    );
    let row = &results(&requests[2])[0].1["rows"][0];
    assert!(
        row["power"].as_str().unwrap().starts_with("100 W [[f"),
        "{row}"
    );
}

#[tokio::test]
async fn the_card_of_a_draft_that_is_not_said_is_not_shown() {
    let chart = json!({
        "component": "DynamicChart",
        "props": {
            "chartType": "bar", "title": "Power", "xAxisKey": "timestamp", "series": [{ "dataKey": "power", "name": "Power (W)" }],
            "data": { "handle": "result_1", "path": "/result/data" },
        },
        "suggestions": [{ "label": "Check health", "action": "Check health for 7 days", "priority": "primary" }],
    });
    let plain = Chat::new(Double::new()).say(QUESTION).await;
    for draft in [
        says("You lost 777 kWh, because the sun was strong."),
        says("There."),
        says(""),
        says("Alles ist in Ordnung mit der Anlage, es gibt keine Fehler."),
        fails(ErrorKind::Overloaded),
    ] {
        let model = Model::new([
            curve("a", "GW-INV-001"),
            calls("b", names::RENDER_UI_COMPONENT, chart.clone()),
            draft,
        ]);
        let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
        assert_eq!(turn.source(), Source::Rules);
        // The rules' answer has its own card, whole, and no other.
        let props = |turn: &Turn| {
            let cards = turn.cards();
            let props = cards.iter().map(|card| card["props"].clone());
            props.collect::<Vec<_>>()
        };
        assert_eq!(props(&turn), props(&plain));
        assert_eq!(
            turn.card()["props"]["chartType"],
            plain.card()["props"]["chartType"]
        );
        assert!(!turn.card()["props"]["data"].as_array().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_chart_may_take_its_rows_from_a_result() {
    let chart = json!({
        "component": "DynamicChart",
        "props": {
            "chartType": "line", "title": "Power", "xAxisKey": "timestamp", "series": [{ "dataKey": "power", "name": "Power (W)", "color": "#112233" }],
            "data": { "handle": "result_1", "path": "/result/data" },
        },
        "suggestions": [{ "label": "Check health", "action": "Check health for 7 days", "priority": "primary" }],
    });
    let model = Model::new([
        curve("a", "GW-INV-001"),
        calls("b", names::RENDER_UI_COMPONENT, chart),
        says("GW-INV-001 peaked at «\"peakValue\":\"4.8 kW»."),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(turn.card()["props"]["data"].as_array().unwrap().len(), 3);
    assert_eq!(turn.card()["suggestions"][0]["urgency"], "suggested");
}

/// The model's reading of a message that no flow answers.
fn free() -> agent_kit::testing::Answer {
    says(r#"{ "flow": "free_chat", "confidence": 0.9, "logger_ids": [] }"#)
}

#[tokio::test]
async fn a_greeting_is_no_answer_to_a_question() {
    let words = "Hello! Here is what I found.";
    let model = Model::new([free(), says(words)]);
    let turn = Chat::with_model(Double::new(), &model)
        .say("Is the thing in the garage still alright?")
        .await;
    assert_eq!(
        (turn.source(), turn.warnings()),
        (Source::Rules, vec!["model_unavailable"])
    );
    let answer = turn.text().replace(words, "");
    assert!(!answer.trim().is_empty(), "{}", turn.text());
}
