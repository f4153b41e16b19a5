//! Workflows that a model words, and messages that it sorts.

use contracts::run::Source;
use test_support::provider::{ModelServer, Script, Turn};

use super::{UNCLEAR, classified, is_chat, is_routing, is_wording, source, warnings};
use crate::demo_stack::{DemoStack, ask};

/// The model's words are sent as they come, up to a figure; from there when the figure is a fact.
/// Where it is not, the sentence ends and the rules answer.
pub(super) async fn narratives(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    let good =
        "Your 4 devices made 156.83 kWh on 4 December 2025. I would look at the weakest one next.";
    server.play(Script::new().when(is_wording, Turn::text(good)));
    let reply = ask(&user, "t-good", "Morning briefing").await;
    assert_eq!(reply.flow(), "morning_briefing");
    assert!(reply.text().ends_with(good), "{}", reply.text());
    assert_eq!((source(&reply), warnings(&reply)), (Source::Model, vec![]));
    server.assert_accepted();

    let draft = "What a day: 987.65 kWh! No one has ever seen the like.";
    server.play(Script::new().when(is_wording, Turn::text(draft)));
    let reply = ask(&user, "t-wrong", "Morning briefing").await;
    let text = reply.text();
    assert!(!text.contains("987") && !text.contains("No one"), "{text}");
    assert!(
        text.contains("What a day… I left out a figure there that is not in the data. "),
        "{text}"
    );
    assert!(text.contains("4 December 2025"), "{text}");
    assert_eq!(source(&reply), Source::Rules);
    server.assert_accepted();
}

/// What no rule is sure of, the model sorts; where it is not sure, there is a chat.
pub(super) async fn routing(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    let script = Script::new()
        .when(
            is_routing,
            classified("health_check", 0.92, &["LTI-INV-001"]),
        )
        .when(
            is_wording,
            Turn::text("There was an outage on 29 November 2025."),
        );
    server.play(script);
    let reply = ask(&user, "t-sure", UNCLEAR).await;
    assert_eq!(reply.flow(), "health_check", "{reply:?}");
    assert!(
        reply.tools().contains(&"analyze_inverter_health"),
        "{reply:?}"
    );
    assert!(
        reply.text().contains("29 November 2025"),
        "{}",
        reply.text()
    );
    server.assert_accepted();

    let script = Script::new()
        .when(
            is_routing,
            classified("health_check", 0.4, &["LTI-INV-001"]),
        )
        .when(is_chat, Turn::text("Which of your devices stands there?"));
    server.play(script);
    let reply = ask(&user, "t-unsure", UNCLEAR).await;
    assert_eq!(reply.flow(), "free_chat");
    assert_eq!(reply.text(), "Which of your devices stands there?");
    server.assert_accepted();

    // Not JSON at all: the rules continue, and say so.
    let script = Script::new()
        .when(is_routing, Turn::text("The garage? I would say health."))
        .when(is_chat, Turn::text("Which of your devices stands there?"));
    server.play(script);
    let reply = ask(&user, "t-nonsense", UNCLEAR).await;
    assert!(!reply.text().is_empty());
    assert_eq!(warnings(&reply), ["model_unavailable"]);
    server.assert_accepted();
}
