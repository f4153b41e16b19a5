//! Two orchestrators on one database, people who talk to both, and a hand that kills either at any
//! moment.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::StatusCode;
use orchestrator::Config;
use serde_json::{Value, json};

use crate::bench::{ALICE, Call, Replica, Stream, World, eventually};

/// People, each with a thread; two of them share one.
const TALKS: [(&str, u32); 4] = [("a", 0), ("b", 1), ("shared", 2), ("shared", 3)];
const MESSAGES: u32 = 5;
const KILLS: u32 = 8;

/// The seat that replicas take and leave.
type Seats = Arc<Mutex<Vec<Arc<Replica>>>>;

/// Numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn said(talk: u32, number: u32) -> String {
    let pauses = "pause ".repeat(4);
    format!("t{talk}m{number} one {pauses}tool:x two {pauses}three {pauses}four")
}

fn answered(talk: u32, number: u32) -> String {
    format!("t{talk}m{number} one two three four")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_killed_nothing_is_lost_or_there_twice_and_every_answer_is_read_whole() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    // Beyond its attempts, a run ends with the word that it was interrupted. On a busy machine the
    // same run may be hit by kill after kill.
    config.runs.max_attempts = KILLS + 1;
    world.issue_identities(&mut config).await;
    let seats: Seats = Arc::new(Mutex::new(vec![
        Arc::new(world.replica_with(config.clone())),
        Arc::new(world.replica_with(config.clone())),
    ]));
    let mut people = tokio::task::JoinSet::new();
    for (thread, talk) in TALKS {
        people.spawn(talk_to(Arc::clone(&seats), thread, talk));
    }
    kill_now_and_then(&world, &config, &seats).await;
    while let Some(person) = people.join_next().await {
        person.unwrap();
    }
    let left = "SELECT count(*) FROM orchestrator.runs WHERE status <> 'completed'";
    eventually("no run is left running", async || {
        let left: i64 = sqlx::query_scalar(left)
            .fetch_one(world.database.pool())
            .await
            .unwrap();
        left == 0
    })
    .await;
    let begun_again: i64 =
        sqlx::query_scalar("SELECT count(*) FROM orchestrator.runs WHERE attempt > 1")
            .fetch_one(world.database.pool())
            .await
            .unwrap();
    assert!(begun_again > 0, "no kill hit a run");
    let replica = Arc::clone(&seats.lock().unwrap()[0]);
    for thread in ["a", "b", "shared"] {
        check_messages(&replica, thread).await;
    }
}

async fn kill_now_and_then(world: &World, config: &Config, seats: &Seats) {
    let mut dice = Dice(7);
    for _ in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(100 + dice.roll(400))).await;
        let seat = usize::try_from(dice.roll(2)).unwrap();
        let fresh = Arc::new(world.replica_with(config.clone()));
        let dead = std::mem::replace(&mut seats.lock().unwrap()[seat], fresh);
        dead.kill();
    }
}

/// Says all messages of a talk, each when the one before is answered, and reads every answer whole.
async fn talk_to(seats: Seats, thread: &'static str, talk: u32) {
    let mut dice = Dice(u64::from(talk) + 1);
    let mut any = || {
        let seat = usize::try_from(dice.roll(2)).unwrap();
        Arc::clone(&seats.lock().unwrap()[seat])
    };
    for number in 0..MESSAGES {
        let message = json!({ "role": "user", "content": said(talk, number) });
        let body =
            json!({ "threadId": thread, "messages": [message], "multitask_strategy": "enqueue" });
        let ask =
            Call::post("/ai/chat", &body).header("idempotency-key", &format!("{talk}-{number}"));
        let mut run = None;
        let mut frames: BTreeMap<u64, Value> = BTreeMap::new();
        loop {
            let last = frames.keys().next_back().copied().unwrap_or_default();
            let call = match &run {
                None => ask.clone(),
                Some(run) => {
                    Call::get(format!("/v1/runs/{run}/events")).header("last-event-id", &last)
                }
            };
            let Some(response) = any().try_call(ALICE, call).await else {
                continue;
            };
            if response.status() != StatusCode::OK {
                // Whatever it is, it is passing: a replica that dies, or a database that is being
                // asked by too many.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
            let mut stream = Stream::of(response).await;
            run = Some(stream.run_id.clone());
            if read(&mut stream, &mut frames).await {
                break;
            }
        }
        check_frames(&frames, &answered(talk, number));
    }
}

/// Reads until the end (true) or until the stream breaks off.
async fn read(stream: &mut Stream, frames: &mut BTreeMap<u64, Value>) -> bool {
    while let Some(event) = stream.try_next(Duration::from_secs(3)).await {
        if event.data == "[DONE]" {
            return true;
        }
        let id = event.id.as_deref().unwrap().parse().unwrap();
        let twice = frames.insert(id, event.json().unwrap());
        assert!(twice.is_none(), "frame {id} came twice");
    }
    false
}

/// The newest attempt was read from its first frame to its last, each once.
fn check_frames(frames: &BTreeMap<u64, Value>, expected: &str) {
    let newest = frames.keys().next_back().unwrap() / 1_000_000_000;
    let of_newest: Vec<(&u64, &Value)> = frames
        .iter()
        .filter(|(id, _)| **id / 1_000_000_000 == newest)
        .collect();
    for (index, (id, _)) in of_newest.iter().enumerate() {
        assert_eq!(
            **id % 1_000_000_000,
            index as u64 + 1,
            "no gap: {of_newest:?}"
        );
    }
    let text: String = of_newest
        .iter()
        .filter_map(|(_, frame)| frame["delta"].as_str())
        .collect();
    assert_eq!(text.trim(), expected, "{of_newest:?}");
    assert_eq!(of_newest.last().unwrap().1["type"], "finish");
}

async fn check_messages(replica: &Replica, thread: &str) {
    let path = format!("/v1/threads/{thread}/messages?limit=100");
    let (_, page) = replica.json(ALICE, Call::get(path)).await;
    let texts: Vec<&str> = page["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["text"].as_str().unwrap())
        .collect();
    for (_, talk) in TALKS.iter().filter(|(name, _)| *name == thread) {
        let own = format!("t{talk}m");
        let own: Vec<&str> = texts
            .iter()
            .copied()
            .filter(|text| text.starts_with(&own))
            .collect();
        let expected: Vec<String> = (0..MESSAGES)
            .flat_map(|number| [said(*talk, number), answered(*talk, number)])
            .collect();
        assert_eq!(
            own, expected,
            "{thread}: nothing lost, nothing twice, in order"
        );
    }
    // One writer at a time: each question is followed by its own answer.
    for pair in texts.chunks(2) {
        let name = |text: &str| text.split(' ').next().unwrap().to_owned();
        assert_eq!(name(pair[0]), name(pair[1]), "{thread}: {texts:?}");
    }
}
