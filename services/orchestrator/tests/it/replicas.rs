//! Several orchestrators over one database, some of which die.

use http::StatusCode;
use serde_json::{Value, json};

use crate::bench::{ALICE, Call, World, chat, eventually};

#[tokio::test]
async fn a_run_is_followed_and_stopped_from_another_replica() {
    let world = World::new().await;
    let (here, elsewhere) = (world.replica(), world.replica());
    let mut first = here.open(ALICE, chat("t", "one two wait:gate")).await;
    first.until("two").await;
    let mut there = elsewhere.open(ALICE, Call::get("/ai/chat/t/stream")).await;
    there.until("two").await;
    let stop = Call::post("/ai/chat/t/stop", &json!({}));
    assert_eq!(
        elsewhere.call(ALICE, stop).await.status(),
        StatusCode::NO_CONTENT
    );
    let (first, there) = (first.rest().await, there.rest().await);
    assert_eq!(first.warnings(), ["cancelled"]);
    assert_eq!(there.events(), first.events());
}

#[tokio::test]
async fn an_identity_that_cannot_be_had_in_that_moment_is_asked_for_again() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    let away = [StatusCode::SERVICE_UNAVAILABLE; 3];
    world.issue_identities_after(&mut config, &away).await;
    let doomed = world.replica_with(config.clone());
    let survivor = world.replica_with(config);
    let mut first = doomed.open(ALICE, chat("t", "one wait:gate two")).await;
    first.until("one").await;
    doomed.kill();
    world.gates.open("gate");
    let path = format!("/v1/runs/{}", first.run_id);
    eventually("the run is over", async || {
        let (_, run) = survivor.json(ALICE, Call::get(&path)).await;
        run["status"] != "running"
    })
    .await;
    let (_, run) = survivor.json(ALICE, Call::get(&path)).await;
    assert_eq!(
        (&run["status"], &run["attempt"]),
        (&json!("completed"), &json!(2))
    );
}

#[tokio::test]
async fn a_person_who_is_nobody_any_more_is_not_asked_for_again() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    let refused = [StatusCode::NOT_FOUND];
    world.issue_identities_after(&mut config, &refused).await;
    let doomed = world.replica_with(config.clone());
    let survivor = world.replica_with(config);
    let mut first = doomed.open(ALICE, chat("t", "one wait:gate two")).await;
    first.until("one").await;
    doomed.kill();
    world.gates.open("gate");
    let path = format!("/v1/runs/{}", first.run_id);
    eventually("the run is over", async || {
        let (_, run) = survivor.json(ALICE, Call::get(&path)).await;
        run["status"] == "interrupted"
    })
    .await;
}

#[tokio::test]
async fn a_run_whose_process_died_begins_again_elsewhere() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    world.issue_identities(&mut config).await;
    let doomed = world.replica_with(config.clone());
    let survivor = world.replica_with(config);
    let mut first = doomed.open(ALICE, chat("t", "one wait:gate two")).await;
    let seen = first.until("one").await.id.unwrap();
    let mut there = survivor.open(ALICE, Call::get("/ai/chat/t/stream")).await;
    there.until("one").await;
    doomed.kill();
    world.gates.open("gate");
    let there = there.rest().await;
    assert_eq!(there.warnings(), ["restarted"]);
    assert!(there.text().ends_with("one two "), "{}", there.text());
    assert!(
        there.ids().windows(2).all(|pair| pair[0] < pair[1]),
        "ids only grow"
    );
    let path = format!("/v1/runs/{}/events", first.run_id);
    let again = survivor
        .whole(ALICE, Call::get(&path).header("last-event-id", &seen))
        .await;
    assert_eq!(
        again.text(),
        "one two ",
        "who saw the attempt that died gets the new one whole"
    );
    assert_eq!(again.types()[..2], ["start", "data-warning"]);
    let (_, run) = survivor
        .json(ALICE, Call::get(format!("/v1/runs/{}", first.run_id)))
        .await;
    assert_eq!(
        (&run["status"], &run["attempt"]),
        (&json!("completed"), &json!(2))
    );
    let (_, page) = survivor
        .json(ALICE, Call::get("/v1/threads/t/messages"))
        .await;
    let texts: Vec<&str> = page["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        ["one wait:gate two", "one two"],
        "nothing is lost, nothing is there twice"
    );
    first.broken_off().await;
}

#[tokio::test]
async fn a_run_that_can_not_be_repeated_is_ended_with_what_there_was() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    world.issue_identities(&mut config).await;
    let doomed = world.replica_with(config.clone());
    let survivor = world.replica_with(config);
    let message = json!({ "role": "user", "content": "one call:tool wait:gate" });
    let call = Call::post(
        "/ai/chat",
        &json!({ "threadId": "t", "assistant": "once", "messages": [message] }),
    );
    let mut first = doomed.open(ALICE, call).await;
    first.until("tool-input").await;
    let mut there = survivor.open(ALICE, Call::get("/ai/chat/t/stream")).await;
    there.until("tool-input").await;
    doomed.kill();
    let there = there.rest().await;
    assert_eq!(there.warnings(), ["interrupted"]);
    assert_eq!(there.types().last().map(String::as_str), Some("error"));
    let path = format!("/v1/runs/{}", first.run_id);
    let (_, run) = survivor.json(ALICE, Call::get(&path)).await;
    assert_eq!(run["status"], "interrupted");
    let whole = survivor
        .whole(ALICE, Call::get(format!("{path}/events")))
        .await;
    assert_eq!(whole.text(), "one ");
    assert!(whole.types().contains(&"tool-output-available".to_owned()));
    let (_, page) = survivor
        .json(ALICE, Call::get("/v1/threads/t/messages"))
        .await;
    let answer = page["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&answer["text"], &answer["status"]),
        (&json!("one"), &json!("partial"))
    );
    let next = survivor.whole(ALICE, chat("t", "next")).await;
    assert_eq!(next.text(), "next ", "the thread is free");
}

#[tokio::test]
async fn without_an_identity_to_go_on_with_a_run_is_ended() {
    let world = World::new().await;
    let config = world.config_of_short_leases();
    let (doomed, survivor) = (
        world.replica_with(config.clone()),
        world.replica_with(config),
    );
    let mut first = doomed.open(ALICE, chat("t", "one wait:gate")).await;
    first.until("one").await;
    let run_id = first.run_id.clone();
    doomed.kill();
    let path = format!("/v1/runs/{run_id}");
    eventually("the run is ended", async || {
        survivor.json(ALICE, Call::get(&path)).await.1["status"] == "interrupted"
    })
    .await;
}

#[tokio::test]
async fn a_run_is_not_begun_for_ever() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    world.issue_identities(&mut config).await;
    config.runs.max_attempts = 2;
    let mut replica = world.replica_with(config.clone());
    let mut first = replica.open(ALICE, chat("t", "one wait:gate")).await;
    first.until("one").await;
    let path = format!("/v1/runs/{}", first.run_id);
    for attempt in 2..=3 {
        let next = world.replica_with(config.clone());
        replica.kill();
        replica = next;
        eventually("it is taken up", async || {
            let (_, run) = replica.json(ALICE, Call::get(&path)).await;
            run["attempt"] == attempt
        })
        .await;
    }
    eventually("it is given up", async || {
        replica.json(ALICE, Call::get(&path)).await.1["status"] == "interrupted"
    })
    .await;
}

#[tokio::test]
async fn a_run_that_was_to_be_stopped_when_its_process_died_is_stopped() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    world.issue_identities(&mut config).await;
    let doomed = world.replica_with(config.clone());
    let mut first = doomed.open(ALICE, chat("t", "one deaf wait:gate")).await;
    first.until("one").await;
    let path = format!("/v1/runs/{}", first.run_id);
    doomed.kill();
    let survivor = world.replica_with(config);
    let cancel = Call::post(format!("{path}/cancel"), &json!({}));
    survivor.call(ALICE, cancel).await;
    eventually("it is ended", async || {
        survivor.json(ALICE, Call::get(&path)).await.1["status"] == "cancelled"
    })
    .await;
    let (_, page) = survivor
        .json(ALICE, Call::get("/v1/threads/t/messages"))
        .await;
    assert_eq!(page["messages"][1]["status"], "partial");
}

#[tokio::test]
async fn messages_that_wait_survive_the_process_that_took_them() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    world.issue_identities(&mut config).await;
    let doomed = world.replica_with(config.clone());
    let survivor = world.replica_with(config);
    let mut first = survivor.open(ALICE, chat("t", "one wait:gate")).await;
    first.until("one").await;
    let message = json!({ "role": "user", "content": "two" });
    let waits = Call::post(
        "/ai/chat",
        &json!({ "threadId": "t", "messages": [message], "multitask_strategy": "enqueue" }),
    );
    let second = doomed.open(ALICE, waits).await;
    let path = format!("/v1/runs/{}", second.run_id);
    doomed.kill();
    world.gates.open("gate");
    first.rest().await;
    eventually("it is answered", async || {
        survivor.json(ALICE, Call::get(&path)).await.1["status"] == "completed"
    })
    .await;
    let whole = survivor
        .whole(ALICE, Call::get(format!("{path}/events")))
        .await;
    assert_eq!(whole.text(), "two ");
}

#[tokio::test]
async fn a_process_that_stops_in_order_ends_its_runs_or_hands_them_on() {
    let world = World::new().await;
    let mut config = world.config();
    world.issue_identities(&mut config).await;
    config.http.drain_timeout_ms = 300;
    config.runs.lease_ms = 60_000;
    let stopping = world.replica_with(config.clone());
    let survivor = world.replica_with(config);
    let mut quick = stopping
        .open(ALICE, chat("quick", "one wait:soon two"))
        .await;
    quick.until("one").await;
    let mut slow = stopping
        .open(ALICE, chat("slow", "one wait:gate two"))
        .await;
    slow.until("one").await;
    let (quick_run, slow_run) = (quick.run_id.clone(), slow.run_id.clone());
    let ((), ()) = tokio::join!(stopping.stop(), async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        world.gates.open("soon");
    });
    let run = async |id: &str| -> Value {
        survivor
            .json(ALICE, Call::get(format!("/v1/runs/{id}")))
            .await
            .1
    };
    let ended = run(&quick_run).await;
    assert_eq!(
        (&ended["status"], &ended["attempt"]),
        (&json!("completed"), &json!(1))
    );
    world.gates.open("gate");
    eventually(
        "the slow one is taken over long before its lease is over",
        async || {
            let run = run(&slow_run).await;
            run["status"] == "completed" && run["attempt"] == 2
        },
    )
    .await;
}

#[tokio::test]
async fn a_run_that_its_own_process_knows_nothing_of_is_answered() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    world.issue_identities(&mut config).await;
    let (here, doomed) = (
        world.replica_with(config.clone()),
        world.replica_with(config),
    );
    let mut held = here.open(ALICE, chat("held", "one wait:held")).await;
    held.until("one").await;
    let mut lost = doomed.open(ALICE, chat("lost", "one wait:lost two")).await;
    lost.until("one").await;
    doomed.kill();
    // As if `here` had accepted the message, and the database's answer had been lost.
    let moved = sqlx::query(
        "UPDATE orchestrator.runs SET lease_until = clock_timestamp() + interval '1 hour', worker = ( \
             SELECT r.worker FROM orchestrator.runs r JOIN orchestrator.threads t ON t.id = r.thread_id WHERE t.name = 'held') \
         WHERE id = $1::uuid",
    )
    .bind(&lost.run_id)
    .execute(world.database.pool())
    .await
    .unwrap();
    assert_eq!(moved.rows_affected(), 1);
    world.gates.open("lost");
    let path = format!("/v1/runs/{}", lost.run_id);
    eventually("it is answered", async || {
        let (_, run) = here.json(ALICE, Call::get(&path)).await;
        run["status"] == "completed" && run["attempt"] == 2
    })
    .await;
    let (_, page) = here
        .json(ALICE, Call::get("/v1/threads/lost/messages"))
        .await;
    assert_eq!(page["messages"][1]["text"], "one two");
    world.gates.open("held");
    assert!(held.rest().await.warnings().is_empty());
    lost.broken_off().await;
}
