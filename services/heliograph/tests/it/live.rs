//! The site of the demonstration that is measured now.

use std::time::Duration;

use contracts::assistants::AssistantList;
use contracts::ui::UiComponent;
use demo_park::live;
use heliograph::chat::ChatClient;
use heliograph::live::LivePlant;
use reqwest::Method;
use secrecy::SecretString;
use service_kit::clock::{Clock as _, FixedClock, SystemClock};
use sqlx::PgPool;
use tokio::time::{Instant, sleep};

use crate::demo_stack::{DemoStack, PASSWORD, ask};

const PATIENCE: Duration = Duration::from_mins(5);

/// Readings of the site's weather station, which has no gaps, and the age of its newest one.
async fn stored(pool: &PgPool) -> (i64, Option<chrono::DateTime<chrono::Utc>>) {
    let mut conn = pool.acquire().await.unwrap();
    let loggers = tools::store::loggers::list(&mut conn, "demo", Some(live::SITE))
        .await
        .unwrap();
    let station = loggers.iter().find(|logger| logger.logger_id == "LAKE-WX");
    station.map_or((0, None), |station| (station.record_count, station.last_at))
}

/// The token with which the site sends.
async fn sending(stack: &DemoStack) -> SecretString {
    let http = stack.http.clone();
    let (url, user) = (&stack.services.bff_url, bff::accounts::DEMO_USER);
    let signed_in = ChatClient::sign_in(http, url, user, &PASSWORD.into()).await;
    signed_in.unwrap().1
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_of_the_demonstration_has_a_history_that_ends_now() {
    let stack = DemoStack::start().await;
    let pool = stack.pool();
    let clock = SystemClock::shared();
    let before = live::prepare(pool).await.unwrap().unwrap();
    assert_eq!(before, None, "nothing is stored yet");
    let token = sending(&stack).await;
    let started = clock.now();
    let plant = LivePlant::start(&stack.services.bff_url, token, clock.clone(), before).unwrap();

    // Sixty days of five minutes; the first and the last step may be parts.
    let complete = 60 * 288 - 1;
    let deadline = Instant::now() + PATIENCE;
    while stored(pool).await.0 < complete {
        assert!(Instant::now() < deadline, "{:?}", stored(pool).await);
        sleep(Duration::from_millis(100)).await;
    }
    plant.stop().await;
    let (_, newest) = stored(pool).await;
    assert!(started - newest.unwrap() <= live::STEP, "{newest:?}");
    let after = live::prepare(pool).await.unwrap().unwrap();
    assert!(
        live::missing(after, newest.unwrap()).is_empty(),
        "history is complete"
    );

    // The site is the one that counts now; the historical ones keep their own days.
    let client = stack.demo_user().await;
    let briefing = ask(&client, "live", "Morning briefing").await.text();
    assert!(briefing.contains("Demo Solar Park"), "{briefing}");
    assert!(
        !briefing.contains("Lakeside Depot has sent nothing"),
        "{briefing}"
    );
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_card_shows_the_power_of_now() {
    // A working day, at noon at the site.
    let clock = FixedClock::at("2026-06-17T10:02:00Z".parse().unwrap());
    let of_services = clock.clone();
    let stack = Box::pin(DemoStack::start_with(|config| config.clock = of_services)).await;
    let pool = stack.pool();
    let before = live::prepare(pool).await.unwrap().unwrap();
    let token = sending(&stack).await;
    let plant = LivePlant::start(&stack.services.bff_url, token, clock.clone(), before).unwrap();
    let deadline = Instant::now() + PATIENCE;
    let is_new = |at| clock.now() - at <= live::STEP;
    while !stored(pool).await.1.is_some_and(is_new) {
        assert!(Instant::now() < deadline, "{:?}", stored(pool).await);
        sleep(Duration::from_millis(100)).await;
    }
    plant.stop().await;

    // The first question that the page offers.
    let client = stack.demo_user().await;
    let list = client.request(Method::GET, "/api/assistants", None).await;
    let list: AssistantList = list.unwrap().json().await.unwrap();
    let site = &list.assistants[0];
    assert_eq!(site.id, "site");
    let reply = ask(&client, "first", &site.starters[0].message).await;
    let card = reply.component();
    let shown = serde_json::to_string(&card).unwrap();
    let UiComponent::FleetOverview(card) = card.component else {
        panic!("{shown}");
    };
    assert!(card.total_power > 0.0, "{shown}");
    assert!(card.total_energy > 0.0, "{shown}");
    assert_eq!(card.date_mismatch, None, "nothing is historical: {shown}");
    let text = reply.text();
    let historical = ["istorical", "days ago", "newest data are of"];
    assert!(
        historical.iter().all(|words| !text.contains(words)),
        "{text}"
    );
    stack.stop().await;
}
