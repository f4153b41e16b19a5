//! Workflows that a model words, and messages that it sorts.

use contracts::run::Source;
use test_support::provider::{ModelServer, Script, Turn};

use super::{UNCLEAR, classified, is_chat, is_routing, is_wording, source, warnings};
use crate::demo_stack::{DemoStack, ask};

/// The model names facts and sentences, the server writes them. Words on no fact are left out, and
/// the rules answer.
pub(super) async fn narratives(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    server.play(Script::new().when(is_wording, Turn::text("Good morning! [[s1]]")));
    let reply = ask(&user, "t-good", "Morning briefing").await;
    assert_eq!(reply.flow(), "morning_briefing");
    let text = reply.text();
    assert!(
        text.contains("Good morning!") && text.contains("kWh") && !text.contains("[["),
        "{text}"
    );
    assert_eq!((source(&reply), warnings(&reply)), (Source::Model, vec![]));
    server.assert_accepted();

    let draft = "What a day: 987.65 kWh! All devices are online and nothing is wrong.";
    server.play(Script::new().when(is_wording, Turn::text(draft)));
    let reply = ask(&user, "t-wrong", "Morning briefing").await;
    let text = reply.text();
    assert!(
        !text.contains("987") && !text.contains("nothing is wrong") && !text.contains("What a"),
        "{text}"
    );
    assert!(text.contains("4 December 2025"), "{text}");
    assert_eq!(
        (source(&reply), warnings(&reply)),
        (Source::Rules, vec!["model_unavailable"])
    );
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
