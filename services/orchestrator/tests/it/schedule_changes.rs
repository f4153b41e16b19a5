//! Schedules as their owners number and change them.

use std::sync::atomic::{AtomicU32, Ordering};

use chrono::TimeDelta;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use service_kit::clock::Clock;

use crate::bench::{ALICE, BOB, Call, Replica, World, eventually};
use crate::schedules::{
    Receiver, config, create, daily, event, move_to, patch, send, several_looks, tools,
};

#[tokio::test]
async fn a_number_is_given_once_and_stays() {
    let world = World::new().await;
    let replica = world.replica_with(config(&world).await);
    let (body, _) = daily(&world, "hello", "http://127.0.0.1:9/");
    let asked = AtomicU32::new(0);
    let made = async |person| {
        let mut body = body.clone();
        body["question"] = format!("hello {}", asked.fetch_add(1, Ordering::Relaxed)).into();
        let call = Call::post("/v1/schedules", &body);
        let schedule = send(&replica, person, call).await.1["schedule"].clone();
        let id = schedule["schedule_id"].as_str().unwrap().to_owned();
        (id, schedule["number"].as_u64().unwrap())
    };
    let delete = async |id: &str| {
        let call = Call::new(Method::DELETE, format!("/v1/schedules/{id}"));
        assert_eq!(send(&replica, ALICE, call).await.0, StatusCode::NO_CONTENT);
    };
    let (first, second, third) = (made(ALICE).await, made(ALICE).await, made(ALICE).await);
    assert_eq!((first.1, second.1, third.1), (1, 2, 3));
    assert_eq!(made(BOB).await.1, 1, "each owner counts");
    delete(&second.0).await;
    let (_, list) = send(&replica, ALICE, Call::get("/v1/schedules")).await;
    let numbers: Vec<&Value> = list["schedules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|schedule| &schedule["number"])
        .collect();
    assert_eq!(numbers, [&json!(1), &json!(3)]);
    delete(&third.0).await;
    assert_eq!(made(ALICE).await.1, 4, "the last number is not given again");
}

#[tokio::test]
async fn an_alert_for_a_device_that_does_not_exist_is_refused() {
    let world = World::new().await;
    let mut config = config(&world).await;
    tools(&mut config).await;
    let replica = world.replica_with(config);
    let mut body = json!({
        "alert": { "kind": "device_out", "logger_id": "INV-404" },
        "delivery": { "channel": "webhook", "url": "http://127.0.0.1:9/" },
    });
    let (status, refused) = send(&replica, ALICE, Call::post("/v1/schedules", &body)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
    assert_eq!(refused["errors"][0]["pointer"], "/alert/logger_id");
    body["alert"]["logger_id"] = "INV-1".into();
    let (id, _) = create(&replica, &body).await;
    let change = json!({ "alert": { "kind": "device_out", "logger_id": "INV-404" } });
    let (status, refused) = send(&replica, ALICE, patch(&id, &change)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
}

#[tokio::test]
async fn every_part_of_a_schedule_can_be_changed() {
    let (world, receiver) = (World::new().await, Receiver::start().await);
    let mut config = config(&world).await;
    let found = tools(&mut config).await;
    let replica = world.replica_with(config);
    let change = async |id: &str, body: Value| {
        let (status, schedule) = send(&replica, ALICE, patch(id, &body)).await;
        assert_eq!(status, StatusCode::OK, "{schedule}");
        schedule
    };
    let (mut body, due) = daily(&world, "first words", "http://127.0.0.1:9/");
    body["title"] = Value::Null;
    let (id, _) = create(&replica, &body).await;

    // Question, time and recipient; the name follows the question.
    let later = due + TimeDelta::minutes(30);
    let timing = json!({ "time": later.format("%H:%M").to_string(), "timezone": "UTC" });
    let changed = change(
        &id,
        json!({
            "question": "other words", "timing": timing,
            "delivery": { "channel": "webhook", "url": receiver.url },
        }),
    )
    .await;
    assert_eq!(changed["title"], "Other words");
    assert_eq!(changed["assistant"], "scripted", "what is absent stays");
    move_to(&world, due + TimeDelta::minutes(1));
    several_looks().await;
    assert!(receiver.hooks().is_empty(), "the former time is over");
    move_to(&world, later);
    let answer = receiver.wait(1).await.remove(0).json();
    assert_eq!(answer["data"]["text"], "other words");

    // An alert in place of the question; it is checked at once.
    *found.lock().unwrap() = json!([event("INV-1")]);
    let alert = json!({ "kind": "device_out", "minutes": 30 });
    let changed = change(&id, json!({ "alert": alert, "title": "Out" })).await;
    assert_eq!(
        (&changed["question"], &changed["timing"], &changed["title"]),
        (&Value::Null, &Value::Null, &json!("Out"))
    );
    let begun = receiver.wait(2).await.remove(1).json();
    assert_eq!(begun["type"], "schedule.alert_begun");

    // Another limit forgets what was found with the former one, and the name stays.
    world.clock.advance(TimeDelta::seconds(1));
    let alert = json!({ "kind": "device_out", "minutes": 90 });
    let changed = change(&id, json!({ "alert": alert })).await;
    assert_eq!(
        (&changed["open_events"], &changed["title"]),
        (&json!([]), &json!("Out"))
    );
    receiver.wait(3).await;

    // A question again; its alert is silent from now on.
    let (status, refused) = send(&replica, ALICE, patch(&id, &json!({ "question": "q" }))).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
    assert_eq!(refused["errors"][0]["pointer"], "/timing");
    let timing = json!({ "time": "00:00", "timezone": "Asia/Tokyo" });
    let asked =
        json!({ "question": "again", "assistant": "scripted", "timing": timing, "paused": true });
    let changed = change(&id, asked).await;
    assert_eq!(
        (
            &changed["alert"],
            &changed["status"],
            &changed["open_events"]
        ),
        (&Value::Null, &json!("paused"), &json!([]))
    );
    let changed = change(&id, json!({ "paused": false })).await;
    assert!(changed["next_at"].as_str().unwrap().contains("T15:00:00"));
    let test = Call::post(format!("/v1/schedules/{id}/test"), &json!({}));
    assert_eq!(send(&replica, ALICE, test).await.0, StatusCode::ACCEPTED);
    let hooks = receiver.wait(4).await;
    assert_eq!(hooks[3].json()["data"]["text"], "again");
    eventually("it is kept as sent", async || {
        let path = format!("/v1/schedules/{id}/messages");
        let (_, list) = send(&replica, ALICE, Call::get(path)).await;
        list["messages"].as_array().unwrap().len() == 4
    })
    .await;
}

#[tokio::test]
async fn a_change_is_checked_as_a_new_schedule_is() {
    let world = World::new().await;
    let replica = world.replica_with(config(&world).await);
    let (body, _) = daily(&world, "hello", "http://127.0.0.1:9/");
    let (id, _) = create(&replica, &body).await;
    for (change, pointer) in [
        (json!({ "question": " " }), "/question"),
        (json!({ "assistant": "nobody" }), "/assistant"),
        (
            json!({ "timing": { "time": "7:00", "timezone": "UTC" } }),
            "/timing/time",
        ),
        (
            json!({ "delivery": { "channel": "webhook", "url": "http://10.0.0.1/" } }),
            "/delivery/url",
        ),
        (
            json!({ "alert": { "kind": "no_data", "minutes": 9 } }),
            "/alert/minutes",
        ),
        (
            json!({ "alert": { "kind": "no_data" }, "question": "both" }),
            "/question",
        ),
    ] {
        let (status, refused) = send(&replica, ALICE, patch(&id, &change)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    let (status, _) = send(&replica, BOB, patch(&id, &json!({ "title": "mine" }))).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_exists_already_is_not_saved_again() {
    let world = World::new().await;
    let mut config = config(&world).await;
    tools(&mut config).await;
    let replica = world.replica_with(config);
    let alert = |alert: Value, url: &str| json!({ "alert": alert, "delivery": { "channel": "webhook", "url": url } });
    let url = "http://127.0.0.1:9/";
    let first = alert(json!({ "kind": "device_out" }), url);
    let (id, _) = create(&replica, &first).await;
    // The limit is 60 minutes unless another one is given.
    for same in [
        first.clone(),
        alert(json!({ "kind": "device_out", "minutes": 60 }), url),
    ] {
        let (status, refused) = send(&replica, ALICE, Call::post("/v1/schedules", &same)).await;
        assert_eq!(status, StatusCode::CONFLICT, "{refused}");
        let detail = refused["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("The same exists already: schedule 1,"),
            "{detail}"
        );
    }
    for other in [
        alert(json!({ "kind": "device_out", "minutes": 61 }), url),
        alert(json!({ "kind": "device_out", "logger_id": "INV-1" }), url),
        alert(json!({ "kind": "device_out" }), "http://127.0.0.1:10/"),
    ] {
        create(&replica, &other).await;
    }
    send(&replica, ALICE, patch(&id, &json!({ "paused": true }))).await;
    let (_, refused) = send(&replica, ALICE, Call::post("/v1/schedules", &first)).await;
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("exists already and is paused"), "{detail}");
    // All days of the week are every day.
    let (mut body, _) = daily(&world, "hello", url);
    create(&replica, &body).await;
    body["timing"]["days"] = json!([
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday"
    ]);
    let (status, _) = send(&replica, ALICE, Call::post("/v1/schedules", &body)).await;
    assert_eq!(status, StatusCode::CONFLICT);
}

/// Creates a schedule of each body at the same moment, in turn by each replica, and returns how
/// many were saved and how many of the answers are conflicts.
async fn create_at_once(replicas: &[Replica], bodies: &[Value]) -> (usize, usize) {
    let requests = bodies.iter().zip(replicas.iter().cycle());
    let answers =
        requests.map(|(body, replica)| send(replica, ALICE, Call::post("/v1/schedules", body)));
    let answers = futures::future::join_all(answers).await;
    let refused = answers
        .iter()
        .filter(|(status, _)| *status == StatusCode::CONFLICT);
    let refused = refused.count();
    let made = answers.iter().filter(|(status, _)| status.is_success());
    assert_eq!(made.count() + refused, bodies.len(), "{answers:?}");
    let (_, list) = send(&replicas[0], ALICE, Call::get("/v1/schedules")).await;
    (list["schedules"].as_array().unwrap().len(), refused)
}

#[tokio::test]
async fn creates_at_the_same_moment_save_what_is_the_same_once() {
    let world = World::new().await;
    let mut config = config(&world).await;
    config.schedules.most_per_person = 4;
    tools(&mut config).await;
    let replicas = [
        world.replica_with(config.clone()),
        world.replica_with(config),
    ];
    let url = "http://127.0.0.1:9/";
    let (question, _) = daily(&world, "hello", url);
    assert_eq!(
        create_at_once(&replicas, &vec![question; 12]).await,
        (1, 11)
    );
    // With and without the limit that is the default.
    let alerts = (0..12).map(|number| {
        let alert = match number % 2 {
            0 => json!({ "kind": "device_out" }),
            _ => json!({ "kind": "device_out", "minutes": 60 }),
        };
        json!({ "alert": alert, "delivery": { "channel": "webhook", "url": url } })
    });
    let alerts: Vec<Value> = alerts.collect();
    assert_eq!(create_at_once(&replicas, &alerts).await, (2, 11));
    // There are as many as there can be, however many are asked for at once.
    let others = (0..12).map(|number| daily(&world, &format!("hello {number}"), url).0);
    let others: Vec<Value> = others.collect();
    assert_eq!(create_at_once(&replicas, &others).await, (4, 10));
}

#[tokio::test]
async fn a_change_makes_no_second_schedule_of_the_same() {
    let world = World::new().await;
    let replica = world.replica_with(config(&world).await);
    let (mut body, _) = daily(&world, "hello", "http://127.0.0.1:9/");
    create(&replica, &body).await;
    let mut ids = Vec::new();
    for number in 0..6 {
        body["question"] = format!("hello {number}").into();
        ids.push(create(&replica, &body).await.0);
    }
    let same = json!({ "question": "hello" });
    let (status, refused) = send(&replica, ALICE, patch(&ids[0], &same)).await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
    assert_eq!(
        refused["detail"],
        "The same exists already: schedule 1, \"Briefing\"."
    );
    // One of several at the same moment is changed.
    let wanted = json!({ "question": "hello to all" });
    let changes = ids
        .iter()
        .map(|id| send(&replica, ALICE, patch(id, &wanted)));
    let answers = futures::future::join_all(changes).await;
    let changed: Vec<&StatusCode> = answers.iter().map(|(status, _)| status).collect();
    let done = changed.iter().filter(|status| ***status == StatusCode::OK);
    assert_eq!(done.count(), 1, "{answers:?}");
    // What is as it was before can be said again, and other members can be changed.
    for change in [
        json!({ "question": "hello to all" }),
        json!({ "title": "All" }),
        json!({ "paused": true }),
        json!({ "paused": false }),
    ] {
        let position = changed.iter().position(|status| **status == StatusCode::OK);
        let id = &ids[position.unwrap()];
        let (status, answer) = send(&replica, ALICE, patch(id, &change)).await;
        assert_eq!(status, StatusCode::OK, "{change}: {answer}");
    }
}

#[tokio::test]
async fn a_question_is_asked_in_an_interval() {
    let (world, receiver) = (World::new().await, Receiver::start().await);
    let replica = world.replica_with(config(&world).await);
    let (mut body, _) = daily(&world, "all is well", &receiver.url);
    for (member, wrong) in [
        ("every_minutes", json!(10)),
        ("every_minutes", json!(1_000)),
        ("until", json!("18:00")),
    ] {
        let mut wrong_body = body.clone();
        wrong_body["timing"][member] = wrong;
        let (status, refused) =
            send(&replica, ALICE, Call::post("/v1/schedules", &wrong_body)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
        let pointer = format!("/timing/{member}");
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    body["timing"] = json!({ "time": "00:00", "every_minutes": 30, "timezone": "UTC" });
    let (id, _) = create(&replica, &body).await;
    let next = async || {
        let path = format!("/v1/schedules/{id}");
        let (_, schedule) = send(&replica, ALICE, Call::get(path)).await;
        let next: chrono::DateTime<chrono::Utc> =
            schedule["next_at"].as_str().unwrap().parse().unwrap();
        next
    };
    for count in 1..=3 {
        let due = next().await;
        assert_eq!(due.timestamp() % 1_800, 0);
        assert!(due - world.clock.now() <= TimeDelta::minutes(30));
        move_to(&world, due);
        assert_eq!(receiver.wait(count).await.len(), count);
        eventually("it is due next", async || next().await > due).await;
    }
}
