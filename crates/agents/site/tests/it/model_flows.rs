//! The workflows' answers in a model's words.

use agent_kit::testing::{Model, fails, says};
use std::time::Duration;

use agent_site::SiteSettings;
use contracts::{run::Source, tools::names};
use llm::ErrorKind;

use crate::{
    chat::{Chat, Turn},
    double::Double,
};

const REPORT: &str = "Financial report for GW-INV-001";

/// The rules' answer to the same question.
async fn template() -> String {
    let turn = Chat::new(Double::new()).say(REPORT).await;
    turn.blocks().pop().unwrap()
}

async fn with(model: &std::sync::Arc<Model>) -> Turn {
    Chat::with_model(Double::new(), model).say(REPORT).await
}

fn last(turn: &Turn) -> String {
    turn.blocks().pop().unwrap()
}

#[tokio::test]
async fn a_narrative_of_the_facts_is_told_in_the_models_words() {
    let model = Model::new([says(
        "«must» You made «900 kWh» with GW-INV-001. That is worth «CHF 225.00».",
    )]);
    let turn = with(&model).await;
    let text = last(&turn);
    assert!(
        text.ends_with("You made 900 kWh with GW-INV-001. That is worth CHF 225.00."),
        "{text}"
    );
    let first = agent_kit::prose::sentences(&template().await).remove(0);
    assert!(text.starts_with(&first), "{text}");
    assert_eq!(
        (turn.source(), turn.card()["component"].as_str()),
        (Source::Model, Some("FinancialReport"))
    );
    let requests = model.requests();
    let system = requests[0].system.as_deref().unwrap();
    assert!(
        system.contains("Aim at 30 to 70 words") && requests[0].tools.is_empty(),
        "{system}"
    );
}

#[tokio::test]
async fn a_narrative_on_no_fact_is_the_template() {
    for words in [
        "901.5 kWh were made. Well done.",
        "You made 905 kWh. That is 225 CHF.",
        "All is lovely.",
        "You made «900 kWh» because the sun was strong.",
    ] {
        let turn = with(&Model::new([says(words)])).await;
        assert_eq!(
            (last(&turn), turn.source(), turn.warnings()),
            (template().await, Source::Rules, vec!["model_unavailable"]),
            "{words}"
        );
    }
}

#[tokio::test]
async fn what_has_to_be_said_and_is_not_comes_before_the_models_words() {
    let model = Model::new([says("GW-INV-001 made «900 kWh».")]);
    let turn = with(&model).await;
    let text = last(&turn);
    let must = agent_kit::prose::sentences(&template().await).remove(0);
    assert!(
        text.starts_with(&must) && text.ends_with(" GW-INV-001 made 900 kWh."),
        "{text}"
    );
}

#[tokio::test]
async fn a_sentence_on_no_fact_is_left_out_and_the_template_completes_the_rest() {
    let model = Model::new([says(
        "You made «900 kWh» with GW-INV-001. That is 999 CHF. Well done.",
    )]);
    let turn = with(&model).await;
    let text = last(&turn);
    assert!(
        !text.contains("999") && !text.contains("Well done") && text.contains("225"),
        "{text}"
    );
    assert!(text.contains("You made 900 kWh with GW-INV-001."), "{text}");
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_template_and_a_notice() {
    for kind in [
        ErrorKind::Connect,
        ErrorKind::RateLimited,
        ErrorKind::Unreadable,
    ] {
        let turn = with(&Model::new([fails(kind)])).await;
        assert_eq!(
            (last(&turn), turn.source(), turn.warnings()),
            (template().await, Source::Rules, vec!["model_unavailable"])
        );
    }
}

#[tokio::test]
async fn a_model_cut_in_mid_sentence_is_completed_by_the_template() {
    let turn = with(&Model::new([says(
        "You made «900 kWh» with GW-INV-001. That is 22",
    )
    .cut(ErrorKind::Truncated)]))
    .await;
    let text = last(&turn);
    assert!(
        text.contains("You made 900 kWh with GW-INV-001. ") && text.contains("225"),
        "{text}"
    );
    assert_eq!(
        (turn.source(), turn.warnings()),
        (Source::Model, vec!["model_stopped"])
    );
}

#[tokio::test]
async fn a_model_that_stalls_is_not_waited_for() {
    let options = SiteSettings {
        narrative_timeout: Duration::from_millis(20),
        ..SiteSettings::default()
    };
    let turn = Chat::with_model(Double::new(), &Model::new([says("You made").hangs()]))
        .limited(options)
        .say(REPORT)
        .await;
    assert_eq!(
        (last(&turn), turn.warnings()),
        (template().await, vec!["model_unavailable"])
    );
}

#[tokio::test]
async fn narratives_of_a_model_can_be_turned_off() {
    let options = SiteSettings {
        narratives: false,
        ..SiteSettings::default()
    };
    let model = Model::new([]);
    let turn = Chat::with_model(Double::new(), &model)
        .limited(options)
        .say(REPORT)
        .await;
    assert_eq!((last(&turn), turn.usage()), (template().await, None));
}

#[tokio::test]
async fn a_greeting_and_a_picker_need_no_model() {
    let model = Model::new([]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say("Hello").await;
    chat.say("Health check").await.picker();
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn what_can_not_be_honoured_is_said_behind_the_models_words() {
    let model = Model::new([says("«must» GW-INV-001 made «900 kWh».")]);
    let tools = Double::new().always(
        names::FORECAST_PRODUCTION,
        crate::double::Ending::Fails(agent_kit::ToolsError::TimedOut),
    );
    let turn = Chat::with_model(tools, &model).say(REPORT).await;
    let text = last(&turn);
    assert!(
        text.contains("GW-INV-001 made 900 kWh. ") && text.contains("forecast is missing"),
        "{text}"
    );
}
