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
        "You made 900 kWh with GW-INV-001. That is 225 CHF. I'd look again next month.",
    )]);
    let turn = with(&model).await;
    assert_eq!(
        last(&turn),
        "You made 900 kWh with GW-INV-001. That is 225 CHF. I'd look again next month."
    );
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
async fn a_narrative_that_begins_with_a_wrong_figure_is_the_template() {
    let turn = with(&Model::new([says("901.5 kWh were made. Well done.")])).await;
    assert_eq!(
        (last(&turn), turn.source()),
        (template().await, Source::Rules)
    );
    assert!(turn.warnings().is_empty());
    // Words before the figure are out when it comes: they are broken off, and the whole template
    // follows.
    let turn = with(&Model::new([says("You made 901.5 kWh. Well done.")])).await;
    let corrected = "You made\u{2026} I left out a figure there that is not in the data. ";
    assert_eq!(
        (last(&turn), turn.source(), turn.warnings()),
        (
            format!("{corrected}{}", template().await),
            Source::Rules,
            vec!["model_stopped"]
        )
    );
}

#[tokio::test]
async fn a_wrong_figure_in_the_middle_ends_the_models_words_and_the_template_completes_them() {
    let model = Model::new([says(
        "You made 900 kWh with GW-INV-001. That is 999 CHF. Well done.",
    )]);
    let turn = with(&model).await;
    let text = last(&turn);
    assert!(
        text.starts_with("You made 900 kWh with GW-INV-001. "),
        "{text}"
    );
    assert!(
        !text.contains("999") && !text.contains("Well done") && text.contains("225"),
        "{text}"
    );
    // Each sentence of the rest is the template's own.
    let template = template().await;
    let rest = text
        .strip_prefix("You made 900 kWh with GW-INV-001. That is\u{2026} I left out a figure there that is not in the data. ")
        .unwrap();
    assert!(
        rest.split(". ")
            .all(|sentence| template.contains(sentence.trim_end_matches('.'))),
        "{rest}\n{template}"
    );
    assert_eq!(turn.source(), Source::Rules);
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
    let turn = with(&Model::new([
        says("You made 900 kWh. That is 22").cut(ErrorKind::Truncated)
    ]))
    .await;
    let text = last(&turn);
    assert!(
        text.starts_with("You made 900 kWh. ") && text.contains("225"),
        "{text}"
    );
    assert_eq!(
        (turn.source(), turn.warnings()),
        (Source::Rules, vec!["model_stopped"])
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
        (
            format!("You made\u{2026} {}", template().await),
            vec!["model_stopped"]
        )
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
    let model = Model::new([says("GW-INV-001 made 900 kWh.")]);
    let tools = Double::new().always(
        names::FORECAST_PRODUCTION,
        crate::double::Ending::Fails(agent_kit::ToolsError::TimedOut),
    );
    let turn = Chat::with_model(tools, &model).say(REPORT).await;
    let text = last(&turn);
    assert!(
        text.starts_with("GW-INV-001 made 900 kWh. ") && text.contains("forecast is missing"),
        "{text}"
    );
}
