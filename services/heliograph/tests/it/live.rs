//! The site of the demonstration that is measured now.

use std::time::Duration;

use demo_park::live;
use heliograph::chat::ChatClient;
use heliograph::live::LivePlant;
use service_kit::clock::SystemClock;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_site_of_the_demonstration_has_a_history_that_ends_now() {
    let stack = DemoStack::start().await;
    let pool = stack.pool();
    let clock = SystemClock::shared();
    let before = live::prepare(pool).await.unwrap().unwrap();
    assert_eq!(before, None, "nothing is stored yet");
    let (_, token) = ChatClient::sign_in(
        stack.http.clone(),
        &stack.services.bff_url,
        bff::accounts::DEMO_USER,
        &PASSWORD.into(),
    )
    .await
    .unwrap();
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
