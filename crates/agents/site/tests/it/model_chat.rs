//! Free chat with a model.

use agent_site::{ModelOptions, PastCall, PastMessage, PastRole, UserInput};
use contracts::{
    run::{FinishReason, RunEvent, Source, Usage},
    tools::{ToolStatus, names},
};
use futures::StreamExt;
use llm::{ErrorKind, Message, ToolChoice};
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
    model::{Answer, Model, calls, fails, results, says},
};

/// A question of free chat, by the rules themselves, so that nobody is asked what it is.
pub(crate) const QUESTION: &str = "Power curve of GW-INV-001 on Nov 29";

pub(crate) fn curve(id: &str, logger: &str) -> Answer {
    calls(
        id,
        names::GET_POWER_CURVE,
        json!({ "logger_id": logger, "date": "2025-11-29" }),
    )
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
        says("GW-INV-001 peaked at 4.8 kW on 29 November. About 30 kWh are expected next."),
    ]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(QUESTION).await;
    assert_eq!(
        turn.called(),
        [names::GET_POWER_CURVE, names::FORECAST_PRODUCTION]
    );
    assert_eq!(
        turn.blocks(),
        [
            "Let me look.",
            "GW-INV-001 peaked at 4.8 kW on 29 November. About 30 kWh are expected next."
        ]
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
            output_tokens: 30
        })
    );
    assert!(turn.warnings().is_empty());
    let requests = model.requests();
    let bound: Vec<_> = requests[0]
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    let listed = contracts::tools::definitions();
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
    assert_eq!(turn.blocks(), ["Hello there."]);
}

#[tokio::test]
async fn a_sentence_with_a_figure_from_nowhere_is_left_out_and_that_is_said() {
    let model = Model::new([
        curve("a", "GW-INV-001"),
        says("It peaked at 4,800 W. It made 99.9 kWh. That is fine."),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    let text = turn.blocks().concat();
    assert!(
        text.starts_with("It peaked at 4,800 W. That is fine.\n\nI left out one sentence"),
        "{text}"
    );
    assert!(!text.contains("99.9"));
}

#[tokio::test]
async fn an_answer_of_which_nothing_is_left_is_the_rules() {
    let model = Model::new([curve("a", "GW-INV-001"), says("It made 99.9 kWh.")]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(turn.source(), Source::Rules);
    assert!(
        !turn.text().contains("99.9") && turn.text().contains("GW-INV-001"),
        "{}",
        turn.text()
    );
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
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(QUESTION).await;
    assert!(turn.called().is_empty() && turn.cards().is_empty() && turn.open_picker().is_none());
    assert_eq!(turn.blocks(), ["I can't do that."]);
    let requests = model.requests();
    let told = results(&requests[1]);
    let reasons = [
        "no tool of this name",
        "no JSON object",
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
    assert!(
        chat.tools
            .calls()
            .iter()
            .all(|(name, _)| name == names::LIST_LOGGERS)
    );
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
        ModelOptions::default().max_calls_per_step
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
async fn an_endless_loop_of_calls_ends_with_an_answer() {
    let model = Model::always(curve("same", "GW-INV-001"));
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    // The same call is made once, and the last question allows none.
    assert_eq!(turn.called(), [names::GET_POWER_CURVE]);
    let requests = model.requests();
    assert_eq!(requests.len(), 9);
    assert!(
        requests
            .iter()
            .enumerate()
            .all(|(at, request)| (request.tool_choice == ToolChoice::None) == (at == 8))
    );
    assert!(turn.warnings().contains(&"model_limited"));
    assert!(turn.text().contains("GW-INV-001"), "{}", turn.text());
    assert_eq!(turn.source(), Source::Rules);
}

#[tokio::test]
async fn a_limited_model_tells_what_it_has() {
    let model = Model::new([
        curve("a", "GW-INV-001"),
        says("GW-INV-001 peaked at 4.8 kW."),
    ]);
    let options = ModelOptions {
        max_steps: 1,
        ..ModelOptions::default()
    };
    let turn = Chat::with_model(Double::new(), &model)
        .limited(options)
        .say(QUESTION)
        .await;
    assert_eq!(
        (turn.blocks(), turn.warnings()),
        (
            vec!["GW-INV-001 peaked at 4.8 kW.".to_owned()],
            vec!["model_limited"]
        )
    );
}

#[tokio::test]
async fn a_model_that_fails_at_once_leaves_the_question_to_the_rules() {
    for kind in [
        ErrorKind::Connect,
        ErrorKind::RateLimited,
        ErrorKind::Provider,
        ErrorKind::CircuitOpen,
    ] {
        let model = Model::new([fails(kind)]);
        let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
        assert_eq!(
            (turn.warnings(), turn.source()),
            (vec!["model_unavailable"], Source::Rules)
        );
        assert_eq!(turn.card()["component"], "DynamicChart");
        assert!(turn.text().contains("GW-INV-001"));
    }
}

#[tokio::test]
async fn a_model_that_fails_after_its_tools_leaves_their_results_to_the_rules() {
    let model = Model::new([curve("a", "GW-INV-001"), fails(ErrorKind::Timeout)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.called(), [names::GET_POWER_CURVE]);
    assert_eq!(
        (turn.warnings(), turn.source(), turn.usage()),
        (
            vec!["model_unavailable"],
            Source::Rules,
            Some(Usage {
                input_tokens: 100,
                output_tokens: 10
            })
        )
    );
    assert!(turn.text().contains("GW-INV-001"), "{}", turn.text());
}

#[tokio::test]
async fn a_model_cut_in_mid_sentence_is_finished_by_the_rules_without_saying_anything_twice() {
    let model = Model::new([
        curve("a", "GW-INV-001"),
        says("GW-INV-001 peaked at 4.8 kW on 29 November. It made 2").cut(ErrorKind::Truncated),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    let blocks = turn.blocks();
    assert_eq!(blocks[0], "GW-INV-001 peaked at 4.8 kW on 29 November.");
    assert_eq!((blocks.len(), turn.source()), (2, Source::Rules));
    // What the model did not get to say comes; its sentence does not come again.
    assert!(
        blocks[1].contains("31.4 kWh") && !blocks[1].contains(&blocks[0]),
        "{}",
        blocks[1]
    );
}

#[tokio::test]
async fn an_answer_that_became_too_long_says_so() {
    let model = Model::new([says("A first sentence. And then 12").ends(llm::FinishReason::Length)]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(
        (turn.blocks(), turn.warnings(), turn.reason()),
        (
            vec!["A first sentence.".to_owned()],
            vec!["model_limited"],
            FinishReason::Length
        )
    );
}

#[tokio::test]
async fn a_model_that_says_nothing_leaves_the_question_to_the_rules() {
    for answer in [
        Answer::default(),
        says(" \n "),
        Answer::default().ends(llm::FinishReason::Refusal),
    ] {
        let model = Model::new([answer]);
        let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
        assert_eq!(
            (turn.warnings(), turn.source()),
            (vec!["model_unavailable"], Source::Rules)
        );
    }
}

#[tokio::test]
async fn a_stopped_run_lets_go_of_the_model_and_keeps_what_was_said() {
    let model = Model::new([says("One sentence. Two").hangs()]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let input = chat.input(UserInput::Text(QUESTION.to_owned()));
    let mut run = chat.assistant().run(input);
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        if matches!(event, RunEvent::TextDelta { .. }) {
            run.cancel();
        }
        events.push(event);
    }
    agent_site::events::check_laws(&events).unwrap();
    assert!(matches!(
        events.last(),
        Some(RunEvent::Finished {
            reason: FinishReason::Cancelled,
            usage: Some(_),
            ..
        })
    ));
    assert!(events.iter().any(
        |event| matches!(event, RunEvent::TextDelta { delta, .. } if delta == "One sentence.")
    ));
}

#[tokio::test]
async fn tools_that_can_not_be_listed_leave_the_question_to_the_rules() {
    let model = Model::new([]);
    let turn = Chat::with_model(Double::new().without_definitions(), &model)
        .say(QUESTION)
        .await;
    assert_eq!(
        (turn.card()["component"].clone(), turn.source()),
        (json!("DynamicChart"), Source::Rules)
    );
    assert!(model.requests().is_empty());
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
async fn days_without_data_open_a_picker_whose_answer_goes_back_to_the_model() {
    let tools = Double::new().once(
        names::GET_POWER_CURVE,
        Ending::Status(ToolStatus::NoDataInWindow, "Nothing."),
    );
    let model = Model::new([curve("a", "GW-INV-001")]);
    let mut chat = Chat::with_model(tools, &model);
    let turn = chat.say("Power curve of GW-INV-001 on Jan 3").await;
    let (call, picker) = turn.picker();
    assert_eq!(
        (picker["inputType"].as_str(), picker["minDate"].as_str()),
        (Some("date"), Some("2025-11-05"))
    );
    model.requests();
    model.then(curve("b", "GW-INV-001"));
    model.then(says("There it is: 4.8 kW at most."));
    let turn = chat.give(&call, json!("2025-11-29")).await;
    assert_eq!(
        (turn.called(), turn.blocks()),
        (
            vec![names::GET_POWER_CURVE],
            vec!["There it is: 4.8 kW at most.".to_owned()]
        )
    );
    let requests = model.requests();
    assert_eq!(
        results(&requests[0]),
        [(
            call.as_str(),
            &json!({ "selection": ["2025-11-29"], "selectedFor": "date" }),
            false
        )]
    );
}

#[tokio::test]
async fn a_failure_among_successes_is_the_models_to_tell() {
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
    assert_eq!(turn.blocks(), ["SD-INV-001 has no data."]);
    let requests = model.requests();
    assert_eq!(results(&requests[1])[1].1["status"], "no_data");
}

pub(crate) fn which() -> Answer {
    calls(
        "p",
        names::REQUEST_USER_SELECTION,
        json!({
            "prompt": "Which one?", "selectionType": "single", "inputType": "dropdown",
            "options": [{ "value": "GW-INV-001", "label": "Garage" }, { "value": "SD-INV-001", "label": "Shed" }],
        }),
    )
}

#[tokio::test]
async fn a_picker_of_the_model_ends_the_turn_and_every_way_to_answer_closes_that_call() {
    let chosen = json!({ "selection": ["SD-INV-001"], "selectedFor": "logger_id" });
    for (answer, expected) in [
        (UserInput::Text("Selected: SD-INV-001".to_owned()), &chosen),
        (UserInput::Text("Shed".to_owned()), &chosen),
        (
            UserInput::SelectionOutput {
                call_id: String::new(),
                output: json!({ "value": "SD-INV-001" }),
            },
            &chosen,
        ),
        (
            UserInput::Text(QUESTION.to_owned()),
            &json!({ "status": "not_answered" }),
        ),
    ] {
        for stores in [true, false] {
            let model = Model::new([which()]);
            let mut chat = Chat::with_model(Double::new(), &model);
            chat.stores = stores;
            let turn = chat.say("Show me the power curve").await;
            assert_eq!(
                (turn.reason(), turn.blocks()),
                (FinishReason::ToolCalls, vec!["Which one?".to_owned()])
            );
            assert_eq!(turn.source(), Source::Model);
            let (call, _) = turn.picker();
            let answer = match answer.clone() {
                UserInput::SelectionOutput { output, .. } => UserInput::SelectionOutput {
                    call_id: call.clone(),
                    output,
                },
                text @ UserInput::Text(_) => text,
            };
            model.requests();
            model.then(says("Thanks."));
            let turn = chat.send(answer).await;
            assert_eq!(turn.blocks(), ["Thanks."]);
            let requests = model.requests();
            let closed = requests[0]
                .messages
                .iter()
                .find_map(|message| match message {
                    Message::Tool(output) if output.call_id == call => Some(&output.output),
                    _ => None,
                });
            assert_eq!(closed, Some(expected));
        }
    }
}

#[tokio::test]
async fn a_picker_beside_other_calls_is_asked_after_them_and_alone() {
    let model = Model::new([says("Which one do you mean?")
        .and("a", names::GET_FLEET_OVERVIEW, json!({}))
        .and(
            "p",
            names::REQUEST_USER_SELECTION,
            json!({ "prompt": "Which day?", "selectionType": "single", "inputType": "date" }),
        )]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(
        (turn.called(), turn.reason()),
        (vec![names::GET_FLEET_OVERVIEW], FinishReason::ToolCalls)
    );
    assert_eq!(turn.blocks(), ["Which one do you mean?"]);
}

#[tokio::test]
async fn an_answer_that_is_not_among_the_options_is_asked_for_again() {
    let model = Model::new([which()]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say("Show me the power curve").await.picker();
    chat.say("Selected: nonsense").await.picker();
    model.then(says("Thanks."));
    assert_eq!(chat.say("Selected: GW-INV-001").await.blocks(), ["Thanks."]);
}

#[tokio::test]
async fn what_the_rules_asked_the_rules_go_on_with() {
    let model = Model::new([fails(ErrorKind::Connect)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say("Power curve of GW-INV-001 last week")
        .await
        .picker();
    let turn = chat.say("Selected: 2025-11-29").await;
    assert_eq!(
        (turn.card()["component"].clone(), turn.usage()),
        (json!("DynamicChart"), None)
    );
}

#[tokio::test]
async fn what_a_model_asked_is_answered_by_rules_when_it_is_gone() {
    let model = Model::new([which()]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say("Show me the power curve").await.picker();
    chat.model = None;
    let turn = chat.say("Selected: SD-INV-001").await;
    assert_eq!(turn.called(), [names::LIST_LOGGERS, names::GET_POWER_CURVE]);
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
        says("At most 287 W, on average 143.5 W."),
    ]);
    let turn = Chat::with_model(tools, &model).say(QUESTION).await;
    assert_eq!(turn.blocks(), ["At most 287 W, on average 143.5 W."]);
    let sent = turn.events.iter().find_map(|event| match event {
        RunEvent::ToolResult { output, .. } => output["result"]["data"].as_array().map(Vec::len),
        _ => None,
    });
    assert_eq!(sent, Some(288));
    // Reading is between the model and us.
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
    assert_eq!(results(&requests[2])[0].1["rows"][0]["power"], 100.0);
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
        says("There."),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(turn.card()["props"]["data"].as_array().unwrap().len(), 3);
    assert_eq!(turn.card()["suggestions"][0]["urgency"], "suggested");
}

#[tokio::test]
async fn past_calls_that_were_cut_off_or_failed_are_answered_too() {
    let model = Model::new([says("Yes.")]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let call = |id: &str, name: &str, output: Option<Value>| PastCall {
        id: id.to_owned(),
        name: name.to_owned(),
        input: json!({}),
        ok: output.is_some(),
        output,
    };
    chat.history = vec![
        PastMessage {
            role: PastRole::User,
            text: "Health?".to_owned(),
            calls: vec![],
        },
        PastMessage {
            role: PastRole::Assistant,
            text: "One moment".to_owned(),
            calls: vec![
                call("x", names::LIST_LOGGERS, Some(json!({ "status": "ok" }))),
                call("y", names::ANALYZE_INVERTER_HEALTH, None),
                call("z", names::REQUEST_USER_SELECTION, None),
            ],
        },
    ];
    assert_eq!(chat.say(QUESTION).await.blocks(), ["Yes."]);
}
