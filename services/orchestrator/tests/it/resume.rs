//! Coming back to a run.

use http::StatusCode;
use serde_json::json;

use crate::bench::{ALICE, Answer, Call, World, chat, message};

fn tail(answer: &Answer, after: u64) -> Vec<test_support::sse::Event> {
    let events = answer.events().into_iter();
    events
        .filter(|event| event.id.as_deref().unwrap().parse::<u64>().unwrap() > after)
        .collect()
}

const SCRIPT: &str = "one two tool:sun three warn:rain ask:which four";

#[tokio::test]
async fn from_every_frame_on_the_rest_is_the_tail_of_the_whole() {
    let world = World::new().await;
    let (here, elsewhere) = (world.replica(), world.replica());
    for call in [chat("ui", SCRIPT), message("named", SCRIPT)] {
        let whole = here.whole(ALICE, call).await;
        let path = format!("/v1/runs/{}/events", whole.run_id);
        let mut froms = whole.ids();
        froms.insert(0, 0);
        for from in froms {
            for replica in [&here, &elsewhere] {
                let call = Call::get(&path).header("last-event-id", &from);
                if Some(&from) == whole.ids().last() {
                    // An event source asks again unless the answer says that there is no more.
                    let status = replica.call(ALICE, call).await.status();
                    assert_eq!(status, StatusCode::NO_CONTENT);
                    continue;
                }
                let rest = replica.whole(ALICE, call).await;
                assert_eq!(rest.events(), tail(&whole, from), "after {from}");
            }
        }
        let beyond = Call::get(&path).header("last-event-id", &(whole.ids().len() + 5));
        let status = here.call(ALICE, beyond).await.status();
        assert_eq!(status, StatusCode::NO_CONTENT);
        let by_query = here
            .whole(ALICE, Call::get(format!("{path}?after=3")))
            .await;
        assert_eq!(by_query.events(), tail(&whole, 3));
    }
}

#[tokio::test]
async fn a_run_can_be_read_in_another_dialect() {
    let world = World::new().await;
    let replica = world.replica();
    let named = replica.whole(ALICE, message("t", SCRIPT)).await;
    let path = format!("/v1/runs/{}/events", named.run_id);
    let ui = replica
        .whole(ALICE, Call::get(format!("{path}?dialect=ui_messages")))
        .await;
    assert_eq!(ui.text(), "one two three four ");
    let agent = replica
        .whole(ALICE, Call::get(format!("{path}?dialect=agent_events")))
        .await;
    assert_eq!(agent.frames().last().unwrap()["event"], "complete");
    let bad = Call::get(format!("{path}?dialect=morse"));
    let (status, _) = replica.json(ALICE, bad).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_chat_is_joined_in_the_middle_and_read_from_its_first_chunk() {
    let world = World::new().await;
    let (here, elsewhere) = (world.replica(), world.replica());
    let mut first = here.open(ALICE, chat("t", "one wait:gate two")).await;
    first.until("one").await;
    let joined = here.open(ALICE, Call::get("/ai/chat/t/stream")).await;
    let joined_elsewhere = elsewhere.open(ALICE, Call::get("/ai/chat/t/stream")).await;
    let mut behind = Call::get("/ai/chat/t/stream");
    behind = behind.header("last-event-id", &2);
    let tail_elsewhere = elsewhere.open(ALICE, behind).await;
    world.gates.open("gate");
    let first = first.rest().await;
    assert_eq!(
        joined.rest().await.capture.events().count(),
        first.capture.events().count()
    );
    assert_eq!(joined_elsewhere.rest().await.events(), first.events());
    assert_eq!(tail_elsewhere.rest().await.events(), tail(&first, 2));
}

#[tokio::test]
async fn where_nothing_is_answered_there_is_nothing_to_join() {
    let world = World::new().await;
    let replica = world.replica();
    let join = || Call::get("/ai/chat/t/stream");
    assert_eq!(
        replica.call(ALICE, join()).await.status(),
        StatusCode::NO_CONTENT
    );
    let whole = replica.whole(ALICE, chat("t", "one two")).await;
    assert_eq!(
        replica.call(ALICE, join()).await.status(),
        StatusCode::NO_CONTENT
    );
    let missed = replica
        .whole(ALICE, join().header("last-event-id", &2))
        .await;
    let all = join().header("last-event-id", whole.ids().last().unwrap());
    assert_eq!(
        replica.call(ALICE, all).await.status(),
        StatusCode::NO_CONTENT
    );
    assert_eq!(
        missed.events(),
        tail(&whole, 2),
        "it ended while its reader was away"
    );
}

#[tokio::test]
async fn events_that_are_kept_no_more_are_said_to_be_gone() {
    let world = World::new().await;
    let replica = world.replica();
    let whole = replica
        .whole(ALICE, chat("t", "one").header("idempotency-key", &"k"))
        .await;
    sqlx::query("DELETE FROM orchestrator.run_events")
        .execute(world.database.pool())
        .await
        .unwrap();
    let (status, problem) = replica
        .json(
            ALICE,
            Call::get(format!("/v1/runs/{}/events", whole.run_id)),
        )
        .await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::GONE, &json!("events_gone"))
    );
    let again = chat("t", "one").header("idempotency-key", &"k");
    assert_eq!(replica.call(ALICE, again).await.status(), StatusCode::GONE);
    let join = Call::get("/ai/chat/t/stream").header("last-event-id", &1);
    assert_eq!(
        replica.call(ALICE, join).await.status(),
        StatusCode::NO_CONTENT
    );
}
