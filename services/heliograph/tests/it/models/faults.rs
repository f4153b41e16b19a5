//! Providers that fail: the rules answer, and say so.

use std::time::Duration;

use contracts::run::Source;
use test_support::provider::{Gate, ModelServer, Script, Turn};

use super::{CURVE, is_chat, source, warnings};
use crate::demo_stack::{DemoStack, Reply, ask};

/// Every way to fail, before the first word and in the middle of a sentence.
pub(super) async fn of_the_provider(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    let words = || Turn::text("The curve of that day is a fine one. It shows");
    let faults = [
        ("500", Turn::internal_error()),
        ("529", Turn::overloaded()),
        ("429", Turn::rate_limited(None)),
        (
            "429 for long",
            Turn::rate_limited(Some(Duration::from_mins(10))),
        ),
        ("401", Turn::status(401, r#"{"error":{"message":"no"}}"#)),
        ("a page", Turn::html(200)),
        ("nonsense", Turn::raw(["data: {\"choices\": nonsense}\n\n"])),
        ("nothing", Turn::raw([""; 0])),
        ("no headers", words().stall_before_headers()),
        ("no first token", words().stall_after(0)),
        ("a stall", words().stall_after(2)),
        ("a cut", words().cut_after(2)),
        ("an end too early", words().cut_after_bytes(30)),
        ("an error in the stream", words().error_after(1)),
        ("a closed connection", Turn::hang_up()),
    ];
    for (fault, turn) in faults {
        server.play(Script::new().when(is_chat, turn));
        let reply = ask(&user, &format!("t-{}", fault.replace(' ', "-")), CURVE).await;
        rules_answered(&reply, fault);
    }
}

/// The server goes away in the middle of a sentence, and comes back.
pub(super) async fn killed(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    let gate = Gate::new();
    let answer = Turn::text("The curve of that day is a fine one.").wait_after(3, &gate);
    server.play(Script::new().when(is_chat, answer));
    let killed = async {
        gate.reached().await;
        server.kill().await;
    };
    let (reply, ()) = tokio::join!(ask(&user, "t-killed", CURVE), killed);
    rules_answered(&reply, "killed");
    let reply = ask(&user, "t-killed", CURVE).await;
    rules_answered(&reply, "refused connections");

    server.revive().await.unwrap();
    server.play(Script::new().when(is_chat, Turn::text("Let me look again.")));
    let reply = ask(&user, "t-killed", CURVE).await;
    assert!(
        reply.text().starts_with("Let me look again."),
        "{}",
        reply.text()
    );
    server.assert_accepted();
}

fn rules_answered(reply: &Reply, fault: &str) {
    assert_eq!(warnings(reply), ["model_unavailable"], "{fault}: {reply:?}");
    // Words on no fact are not said, nor half a sentence.
    assert!(
        !reply.text().contains("The curve of") && !reply.text().contains('\u{2026}'),
        "{fault}: {}",
        reply.text()
    );
    assert_eq!(source(reply), Source::Rules, "{fault}");
    assert!(
        reply.tools().contains(&"get_power_curve"),
        "{fault}: {reply:?}"
    );
    assert!(
        reply.text().contains("29 November"),
        "{fault}: {}",
        reply.text()
    );
}
