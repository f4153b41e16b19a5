//! A model that says nothing of use, or nothing in time: every answer is as good as without one,
//! and begins as soon.

use agent_kit::testing::BABBLE;
use contracts::run::Source;

use crate::{
    chat::Chat,
    double::Double,
    model::{Answer, Model, says, tables},
};

/// A message for each route.
const MESSAGES: [&str; 3] = [
    "How many employees are there?",
    "What are the rules for overtime?",
    "What can you do for the seasons?",
];

fn tools() -> std::sync::Arc<Double> {
    Double::new().reads(
        "Overtime",
        "Overtime is paid at 1.5 times the hourly rate after 40 hours a week.",
    )
}

fn with(answers: impl IntoIterator<Item = Answer>) -> Chat {
    Chat::with_model(tools(), &Model::new(answers)).limited(|options| options.model_wording = true)
}

#[tokio::test]
async fn babble_leaves_the_rules_answer_on_every_route() {
    for message in MESSAGES {
        let without = Chat::new(tools()).say(message).await;
        for words in BABBLE {
            let answers = [says(words), says(words), says(words), says(words)];
            let turn = with(answers).say(message).await;
            assert_eq!(
                (turn.text(), turn.source()),
                (without.text(), Source::Rules),
                "{message}: {words}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_route_answers_in_eight_seconds_if_the_model_stalls() {
    let stalls = || [Answer::Hangs(String::new()), Answer::Thinks];
    for message in MESSAGES {
        let without = Chat::new(tools()).say(message).await;
        for stall in stalls() {
            // From its first question on, or after answers of no use.
            for useless in 0..3 {
                let begun = (0..useless).map(|_| says("{}"));
                let answers = begun.chain((0..4).map(|_| stall.clone()));
                let start = tokio::time::Instant::now();
                let turn = with(answers).say(message).await;
                let waited = start.elapsed().as_secs();
                assert!(waited < 8, "{message}, {useless}: {waited} s");
                assert_eq!(turn.text(), without.text(), "{message}, {useless}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_route_answers_in_eight_seconds_if_the_model_stalls_after_its_choice() {
    for stall in [Answer::Hangs(String::new()), Answer::Thinks] {
        let answers = [tables(&["employee"]), stall.clone(), stall];
        let start = tokio::time::Instant::now();
        let turn = with(answers).say("How many employees are active?").await;
        let waited = start.elapsed().as_secs();
        assert!(waited < 8, "{waited} s");
        assert!(
            turn.warnings().contains(&"model_unavailable"),
            "{:?}",
            turn.warnings()
        );
    }
}
