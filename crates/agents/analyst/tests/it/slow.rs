//! A model that writes slowly, or stops behind its first sentence: the answer comes in time.

use std::{sync::Arc, time::Duration};

use agent_kit::testing::{Model, says};
use contracts::run::Source;
use tokio::time::Instant;

use crate::{
    chat::{Chat, Turn},
    double::Double,
};

const QUESTION: &str = "Show shipments to Miami last week";

/// The turn with this model, and how long it took.
async fn asked(model: &Arc<Model>, plans: bool) -> (Turn, Duration) {
    let mut chat = Chat::with_model(Double::new(), model).with(|options| {
        options.model_planning = plans;
        options.model_rewriting = plans;
        options.model_wording = true;
    });
    let begun = Instant::now();
    let turn = chat.say(QUESTION).await;
    (turn, begun.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_model_that_writes_on_without_a_true_word_gives_way_in_time() {
    let without = Chat::new(Double::new()).say(QUESTION).await.text();
    // In the plan, in the words of the answer, or behind a plan of no use.
    let on = || says("").repeats("All is well ");
    for (script, plans) in [
        (vec![], true),
        (vec![], false),
        (vec![says("{}"), says("{}")], true),
    ] {
        let model = Model::always_after(script, on());
        let (turn, took) = asked(&model, plans).await;
        assert!(took < Duration::from_secs(8), "{took:?}");
        assert_eq!(turn.text(), without);
        assert_eq!(turn.source(), Source::Rules);
    }
}

#[tokio::test(start_paused = true)]
async fn a_true_sentence_is_said_where_the_model_stops_behind_it() {
    let sentence = "There were 142 shipments.";
    for rest in ["", " ", " Of", " Of these, 1"] {
        let model = Model::always(says(&format!("{sentence}{rest}")).hangs());
        let (turn, took) = asked(&model, false).await;
        let text = turn.text();
        assert!(took < Duration::from_secs(8), "{took:?}");
        assert!(text.contains(sentence), "{rest}: {text}");
        assert!(text.contains("SHP-0"), "{rest}: {text}");
        assert!(!text.contains("Of these"), "{rest}: {text}");
        assert_eq!(turn.source(), Source::Model, "{rest}");
    }
    // A figure may break off at its point.
    let model = Model::always(says("There were 142.").hangs());
    let (turn, _) = asked(&model, false).await;
    assert_eq!(turn.source(), Source::Rules, "{}", turn.text());
}
