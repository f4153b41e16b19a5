//! Guessing passwords, and signing in in the meantime.

use std::io::Write;
use std::sync::{Arc, Mutex};

use http::StatusCode;
use serde_json::json;
use test_support::callsites::register_callsites;

use crate::bench::{Answer, Bench, PASSWORD, With, post, post_text};

const HOME: &str = "192.0.2.1";
const ELSEWHERE: &str = "198.51.100.7";

async fn attempt(bench: &Bench, username: &str, password: &str, address: &str) -> Answer {
    let body = json!({ "username": username, "password": password });
    bench.send(post("/auth/login", &body).from(address)).await
}

/// Number of times that each status came, in the order of coming.
async fn guesses(bench: &Bench, username: &str, address: &str, times: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for number in 0..times {
        let guess = format!("guess number {number}");
        statuses.push(
            attempt(bench, username, &guess, address)
                .await
                .status
                .as_u16(),
        );
    }
    statuses
}

#[tokio::test]
async fn names_and_passwords_are_bounded_before_anything_else() {
    let bench = Bench::start().await;
    let long = "x".repeat(129);
    for path in ["/auth/login", "/auth/token"] {
        for (username, password, pointer) in [
            (long.as_str(), PASSWORD, "/username"),
            ("", PASSWORD, "/username"),
            ("demo", &"x".repeat(1025), "/password"),
            ("demo", "", "/password"),
        ] {
            let body = json!({ "username": username, "password": password });
            let answer = bench.send(post(path, &body)).await;
            assert_eq!(
                answer.status,
                StatusCode::UNPROCESSABLE_ENTITY,
                "{path} {pointer}"
            );
            assert_eq!(answer.body["errors"][0]["pointer"], pointer, "{path}");
        }
        let body = json!({ "username": "é".repeat(128), "password": "é".repeat(1024) });
        assert_eq!(
            bench.send(post(path, &body)).await.status,
            StatusCode::UNAUTHORIZED
        );
        let body = json!({ "username": "x".repeat(20_000), "password": PASSWORD });
        assert_eq!(
            bench.send(post(path, &body)).await.status,
            StatusCode::PAYLOAD_TOO_LARGE
        );
    }
}

/// The resident memory of the process, in MiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        / 1024
}

#[tokio::test]
async fn eighty_names_of_eight_megabytes_leave_memory_as_it_was() {
    let bench = Bench::start().await;
    let before = resident();
    let filling = "x".repeat(8_000_000);
    for number in 0..80 {
        let body = format!(r#"{{"username":"{number}{filling}","password":"x"}}"#);
        let answer = bench.send(post_text("/auth/login", body).from(HOME)).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 200, "grown by {grown} MiB, of 640 that were sent");
}

#[tokio::test]
async fn spraying_names_from_one_address_is_limited() {
    let bench = Bench::start().await;
    let mut statuses = Vec::new();
    for number in 0..60 {
        let name = format!("name-{number}");
        statuses.push(
            attempt(&bench, &name, "summer 2026", ELSEWHERE)
                .await
                .status
                .as_u16(),
        );
    }
    let expected = [vec![401; 30], vec![429; 30]].concat();
    assert_eq!(statuses, expected);
    let refused = attempt(&bench, "demo", PASSWORD, ELSEWHERE).await;
    assert_eq!(refused.retry_after.as_deref(), Some("2"));
    assert_eq!(
        attempt(&bench, "demo", PASSWORD, HOME).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn an_owner_signs_in_from_a_known_address_while_others_guess() {
    let bench = Bench::start().await;
    assert_eq!(
        attempt(&bench, "demo", PASSWORD, HOME).await.status,
        StatusCode::OK
    );
    let guessed = guesses(&bench, "Demo", ELSEWHERE, 12).await;
    assert_eq!(guessed.last(), Some(&429));
    assert_eq!(
        attempt(&bench, "demo", PASSWORD, ELSEWHERE).await.status,
        StatusCode::TOO_MANY_REQUESTS,
        "not even the right one from an unknown address"
    );
    assert_eq!(
        attempt(&bench, "demo", PASSWORD, HOME).await.status,
        StatusCode::OK
    );
    let body = json!({ "username": "demo", "password": PASSWORD });
    let token = bench.send(post("/auth/token", &body).from(HOME)).await;
    assert_eq!(token.status, StatusCode::OK);
}

#[tokio::test]
async fn an_owner_signs_in_after_ten_bad_tries_from_the_same_address() {
    let bench = Bench::start().await;
    assert_eq!(
        attempt(&bench, "demo", PASSWORD, HOME).await.status,
        StatusCode::OK
    );
    guesses(&bench, "demo", HOME, 12).await;
    assert_eq!(
        attempt(&bench, "demo", PASSWORD, HOME).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_known_address_tells_nothing_about_which_names_exist() {
    let bench = Bench::start().await;
    assert_eq!(
        attempt(&bench, "demo", PASSWORD, HOME).await.status,
        StatusCode::OK
    );
    bench.clock.advance(chrono::TimeDelta::minutes(5));
    let existing = guesses(&bench, "demo", HOME, 13).await;
    bench.clock.advance(chrono::TimeDelta::minutes(5));
    let unknown = guesses(&bench, "nobody", HOME, 13).await;
    assert_eq!(existing, unknown);
    assert_eq!(existing, [vec![401; 10], vec![429; 3]].concat());
}

#[tokio::test]
async fn an_address_is_known_to_the_account_that_signed_in_there_and_is_stored_as_a_hash() {
    let bench = Bench::start().await;
    bench
        .admin
        .create_account("ada", crate::bench::secret("another horse"), "demo", &[])
        .await
        .unwrap();
    assert_eq!(
        attempt(&bench, "ada", "another horse", ELSEWHERE)
            .await
            .status,
        StatusCode::OK
    );
    guesses(&bench, "demo", ELSEWHERE, 12).await;
    assert_eq!(
        attempt(&bench, "demo", PASSWORD, ELSEWHERE).await.status,
        StatusCode::TOO_MANY_REQUESTS,
        "ada's address, not demo's"
    );
    let rows: Vec<String> = sqlx::query_scalar("SELECT k::text FROM bff.known_addresses k")
        .fetch_all(bench.database.pool())
        .await
        .unwrap();
    assert_eq!(rows.len(), 1);
    assert!(!rows[0].contains(ELSEWHERE));
}

/// The lines logged on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn failed_attempts_are_in_the_log_with_their_address_and_without_their_secrets() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone());
    let bench = Bench::start().await;
    register_callsites(guesses(&bench, "another", HOME, 11)).await;
    let _logging = tracing::subscriber::set_default(subscriber.finish());
    guesses(&bench, "a secret in the wrong field", ELSEWHERE, 11).await;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let failed = log
        .lines()
        .filter(|line| line.contains("a sign-in failed"))
        .count();
    let refused = log
        .lines()
        .filter(|line| line.contains("a sign-in was refused"))
        .count();
    assert_eq!((failed, refused), (10, 1), "{log}");
    assert!(log.contains("client.address=198.51.100.7"), "{log}");
    // printf %s 'a secret in the wrong field' | sha256sum | cut -c1-16
    assert!(log.contains("username_hash=\"8e19aea7acb69db9\""), "{log}");
    assert!(
        !log.contains("wrong field") && !log.contains("guess number"),
        "{log}"
    );
}
