//! Questions of a model to the person, and every way to answer them.

use agent_kit::UserInput;
use agent_kit::testing::{Answer, Model, calls, fails, results, says};
use agent_kit::{PastCall, PastMessage, PastRole};
use contracts::{
    run::{FinishReason, Source},
    tools::{ToolStatus, names},
};
use llm::{ErrorKind, Message};
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
    model_chat::{QUESTION, curve},
};

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
    model.then(says(
        "«must» GW-INV-001 peaked at «\"peakValue\":\"4.8 kW».",
    ));
    let turn = chat.give(&call, json!("2025-11-29")).await;
    assert_eq!(turn.called(), [names::GET_POWER_CURVE]);
    let text = turn.text();
    assert!(text.ends_with(" GW-INV-001 peaked at 4.8 kW."), "{text}");
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
async fn a_picker_of_the_model_ends_the_turn_and_every_way_to_answer_closes_that_call() {
    let chosen = json!({ "selection": ["SD-INV-001"], "selectedFor": "logger_id" });
    for (answer, expected) in [
        (UserInput::Text("Selected: SD-INV-001".to_owned()), &chosen),
        (UserInput::Text("sd-inv-001".to_owned()), &chosen),
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
            assert_eq!(turn.blocks()[0], "Thanks.");
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
    let turn = chat.say("Selected: GW-INV-001").await;
    assert_eq!(turn.blocks()[0], "Thanks.");
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
async fn past_calls_that_were_cut_off_or_failed_are_answered_too() {
    let model = Model::new([says("Thanks.")]);
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
    assert_eq!(chat.say(QUESTION).await.blocks()[0], "Thanks.");
}
