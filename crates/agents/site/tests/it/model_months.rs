//! The days of a report in a model's words: today is known where the devices were asked for.

use agent_kit::testing::{Model, says};
use contracts::run::Source;

use crate::{chat::Chat, double::Double};

#[tokio::test]
async fn last_month_is_said_of_last_months_savings() {
    for words in [
        "GW-INV-001 saved you «CHF 225.00» last month.",
        "Last month GW-INV-001 made «900 kWh».",
    ] {
        let model = Model::new([says(words)]);
        let mut chat = Chat::with_model(Double::new(), &model);
        let turn = chat.say("How much did GW-INV-001 save last month?").await;
        let text = turn.blocks().pop().unwrap();
        assert!(
            text.contains("last month") || text.contains("Last month"),
            "{text}"
        );
        assert_eq!(turn.source(), Source::Model, "{words}");
    }
}

#[tokio::test]
async fn other_months_are_not() {
    for words in [
        "GW-INV-001 saved you «CHF 225.00» this month.",
        "GW-INV-001 saved you «CHF 225.00» last year.",
        "GW-INV-001 saved you «CHF 225.00» today.",
    ] {
        let model = Model::new([says(words)]);
        let mut chat = Chat::with_model(Double::new(), &model);
        let turn = chat.say("How much did GW-INV-001 save last month?").await;
        assert_eq!(turn.source(), Source::Rules, "{words}");
    }
}
