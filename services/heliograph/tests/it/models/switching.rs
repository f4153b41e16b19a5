//! A thread whose provider changes.

use heliograph::stack::StackConfig;
use serde_json::json;
use test_support::provider::{Call, Dialect, ModelServer, Script, SeenMessage, Turn};

use super::{CURVE, is_chat, use_model};
use crate::demo_stack::{DemoStack, ask};

/// Gemini's third generation needs its thought signatures back.
fn use_strictest(config: &mut StackConfig, server: &ModelServer) {
    use_model(config, server);
    let gemini = config.orchestrator.llm.providers.get_mut("gemini");
    gemini.model = Some("gemini-3-flash-preview".to_owned());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_goes_on_with_any_other_provider() {
    let order = [
        Dialect::Gemini,
        Dialect::Anthropic,
        Dialect::OpenAi,
        Dialect::Ollama,
        Dialect::Gemini,
    ];
    let mut servers = Vec::new();
    for dialect in order {
        let calls = Turn::calls([
            Call::new(
                "get_power_curve",
                json!({"logger_id": "GW-INV-001", "date": "2025-11-29"}),
            ),
            Call::new("list_loggers", json!({})),
        ]);
        let script = Script::new()
            .when(|seen| is_chat(seen) && seen.rounds() == 0, calls)
            .when(is_chat, Turn::text("[[s1]]"));
        servers.push(ModelServer::start(dialect, script).await.unwrap());
    }
    let mut stack = DemoStack::start_with(|config| use_strictest(config, &servers[0])).await;
    for (turn, server) in servers.iter().enumerate() {
        if turn > 0 {
            let restart = stack.restart_with(|config| use_strictest(config, server));
            stack = Box::pin(restart).await;
        }
        let user = stack.demo_user().await;
        let reply = ask(&user, "t-switched", CURVE).await;
        assert!(
            reply.text().contains("GW-INV-001"),
            "{:?}: {reply:?}",
            server.dialect()
        );
        server.assert_accepted();
        let first = &server.seen()[0];
        let questions = first
            .messages
            .iter()
            .filter(|message| matches!(message, SeenMessage::User(_)))
            .count();
        assert_eq!(questions, turn + 1, "{:#?}", first.messages);
        let answers = first
            .messages
            .iter()
            .filter(|message| matches!(message, SeenMessage::Tool { .. }))
            .count();
        assert_eq!(answers, 2 * turn, "{:#?}", first.messages);
    }
    stack.stop().await;
}
