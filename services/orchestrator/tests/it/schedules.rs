//! Schedules: asked once whatever dies, with the rights of the moment, sent until taken.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use http::{HeaderMap, Method, StatusCode};
use orchestrator::Config;
use orchestrator::config::MailTls;
use ring::hmac;
use serde_json::{Value, json};
use service_kit::clock::Clock;
use test_support::smtp::MailServer;

use crate::bench::{ALICE, BOB, Call, OTHER_ALICE, Person, Replica, World, eventually, read};

/// The change that a case makes to a request.
type Change<'a> = &'a dyn Fn(&mut Value);

pub(crate) const SCOPES: [&str; 3] = ["chat", "tools:read", "schedules:write"];

/// A webhook as it came.
#[derive(Clone)]
pub(crate) struct Hook {
    headers: HeaderMap,
    body: String,
}

impl Hook {
    fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// As the specification says how a receiver verifies.
    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap());
        let key = hmac::Key::new(hmac::HMAC_SHA256, &key.unwrap());
        let (id, at) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let signature = self.header("webhook-signature").strip_prefix("v1,");
        let signature = STANDARD.decode(signature.unwrap()).unwrap();
        let signed = format!("{id}.{at}.{}", self.body);
        hmac::verify(&key, signed.as_bytes(), &signature).is_ok()
    }
}

/// A receiver of webhooks, with what it answers next; then 204.
#[derive(Clone, Default)]
pub(crate) struct Receiver {
    hooks: Arc<Mutex<Vec<Hook>>>,
    answers: Arc<Mutex<Vec<StatusCode>>>,
    pub(crate) url: String,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        async fn take(
            State(receiver): State<Receiver>,
            headers: HeaderMap,
            body: Bytes,
        ) -> axum::response::Response {
            use axum::response::IntoResponse;
            let body = String::from_utf8(body.to_vec()).unwrap();
            receiver.hooks.lock().unwrap().push(Hook { headers, body });
            let answer = receiver.answers.lock().unwrap().pop();
            let answer = answer.unwrap_or(StatusCode::NO_CONTENT);
            (answer, [("location", receiver.url.as_str())]).into_response()
        }
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Self {
            url: format!("http://{}/hook", listener.local_addr().unwrap()),
            ..Self::default()
        };
        let router = Router::new()
            .route("/hook", post(take))
            .with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        receiver
    }

    pub(crate) fn hooks(&self) -> Vec<Hook> {
        self.hooks.lock().unwrap().clone()
    }

    pub(crate) async fn wait(&self, count: usize) -> Vec<Hook> {
        eventually("the webhooks came", async || self.hooks().len() >= count).await;
        self.hooks()
    }
}

pub(crate) async fn config(world: &World) -> Config {
    *world.issued.lock().unwrap() = Some(SCOPES.to_vec());
    let mut config = world.config();
    world.issue_identities(&mut config).await;
    config.schedules.look_every_ms = 20;
    config.delivery.webhooks.key = Some("a key that only this test knows 4711".into());
    config.delivery.webhooks.allow_http = true;
    config.delivery.webhooks.allowed_networks = vec!["127.0.0.0/8".to_owned()];
    config
}

pub(crate) async fn send(replica: &Replica, person: Person, call: Call) -> (StatusCode, Value) {
    let token = replica.token(person, &SCOPES);
    read(replica.send(Some(&token), call).await).await
}

/// The body of a question every day, some time after now.
pub(crate) fn daily(world: &World, question: &str, url: &str) -> (Value, DateTime<Utc>) {
    let due = world.clock.now() + TimeDelta::hours(2);
    let due = due - TimeDelta::seconds(due.timestamp() % 60);
    let body = json!({
        "title": "Briefing", "question": question, "assistant": "scripted",
        "timing": { "time": due.format("%H:%M").to_string(), "timezone": "UTC" },
        "delivery": { "channel": "webhook", "url": url },
    });
    (body, due)
}

pub(crate) async fn create(replica: &Replica, body: &Value) -> (String, String) {
    let (status, made) = send(replica, ALICE, Call::post("/v1/schedules", body)).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let id = made["schedule"]["schedule_id"].as_str().unwrap().to_owned();
    let secret = made["webhook_secret"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (id, secret)
}

pub(crate) fn patch(id: &str, body: &Value) -> Call {
    Call {
        body: body.to_string(),
        ..Call::new(Method::PATCH, format!("/v1/schedules/{id}"))
    }
}

pub(crate) fn move_to(world: &World, time: DateTime<Utc>) {
    world.clock.advance(time - world.clock.now());
}

/// Waits for some looks for what is due: what should not happen has had its chances.
pub(crate) async fn several_looks() {
    tokio::time::sleep(Duration::from_millis(400)).await;
}

#[tokio::test]
async fn a_question_is_asked_once_by_several_replicas_and_its_answer_is_signed() {
    let (world, receiver) = (World::new().await, Receiver::start().await);
    let config = config(&world).await;
    let replicas = [0; 3].map(|_| world.replica_with(config.clone()));
    let (body, due) = daily(&world, "all is well", &receiver.url);
    let (id, secret) = create(&replicas[0], &body).await;
    several_looks().await;
    assert!(receiver.hooks().is_empty(), "it is not due yet");
    for day in 0..3 {
        move_to(&world, due + TimeDelta::days(day));
        let hooks = receiver.wait(usize::try_from(day).unwrap() + 1).await;
        let hook = hooks.last().unwrap();
        assert!(hook.is_signed_with(&secret));
        assert!(!hook.is_signed_with("whsec_AAAA"));
        let (told, data) = (hook.json(), hook.json()["data"].clone());
        assert_eq!(told["type"], "schedule.answer");
        assert_eq!(data["text"], "all is well");
        assert_eq!(
            (&data["status"], &data["missed"]),
            (&json!("answered"), &json!(0))
        );
        let at: i64 = hook.header("webhook-timestamp").parse().unwrap();
        assert_eq!(at, world.clock.now().timestamp());
    }
    several_looks().await;
    assert_eq!(receiver.hooks().len(), 3, "each day one message");
    let thread = format!("/v1/threads/schedule-{id}/messages");
    let (_, page) = send(&replicas[1], ALICE, Call::get(thread)).await;
    assert_eq!(
        page["messages"].as_array().unwrap().len(),
        6,
        "each day one run"
    );
    let path = format!("/v1/schedules/{id}/messages");
    let (_, list) = send(&replicas[2], ALICE, Call::get(path)).await;
    let sent = list["messages"].as_array().unwrap();
    assert!(sent.len() == 3 && sent.iter().all(|message| message["status"] == "sent"));
    let (_, again) = send(
        &replicas[2],
        ALICE,
        Call::get(format!("/v1/schedules/{id}/secret")),
    )
    .await;
    assert_eq!(
        again["webhook_secret"],
        json!(secret),
        "every replica derives the same secret"
    );
}

#[tokio::test]
async fn a_process_that_dies_while_it_asks_leaves_one_run_and_one_message() {
    let (world, receiver) = (World::new().await, Receiver::start().await);
    let mut config = config(&world).await;
    config.runs.lease_ms = world.config_of_short_leases().runs.lease_ms;
    config.schedules.lease_ms = 1_000;
    let doomed = world.replica_with(config.clone());
    let (body, due) = daily(&world, "one wait:gate two", &receiver.url);
    let (id, _) = create(&doomed, &body).await;
    move_to(&world, due);
    let thread = format!("/v1/threads/schedule-{id}");
    eventually("it is being asked", async || {
        let (_, thread) = send(&doomed, ALICE, Call::get(&thread)).await;
        thread["status"] == "busy"
    })
    .await;
    doomed.kill();
    let survivors = [0; 2].map(|_| world.replica_with(config.clone()));
    world.gates.open("gate");
    let hooks = receiver.wait(1).await;
    assert_eq!(hooks[0].json()["data"]["text"], "one two");
    several_looks().await;
    assert_eq!(receiver.hooks().len(), 1);
    let (_, page) = send(
        &survivors[0],
        ALICE,
        Call::get(format!("{thread}/messages")),
    )
    .await;
    assert_eq!(
        page["messages"].as_array().unwrap().len(),
        2,
        "one question, one answer"
    );
}

#[tokio::test]
async fn times_that_were_missed_are_asked_once_and_said() {
    let (world, receiver) = (World::new().await, Receiver::start().await);
    let config = config(&world).await;
    let first = world.replica_with(config.clone());
    let (body, due) = daily(&world, "late", &receiver.url);
    create(&first, &body).await;
    first.stop().await;
    move_to(&world, due + TimeDelta::days(3) + TimeDelta::minutes(5));
    let second = world.replica_with(config);
    let hook = receiver.wait(1).await.remove(0).json();
    assert_eq!(hook["data"]["missed"], 3);
    let at = |name: &str| {
        hook["data"][name]
            .as_str()
            .unwrap()
            .parse::<DateTime<Utc>>()
            .unwrap()
    };
    assert_eq!(
        (at("due_at"), at("missed_since")),
        (due + TimeDelta::days(3), due)
    );
    several_looks().await;
    assert_eq!(receiver.hooks().len(), 1);
    let (_, list) = send(&second, ALICE, Call::get("/v1/schedules")).await;
    let next = list["schedules"][0]["next_at"].as_str().unwrap();
    assert_eq!(
        next.parse::<DateTime<Utc>>().unwrap(),
        due + TimeDelta::days(4)
    );
}

#[tokio::test]
async fn who_lost_the_right_is_stopped_and_may_continue_later() {
    let (world, receiver) = (World::new().await, Receiver::start().await);
    let config = config(&world).await;
    let replica = world.replica_with(config);
    let (body, due) = daily(&world, "secret figures", &receiver.url);
    for (day, (issued, reason)) in [
        (None, "locked"),
        (Some(vec!["chat", "tools:read"]), "`schedules:write`"),
        (Some(vec!["schedules:write"]), "`chat`"),
    ]
    .into_iter()
    .enumerate()
    {
        let (id, _) = create(&replica, &body).await;
        *world.issued.lock().unwrap() = issued;
        move_to(&world, due + TimeDelta::days(i64::try_from(day).unwrap()));
        let path = format!("/v1/schedules/{id}");
        eventually("it is stopped", async || {
            send(&replica, ALICE, Call::get(&path)).await.1["status"] == "stopped"
        })
        .await;
        let (_, stopped) = send(&replica, ALICE, Call::get(&path)).await;
        assert!(
            stopped["note"].as_str().unwrap().contains(reason),
            "{stopped}"
        );
        assert_eq!(stopped["next_at"], Value::Null);
        *world.issued.lock().unwrap() = Some(SCOPES.to_vec());
        let (_, again) = send(&replica, ALICE, patch(&id, &json!({ "paused": false }))).await;
        assert_eq!(
            (&again["status"], &again["note"]),
            (&json!("active"), &Value::Null)
        );
        let gone = send(&replica, ALICE, Call::new(Method::DELETE, &path))
            .await
            .0;
        assert_eq!(gone, StatusCode::NO_CONTENT);
    }
    several_looks().await;
    assert!(receiver.hooks().is_empty(), "nothing left the product");
}

#[tokio::test]
async fn what_is_not_taken_is_sent_again_later_under_the_same_id() {
    let (world, receiver) = (World::new().await, Receiver::start().await);
    let config = config(&world).await;
    let replica = world.replica_with(config);
    *receiver.answers.lock().unwrap() = vec![
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::INTERNAL_SERVER_ERROR,
    ];
    let (body, _) = daily(&world, "hello", &receiver.url);
    let (id, secret) = create(&replica, &body).await;
    let test = || Call::post(format!("/v1/schedules/{id}/test"), &json!({}));
    assert_eq!(send(&replica, ALICE, test()).await.0, StatusCode::ACCEPTED);
    let path = format!("/v1/schedules/{id}/messages");
    let newest = async || send(&replica, ALICE, Call::get(&path)).await.1["messages"][0].clone();
    // The time of the next attempt counts from when the last one is noted.
    let noted = async |answer: &str| {
        eventually("the answer is noted", async || {
            let newest = newest().await;
            newest["error"]
                .as_str()
                .is_some_and(|error| error.contains(answer))
        })
        .await;
    };
    receiver.wait(1).await;
    noted("500").await;
    several_looks().await;
    assert_eq!(receiver.hooks().len(), 1, "the next attempt is later");
    world.clock.advance(TimeDelta::seconds(6));
    receiver.wait(2).await;
    noted("429").await;
    world.clock.advance(TimeDelta::minutes(6));
    let hooks = receiver.wait(3).await;
    assert!(hooks.iter().all(|hook| hook.is_signed_with(&secret)));
    assert!(
        hooks
            .iter()
            .all(|hook| hook.header("webhook-id") == hooks[0].header("webhook-id"))
    );
    eventually("it is taken", async || newest().await["status"] == "sent").await;
    assert_eq!(newest().await["attempts"], 3);
    // A redirect is not followed, and 410 is the end.
    for (answer, said) in [
        (StatusCode::TEMPORARY_REDIRECT, "redirects are not followed"),
        (StatusCode::GONE, "no more messages"),
    ] {
        let before = receiver.hooks().len();
        *receiver.answers.lock().unwrap() = vec![answer];
        world.clock.advance(TimeDelta::seconds(2));
        assert_eq!(send(&replica, ALICE, test()).await.0, StatusCode::ACCEPTED);
        receiver.wait(before + 1).await;
        eventually("it is given up", async || {
            newest().await["status"] == "failed"
        })
        .await;
        assert!(newest().await["error"].as_str().unwrap().contains(said));
        assert_eq!(receiver.hooks().len(), before + 1);
    }
}

#[tokio::test]
async fn a_mail_says_what_it_is_and_how_to_stop_it() {
    let world = World::new().await;
    let (mut config, mails) = (config(&world).await, MailServer::start().await.unwrap());
    let email = &mut config.delivery.email;
    email.host = Some("127.0.0.1".to_owned());
    email.port = mails.port;
    email.tls = MailTls::None;
    email.from = Some("Heliograph <helio@example.com>".to_owned());
    email.allowed_domains = vec!["example.com".to_owned()];
    let replica = world.replica_with(config);
    let (mut body, due) = daily(&world, "Grüße aus dem Park.", "");
    body["delivery"] = json!({ "channel": "email", "to": "ops@elsewhere.example" });
    let (status, refused) = send(&replica, ALICE, Call::post("/v1/schedules", &body)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
    assert_eq!(refused["errors"][0]["pointer"], "/delivery/to");
    body["delivery"]["to"] = "ops@example.com".into();
    let (id, secret) = create(&replica, &body).await;
    assert_eq!(secret, "");
    mails.refuse_once("451 4.3.0 try again later");
    move_to(&world, due);
    let path = format!("/v1/schedules/{id}/messages");
    eventually("the server refused it", async || {
        let (_, list) = send(&replica, ALICE, Call::get(&path)).await;
        list["messages"][0]["error"]
            .as_str()
            .is_some_and(|error| error.contains("451"))
    })
    .await;
    world.clock.advance(TimeDelta::seconds(6));
    eventually("the mail came", async || !mails.mails().is_empty()).await;
    let mail = mails.mails().remove(0);
    assert_eq!(
        (mail.from.as_str(), &mail.to),
        ("helio@example.com", &vec!["ops@example.com".to_owned()])
    );
    assert!(mail.header("subject").unwrap().starts_with("Briefing: "));
    assert_eq!(
        mail.header("auto-submitted").as_deref(),
        Some("auto-generated")
    );
    let text = mail.text();
    assert!(text.starts_with("Grüße aus dem Park."), "{text}");
    let html = mail.html();
    assert!(html.contains("<p>Grüße aus dem Park.</p>"), "{html}");
    assert!(
        text.contains(&format!("heliograph schedules delete {id}")),
        "{text}"
    );
}

/// A tools service that knows one tool, and says what the test says.
pub(crate) async fn tools(config: &mut Config) -> Arc<Mutex<Value>> {
    let found = Arc::new(Mutex::new(json!([])));
    let said = Arc::clone(&found);
    let check = move |body: axum::Json<Value>| async move {
        assert_eq!(body.0["kind"], "device_out");
        if body.0["logger_id"] == "INV-404" {
            let message = "There is no device \"INV-404\".";
            return axum::Json(json!({ "status": "no_data", "message": message }));
        }
        let events = said.lock().unwrap().clone();
        axum::Json(json!({ "status": "ok", "result": {
            "type": "alert_check", "checkedAt": "2026-06-01T10:00:00+00:00", "events": events,
            "undecided": ["north/INV-9"], "devices": 9, "summary": "So it is.",
        }}))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    config.tools.base_url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().route("/api/tools/check_alert", post(check));
    tokio::spawn(async move { axum::serve(listener, router).await });
    found
}

pub(crate) fn event(device: &str) -> Value {
    json!({
        "key": format!("north/{device}"), "loggerId": device, "siteId": "north", "since": null,
        "text": format!("{device} has been out since 09:00."),
    })
}

#[tokio::test]
async fn an_event_is_told_once_when_it_begins_and_once_when_it_is_over() {
    let (world, receiver) = (World::new().await, Receiver::start().await);
    let mut config = config(&world).await;
    let found = tools(&mut config).await;
    let replicas = [0; 2].map(|_| world.replica_with(config.clone()));
    let body = json!({
        "alert": { "kind": "device_out", "minutes": 60 },
        "delivery": { "channel": "webhook", "url": receiver.url },
    });
    let (id, secret) = create(&replicas[0], &body).await;
    let minute = || world.clock.advance(TimeDelta::minutes(1));
    several_looks().await;
    assert!(receiver.hooks().is_empty(), "there is nothing to tell");
    *found.lock().unwrap() = json!([event("INV-1"), event("INV-9")]);
    minute();
    let begun = receiver.wait(1).await.remove(0);
    assert!(begun.is_signed_with(&secret));
    assert_eq!(begun.json()["type"], "schedule.alert_begun");
    assert_eq!(begun.json()["data"]["events"].as_array().unwrap().len(), 2);
    for _ in 0..3 {
        minute();
        several_looks().await;
    }
    assert_eq!(receiver.hooks().len(), 1, "it is reported once");
    let (_, shown) = send(
        &replicas[1],
        ALICE,
        Call::get(format!("/v1/schedules/{id}")),
    )
    .await;
    assert_eq!(shown["open_events"].as_array().unwrap().len(), 2);
    // INV-9 cannot be judged any more, which is not the end of its event.
    *found.lock().unwrap() = json!([]);
    minute();
    let over = receiver.wait(2).await.remove(1).json();
    assert_eq!(over["type"], "schedule.alert_over");
    assert_eq!(
        over["data"]["events"],
        json!(["INV-1 delivers again. It had been out since 09:00."])
    );
    *found.lock().unwrap() = json!([event("INV-1")]);
    minute();
    let again = receiver.wait(3).await.remove(2).json();
    assert_eq!(again["type"], "schedule.alert_begun");
    several_looks().await;
    assert_eq!(receiver.hooks().len(), 3);
    // A test says what is the case, whether it is new or not.
    let test = Call::post(format!("/v1/schedules/{id}/test"), &json!({}));
    assert_eq!(
        send(&replicas[0], ALICE, test).await.0,
        StatusCode::ACCEPTED
    );
    let test = receiver.wait(4).await.remove(3).json();
    assert_eq!(
        (&test["type"], &test["data"]["summary"]),
        (&json!("schedule.test"), &json!("So it is."))
    );
    let (_, paused) = send(&replicas[0], ALICE, patch(&id, &json!({ "paused": true }))).await;
    assert_eq!(
        (&paused["status"], &paused["next_at"]),
        (&json!("paused"), &Value::Null)
    );
    *found.lock().unwrap() = json!([event("INV-2")]);
    minute();
    several_looks().await;
    assert_eq!(receiver.hooks().len(), 4, "a paused alert is silent");
}

#[tokio::test]
async fn schedules_are_their_owners_and_are_checked() {
    let world = World::new().await;
    let mut config = config(&world).await;
    config.schedules.most_per_person = 2;
    let replica = world.replica_with(config.clone());
    let (mut body, _) = daily(&world, "hello", "http://127.0.0.1:9/");
    let (id, _) = create(&replica, &body).await;
    let path = format!("/v1/schedules/{id}");
    for stranger in [BOB, OTHER_ALICE] {
        assert_eq!(
            send(&replica, stranger, Call::get(&path)).await.0,
            StatusCode::NOT_FOUND
        );
        let secret = Call::get(format!("{path}/secret"));
        assert_eq!(
            send(&replica, stranger, secret).await.0,
            StatusCode::NOT_FOUND
        );
        let delete = Call::new(Method::DELETE, &path);
        assert_eq!(
            send(&replica, stranger, delete).await.0,
            StatusCode::NOT_FOUND
        );
        let (_, list) = send(&replica, stranger, Call::get("/v1/schedules")).await;
        assert_eq!(list["schedules"], json!([]));
    }
    let (status, _) = replica.json(ALICE, Call::get("/v1/schedules")).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "the scope is needed");
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = body.clone();
        change(&mut body);
        Call::post("/v1/schedules", &body)
    };
    let changes: [(Change<'_>, &str); 9] = [
        (
            &|body| body["timing"]["time"] = "7:00".into(),
            "/timing/time",
        ),
        (
            &|body| body["timing"]["timezone"] = "Mars".into(),
            "/timing/timezone",
        ),
        (&|body| body["timing"] = Value::Null, "/timing"),
        (&|body| body["question"] = " ".into(), "/question"),
        (&|body| body["title"] = "two\nlines".into(), "/title"),
        (&|body| body["assistant"] = "nobody".into(), "/assistant"),
        (
            &|body| body["delivery"]["url"] = "http://10.0.0.1/".into(),
            "/delivery/url",
        ),
        (
            &|body| body["delivery"]["url"] = "file:///etc/passwd".into(),
            "/delivery/url",
        ),
        (
            &|body| body["alert"] = json!({ "kind": "no_data" }),
            "/question",
        ),
    ];
    for (change, pointer) in changes {
        let (status, refused) = send(&replica, ALICE, with(change)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    let (status, again) = send(&replica, ALICE, Call::post("/v1/schedules", &body)).await;
    assert_eq!(status, StatusCode::CONFLICT, "{again}");
    assert_eq!(
        again["detail"],
        "The same exists already: schedule 1, \"Briefing\"."
    );
    body["question"] = "hello again".into();
    create(&replica, &body).await;
    body["question"] = "hello once more".into();
    let (status, full) = send(&replica, ALICE, Call::post("/v1/schedules", &body)).await;
    assert_eq!(status, StatusCode::CONFLICT, "{full}");
    let full = full["detail"].as_str().unwrap();
    assert!(full.contains("as many as there can be"), "{full}");
    // Without an issuer of identities nothing could work later, so nothing is made.
    config.identity_renewal = orchestrator::config::RenewalConfig::default();
    let alone = world.replica_with(config);
    let (status, refused) = send(&alone, BOB, Call::post("/v1/schedules", &body)).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(
        refused["detail"]
            .as_str()
            .unwrap()
            .contains("identity_renewal")
    );
}
