//! Greetings report on the fleet, and cost the tools service next to nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::routing::post;
use axum::{Json, Router};
use orchestrator::Config;
use serde_json::{Value, json};

use crate::bench::{ALICE, BOB, Call, OTHER_ALICE, Person, Replica, World};
use crate::streams::Stream;

fn hello(thread: &str) -> Call {
    let message = json!({ "role": "user", "content": "hello" });
    Call::post(
        "/ai/chat",
        &json!({ "threadId": thread, "assistant": "site", "messages": [message] }),
    )
}

fn fleet() -> Value {
    json!({
        "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04",
        "status": { "totalLoggers": 4, "activeLoggers": 4, "producing": 4, "asleep": 0, "offline": 0,
            "percentOnline": 100.0, "fleetHealth": "Healthy" },
        "production": { "currentTotalPowerWatts": 9000.0, "todayTotalEnergyKwh": 21.1, "siteAvgIrradiance": null, "specificYield": null },
        "summary": "The fleet delivers.", "dateMismatch": null, "oldestReadingMinutes": 5.0,
        "energySource": "daily_register", "offlineLoggers": [], "devices": [], "sites": [], "flags": [],
    })
}

/// A tools service that counts how often it is asked for the fleet, and has it from its second
/// answer on.
async fn tools(config: &mut Config) -> Arc<AtomicUsize> {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let answer = move || async move {
        Json(if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            json!({ "status": "no_data", "message": "There are no loggers with readings yet." })
        } else {
            json!({ "status": "ok", "result": fleet() })
        })
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    config.tools.base_url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().route("/api/tools/get_fleet_overview", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    asked
}

async fn greeted(replica: &Replica, person: Person, thread: &str, scopes: &[&str]) -> String {
    let token = replica.token(person, scopes);
    let response = replica.send(Some(&token), hello(thread)).await;
    Stream::of(response).await.rest().await.text()
}

#[tokio::test]
async fn greetings_of_the_same_moment_ask_for_the_fleet_once() {
    let world = World::new().await;
    let mut config = world.config();
    let asked = tools(&mut config).await;
    let replica = world.replica_with(config);
    let asks = || asked.load(Ordering::SeqCst);

    let nothing_yet = greeted(&replica, ALICE, "a", &["chat"]).await;
    assert!(!nothing_yet.contains("online"), "{nothing_yet}");
    assert_eq!(asks(), 1);
    for (person, thread) in [(ALICE, "a"), (ALICE, "a"), (ALICE, "b"), (BOB, "c")] {
        let text = greeted(&replica, person, thread, &["chat"]).await;
        assert!(text.contains("4 of your 4 inverters are online"), "{text}");
        assert_eq!(asks(), 2, "no data is asked for again, an answer is kept");
    }
    greeted(&replica, ALICE, "a", &["chat", "tools:read"]).await;
    assert_eq!(asks(), 3, "other rights may get another answer");
    greeted(&replica, OTHER_ALICE, "a", &["chat"]).await;
    assert_eq!(asks(), 4, "so does another tenant");
}
