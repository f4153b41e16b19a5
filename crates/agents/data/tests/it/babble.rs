//! A model that says nothing of use, or nothing in time: every answer is as good as without one,
//! and begins as soon.

use agent_kit::testing::BABBLE;
use contracts::run::Source;

use crate::{
    chat::Chat,
    double::Double,
    model::{Answer, Model, says},
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
async fn every_route_answers_in_eight_seconds_whatever_the_model_does() {
    // A query that only a model could write is waited for, and that is said.
    for message in &MESSAGES[1..] {
        let without = Chat::new(tools()).say(message).await;
        for begun in [""] {
            let answers = [(); 4].map(|()| Answer::Hangs(begun.to_owned()));
            let start = tokio::time::Instant::now();
            let turn = with(answers).say(message).await;
            let waited = start.elapsed().as_secs();
            assert!(waited < 8, "{message}: {waited} s");
            assert_eq!(turn.text(), without.text(), "{message}");
        }
    }
}
