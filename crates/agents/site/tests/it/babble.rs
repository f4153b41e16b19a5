//! A model that says nothing of use: every answer is as good as without one.

use agent_kit::testing::{BABBLE, Model, calls, says, stalls};
use contracts::{run::Source, tools::names};
use serde_json::json;

use crate::{
    chat::Chat,
    double::Double,
    model_chat::{QUESTION, curve},
};

/// A message for each workflow, and for free chat.
const MESSAGES: [&str; 7] = [
    "Morning briefing",
    "Financial report for GW-INV-001",
    "Health check of LTI-INV-001",
    "Health check of all devices",
    "Compare GW-INV-001 and SD-INV-001",
    "Energy of GW-INV-001 last week",
    QUESTION,
];

fn tools() -> std::sync::Arc<Double> {
    Double::new().offline(&["SD-INV-001"])
}

#[tokio::test]
async fn every_workflow_answers_as_without_a_model() {
    for message in MESSAGES {
        let without = Chat::new(tools()).say(message).await;
        for words in BABBLE {
            let model = Model::always(says(words));
            let turn = Chat::with_model(tools(), &model).say(message).await;
            assert_eq!(
                (turn.blocks().pop(), turn.cards().len(), turn.source()),
                (without.blocks().pop(), without.cards().len(), Source::Rules),
                "{message}: {words}"
            );
        }
    }
}

#[tokio::test]
async fn words_after_calls_that_say_nothing_leave_the_results_to_the_rules() {
    let without = Chat::new(tools()).say(QUESTION).await;
    for words in BABBLE {
        let date = json!({ "logger_id": "GW-INV-001", "date": "2025-11-29" });
        let model = Model::new([calls("a", names::GET_POWER_CURVE, date), says(words)]);
        let turn = Chat::with_model(tools(), &model).say(QUESTION).await;
        let text = turn.text().replace('\n', " ");
        let sentences = agent_kit::prose::sentences(&without.blocks().pop().unwrap());
        let missing: Vec<_> = sentences
            .iter()
            .filter(|sentence| !text.contains(sentence.as_str()))
            .collect();
        assert!(missing.is_empty(), "{words}: {missing:?} is not in {text}");
    }
}

#[tokio::test]
async fn cards_and_questions_of_a_model_claim_nothing() {
    let card = |component: &str, props| json!({ "component": component, "props": props });
    let model = Model::new([
        calls(
            "a",
            names::RENDER_UI_COMPONENT,
            card("ErrorCard", json!({ "title": "Fire", "message": "All devices are broken.", "details": [] })),
        )
        .and(
            "b",
            names::REQUEST_USER_SELECTION,
            json!({
                "prompt": "Which of the burning devices?", "selectionType": "single", "inputType": "dropdown",
                "options": [{ "value": "GW-INV-001", "label": "Garage" }],
            }),
        ),
        says("Fine."),
    ]);
    let turn = Chat::with_model(tools(), &model).say(QUESTION).await;
    assert!(turn.open_picker().is_none());
    let shown = turn
        .cards()
        .iter()
        .map(ToString::to_string)
        .collect::<String>();
    assert!(!shown.contains("broken"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn every_workflow_answers_in_eight_seconds_if_the_model_stalls() {
    for message in MESSAGES {
        let without = Chat::new(tools()).say(message).await;
        for stall in stalls() {
            let begun = tokio::time::Instant::now();
            let model = Model::always(stall);
            let turn = Chat::with_model(tools(), &model).say(message).await;
            let waited = begun.elapsed().as_secs();
            assert!(waited < 8, "{message}: {waited} s");
            assert_eq!(turn.blocks().pop(), without.blocks().pop(), "{message}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_chat_answers_in_eight_seconds_if_the_model_stalls_between_its_tools() {
    let call = || curve("a", "GW-INV-001");
    let without = Chat::new(tools()).say(QUESTION).await;
    let scripts = stalls().into_iter().flat_map(|stall| {
        let again = curve("b", "SD-INV-001");
        [vec![call(), stall.clone()], vec![call(), again, stall]]
    });
    // It asks for a call, and its answer does not end.
    let unfinished = [vec![call().hangs()], vec![call().thinks()]];
    for script in scripts.chain(unfinished) {
        let begun = tokio::time::Instant::now();
        let model = Model::new(script);
        let turn = Chat::with_model(tools(), &model).say(QUESTION).await;
        let waited = begun.elapsed().as_secs();
        assert!(waited < 8, "{waited} s");
        assert_eq!(turn.warnings(), ["model_unavailable"]);
        assert_eq!(turn.source(), Source::Rules);
        // The results that the model looked up besides are in the answer, too.
        let (said, plain) = (
            turn.blocks().pop().unwrap(),
            without.blocks().pop().unwrap(),
        );
        let first = agent_kit::prose::sentences(&plain).swap_remove(0);
        assert!(said.starts_with(first.trim()), "{said}");
        let both = turn.called().len() == 2;
        assert!(
            said == plain || both && said.contains("SD-INV-001 made"),
            "{said}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_writes_on_without_a_true_word_gives_way_to_the_rules_in_time() {
    let begun = tokio::time::Instant::now();
    let model = Model::new([
        curve("a", "GW-INV-001"),
        says("").repeats("All of them burn down. "),
    ]);
    let turn = Chat::with_model(tools(), &model).say(QUESTION).await;
    let waited = begun.elapsed().as_secs();
    assert!(waited < 8, "{waited} s");
    let text = turn.text();
    assert!(!text.contains("takes a little longer"), "{text}");
    assert!(
        text.contains("GW-INV-001") && !text.contains("burn"),
        "{text}"
    );
}

#[tokio::test]
async fn words_in_another_language_leave_the_rules_answer() {
    for (message, words) in [
        ("¿Cuánto he ahorrado el mes pasado?", "Has ahorrado mucho."),
        ("Wie viel habe ich letzten Monat gespart?", "Alles ist gut."),
        (QUESTION, "Tout va bien."),
    ] {
        let without = Chat::new(tools()).say(message).await;
        let model = Model::always(says(words));
        let turn = Chat::with_model(tools(), &model).say(message).await;
        assert_eq!(turn.blocks().pop(), without.blocks().pop(), "{message}");
        assert!(!turn.text().contains(words), "{}", turn.text());
    }
}
