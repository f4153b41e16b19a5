//! A model that fails, stalls, talks without end or says nothing: the turn has its answer
//! nevertheless.

use agent_kit::UserInput;
use agent_kit::testing::{Answer, Model, fails, says};
use agent_site::SiteSettings;
use contracts::{
    run::{FinishReason, RunEvent, Source, Usage},
    tools::names,
};
use futures::StreamExt;
use llm::{ErrorKind, ToolChoice};
use serde_json::json;

use crate::{
    chat::Chat,
    double::Double,
    model_chat::{QUESTION, curve},
};

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
        says("GW-INV-001 peaked at «\"peakValue\":\"4.8 kW»."),
    ]);
    let options = SiteSettings {
        max_steps: 1,
        ..SiteSettings::default()
    };
    let turn = Chat::with_model(Double::new(), &model)
        .limited(options)
        .say(QUESTION)
        .await;
    let text = turn.text();
    assert!(text.ends_with(" GW-INV-001 peaked at 4.8 kW."), "{text}");
    assert_eq!(turn.warnings(), ["model_limited"]);
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
                output_tokens: 10,
                ..Usage::default()
            })
        )
    );
    assert!(turn.text().contains("GW-INV-001"), "{}", turn.text());
}

#[tokio::test]
async fn a_model_cut_in_mid_sentence_is_finished_by_the_rules_without_saying_anything_twice() {
    let model = Model::new([
        curve("a", "GW-INV-001"),
        says("GW-INV-001 peaked at «\"peakValue\":\"4.8 kW» on «29 November 2025». It made 2")
            .cut(ErrorKind::Truncated),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    let text = turn.text();
    let words = "GW-INV-001 peaked at 4.8 kW on 29 November 2025.";
    assert!(
        text.contains(words) && text.contains("31.4 kWh"),
        "what the model did not get to say is said: {text}"
    );
    assert_eq!(text.matches(words).count(), 1, "{text}");
    assert_eq!(
        (turn.source(), turn.warnings()),
        (Source::Model, vec!["model_stopped"])
    );
}

#[tokio::test]
async fn an_answer_that_became_too_long_says_so() {
    let words = says("GW-INV-001 peaked at «\"peakValue\":\"4.8 kW». And then 12");
    let model = Model::new([
        curve("a", "GW-INV-001"),
        words.ends(llm::FinishReason::Length),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    let text = turn.text();
    assert!(
        text.contains("GW-INV-001 peaked at 4.8 kW.") && !text.contains("And then"),
        "{text}"
    );
    assert_eq!(
        (turn.warnings(), turn.reason()),
        (vec!["model_limited"], FinishReason::Length)
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
    let model = Model::new([says("Let me look. Two").hangs()]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let input = chat.input(UserInput::Text(QUESTION.to_owned()));
    let stop = input.cancellation.clone();
    let mut run = chat.assistant().run(input);
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        if matches!(event, RunEvent::TextDelta { .. }) {
            stop.cancel();
        }
        events.push(event);
    }
    agent_kit::events::check_laws(&events).unwrap();
    assert!(matches!(
        events.last(),
        Some(RunEvent::Finished {
            reason: FinishReason::Cancelled,
            source: Source::Model,
            usage: Some(_),
        })
    ));
    let deltas = events.iter().filter_map(|event| match event {
        RunEvent::TextDelta { delta, .. } => Some(delta.as_str()),
        _ => None,
    });
    let said: String = deltas.collect();
    assert!(
        !said.is_empty() && "Let me look. Two".starts_with(&said),
        "{said}"
    );
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
