//! The link in a mail that stops its schedule.

use chrono::{DateTime, TimeDelta, Utc};
use delivery::config::Tls as MailTls;
use http::StatusCode;
use serde_json::{Value, json};
use test_support::smtp::{Mail, MailServer};

use crate::bench::{ALICE, BOB, Call, Person, Replica, World, eventually, read};
use crate::schedules::{config, create, daily, move_to, patch, send};

const TO: &str = "ops@example.com";

/// A replica that sends mail with links at this address.
async fn replica(world: &World, public_url: Option<&str>) -> (Replica, MailServer) {
    let (mut config, mails) = (config(world).await, MailServer::start().await.unwrap());
    let email = &mut config.delivery.email;
    email.host = Some("127.0.0.1".to_owned());
    email.port = mails.port;
    email.tls = MailTls::None;
    email.from = Some("Heliograph <helio@example.com>".to_owned());
    email.public_url = public_url.map(str::to_owned);
    (world.replica_with(config), mails)
}

/// A schedule that is sent once, its id and the mail.
async fn sent(
    world: &World,
    replica: &Replica,
    mails: &MailServer,
) -> (String, DateTime<Utc>, Mail) {
    let (mut body, due) = daily(world, "all is well", "");
    body["delivery"] = json!({ "channel": "email", "to": TO });
    let (id, _) = create(replica, &body).await;
    move_to(world, due);
    eventually("the mail came", async || !mails.mails().is_empty()).await;
    (id, due, mails.mails().remove(0))
}

fn token_of(mail: &Mail) -> String {
    let header = mail.header("list-unsubscribe").unwrap();
    let link = header.replace(char::is_whitespace, "");
    let link = link
        .strip_prefix("<https://solar.example.com/stop/")
        .unwrap();
    link.strip_suffix('>').unwrap().to_owned()
}

/// Uses a link, with the scope that the bff gives to a recipient who opens it.
async fn used(replica: &Replica, person: Person, token: &str, stop: bool) -> (StatusCode, Value) {
    let bearer = replica.token(person, &["schedules:stop"]);
    let call = Call::post(
        "/v1/schedules/stop-link",
        &json!({ "token": token, "stop": stop }),
    );
    read(replica.send(Some(&bearer), call).await).await
}

async fn schedule(replica: &Replica, id: &str) -> Value {
    send(replica, ALICE, Call::get(format!("/v1/schedules/{id}")))
        .await
        .1
}

#[tokio::test]
async fn a_mail_has_a_link_that_stops_it_with_one_click() {
    let world = World::new().await;
    let (replica, mails) = replica(&world, Some("https://solar.example.com/")).await;
    let (id, _, mail) = sent(&world, &replica, &mails).await;
    assert_eq!(
        mail.header("list-unsubscribe-post").as_deref(),
        Some("List-Unsubscribe=One-Click")
    );
    let token = token_of(&mail);
    let link = format!("https://solar.example.com/stop/{token}");
    assert!(
        mail.text().replace(['\n', '\r'], "").contains(&link),
        "{}",
        mail.text()
    );
    assert!(mail.html().contains(&link), "{}", mail.html());
    // Looking changes nothing.
    let (status, shown) = used(&replica, ALICE, &token, false).await;
    assert_eq!(status, StatusCode::OK, "{shown}");
    assert_eq!(
        (&shown["title"], &shown["recipient"], &shown["status"]),
        (&json!("Briefing"), &json!(TO), &json!("active"))
    );
    for _ in 0..2 {
        let (status, stopped) = used(&replica, ALICE, &token, true).await;
        assert_eq!(
            (status, &stopped["status"]),
            (StatusCode::OK, &json!("stopped"))
        );
    }
    let found = schedule(&replica, &id).await;
    assert_eq!(found["status"], "stopped");
    assert_eq!(
        found["note"],
        "It was stopped by the link in a mail to ops@example.com."
    );
    // Its owner can continue it.
    let (status, again) = send(&replica, ALICE, patch(&id, &json!({ "paused": false }))).await;
    assert_eq!(
        (status, &again["status"]),
        (StatusCode::OK, &json!("active"))
    );
}

#[tokio::test]
async fn a_link_is_of_one_schedule_one_recipient_and_some_time() {
    let world = World::new().await;
    let (replica, mails) = replica(&world, Some("https://solar.example.com")).await;
    let (id, due, mail) = sent(&world, &replica, &mails).await;
    let token = token_of(&mail);
    let refused = async |person, token: &str| {
        let (status, refused) = used(&replica, person, token, true).await;
        assert!(status.is_client_error(), "{token}: {refused}");
        assert_eq!(schedule(&replica, &id).await["status"], "active");
    };
    // The scope alone is not enough, nor is another person's.
    refused(BOB, &token).await;
    let (signed, _) = token.rsplit_once('.').unwrap();
    for forged in [
        format!("{signed}."),
        format!("{signed}.AAAA"),
        token.replace(
            &format!(".{}.", token.split('.').nth(3).unwrap()),
            ".9999999999.",
        ),
        "x".to_owned(),
        String::new(),
    ] {
        refused(ALICE, &forged).await;
    }
    // A signed-in person's rights are not those of a link.
    let call = Call::post(
        "/v1/schedules/stop-link",
        &json!({ "token": token, "stop": true }),
    );
    assert_eq!(send(&replica, ALICE, call).await.0, StatusCode::FORBIDDEN);
    let other = json!({ "delivery": { "channel": "email", "to": "boss@example.com" } });
    send(&replica, ALICE, patch(&id, &other)).await;
    refused(ALICE, &token).await;
    let back = json!({ "delivery": { "channel": "email", "to": TO } });
    send(&replica, ALICE, patch(&id, &back)).await;
    move_to(&world, due + TimeDelta::days(91));
    refused(ALICE, &token).await;
}

#[tokio::test]
async fn without_an_address_there_is_no_link() {
    let world = World::new().await;
    let (replica, mails) = replica(&world, None).await;
    let (_, _, mail) = sent(&world, &replica, &mails).await;
    assert_eq!(mail.header("list-unsubscribe"), None);
    assert_eq!(mail.header("list-unsubscribe-post"), None);
    assert!(!mail.text().contains("/stop/"), "{}", mail.text());
}
