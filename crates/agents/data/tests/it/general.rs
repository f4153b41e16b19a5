//! The route that needs neither data nor documents.

use contracts::run::{FinishReason, Source};

use crate::{
    chat::Chat,
    double::Double,
    model::{Answer, Model, says},
};

const QUESTION: &str = "What is machine learning?";

#[tokio::test]
async fn the_model_answers_by_itself() {
    let model = Model::new([says("general"), says("Learning from 3 examples, say.")]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(turn.route(), ("general", Source::Model));
    assert_eq!(
        (turn.text().as_str(), turn.source()),
        ("Learning from 3 examples, say.", Source::Model)
    );
    let requests = model.requests();
    assert!(
        requests[1]
            .system
            .as_deref()
            .unwrap()
            .contains("Today is 2026-11-21")
    );
}

#[tokio::test]
async fn without_a_model_it_says_what_can_be_asked_here() {
    let double = Double::new().knows("How many employees are ill?", "SELECT 1 FROM employee", 0.2);
    let turn = Chat::new(double).say(QUESTION).await;
    let text = turn.text();
    assert!(
        text.starts_with("I can answer questions about your data"),
        "{text}"
    );
    assert_eq!(text.matches('\u{201c}').count(), 3, "{text}");
    assert!(
        text.contains("How many employees are ill?")
            && text.contains("How many employees are there?"),
        "{text}"
    );
}

#[tokio::test]
async fn a_model_that_fails_leaves_it_to_the_rules() {
    let model = Model::new([says("general"), Answer::Fails(llm::ErrorKind::Overloaded)]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(
        (turn.source(), turn.warnings()),
        (Source::Rules, vec!["model_unavailable"])
    );
    assert!(turn.text().starts_with("I can answer"), "{}", turn.text());
}

#[tokio::test]
async fn half_an_answer_is_not_called_a_whole_one() {
    let stops = Answer::Stops(
        "Machine learning is a way of".into(),
        llm::ErrorKind::Overloaded,
    );
    let model = Model::new([says("general"), stops]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert_eq!(turn.text(), "Machine learning is a way of\u{2026}");
    assert_eq!(turn.reason(), FinishReason::Incomplete);
    assert_eq!(
        (turn.source(), turn.warnings()),
        (Source::Model, vec!["model_stopped"]),
        "whose words they are, and that they are not all"
    );
}

#[tokio::test]
async fn a_greeting_asks_no_model() {
    let model = Model::new([]);
    let turn = Chat::with_model(Double::new(), &model).say("Hello!").await;
    assert!(turn.text().contains("You could ask"), "{}", turn.text());
}

#[tokio::test]
async fn a_general_answer_claims_nothing_of_the_organisation() {
    for claim in [
        "Your company has 4,711 customers and made 9,999,999 euros.",
        "There are 4,711 employees.",
        "All employees are ill.",
        "The team is unhappy.",
    ] {
        let answer = format!("Learning is a matter of examples. {claim}");
        let model = Model::new([says("general"), says(answer)]);
        let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
        assert_eq!(turn.text(), "Learning is a matter of examples.", "{claim}");
        let model = Model::new([says("general"), says(claim)]);
        let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
        assert!(turn.text().starts_with("I can answer"), "{}", turn.text());
        assert_eq!(
            (turn.source(), turn.warnings()),
            (Source::Rules, vec!["model_unavailable"])
        );
    }
}

#[tokio::test]
async fn a_greeting_is_no_answer_to_a_question() {
    let model = Model::new([says("general"), says("Hello!")]);
    let turn = Chat::with_model(Double::new(), &model).say(QUESTION).await;
    assert!(
        turn.text().starts_with("Hello! I can answer questions"),
        "{}",
        turn.text()
    );
    assert_eq!(
        (turn.source(), turn.warnings()),
        (Source::Rules, vec!["model_unavailable"])
    );
}
