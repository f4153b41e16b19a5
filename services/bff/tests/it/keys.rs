//! Signing keys: one takes over from another while everything runs, and a database gives none away
//! that are encrypted.

use axum::Router;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bff::signing::{SigningKeys, StoreError};
use chrono::TimeDelta;
use http::StatusCode;
use serde_json::{Value, json};
use service_kit::clock::RandomIds;

use crate::bench::{Bench, PASSWORD, With, get, post};

fn command_line(bench: &Bench) -> SigningKeys {
    SigningKeys::open(&bench.config, bench.clock.clone(), RandomIds::shared()).unwrap()
}

async fn published(bench: &Bench, replica: &Router) -> Vec<String> {
    let set = bench.send_to(replica, get("/.well-known/jwks.json")).await;
    let keys = set.body["keys"].as_array().unwrap();
    keys.iter()
        .map(|key| key["kid"].as_str().unwrap().to_owned())
        .collect()
}

async fn token(bench: &Bench, replica: &Router) -> String {
    let credentials = json!({ "username": "demo", "password": PASSWORD });
    let answer = bench
        .send_to(replica, post("/auth/token", &credentials))
        .await;
    answer.body["access_token"].as_str().unwrap().to_owned()
}

fn key_of(token: &str) -> String {
    let header = URL_SAFE_NO_PAD
        .decode(token.split('.').next().unwrap())
        .unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    header["kid"].as_str().unwrap().to_owned()
}

async fn takes(bench: &Bench, replica: &Router, token: &str) -> bool {
    let me = bench.send_to(replica, get("/auth/me").bearer(token)).await;
    me.status == StatusCode::OK
}

#[tokio::test]
async fn a_rotated_key_takes_over_on_every_replica_without_a_restart() {
    let bench = Bench::start().await;
    let (one, other) = (bench.replica().await, bench.replica().await);
    let old = published(&bench, &one).await;
    let keys = command_line(&bench);
    let told = keys.rotate().await.unwrap();
    assert_eq!((told.len(), told[0].signs, told[1].signs), (2, true, false));
    let new = told[1].key_id.clone();
    assert!(matches!(
        keys.rotate().await,
        Err(bff::Error::Keys(StoreError::UnderWay { .. }))
    ));

    // Published everywhere before it signs.
    bench.clock.advance(TimeDelta::seconds(16));
    for replica in [&one, &other] {
        assert_eq!(
            published(&bench, replica).await,
            [old[0].clone(), new.clone()]
        );
    }
    let before = token(&bench, &one).await;
    assert_eq!(key_of(&before), old[0]);

    bench.clock.advance(TimeDelta::seconds(60));
    let after = token(&bench, &one).await;
    assert_eq!(key_of(&after), new);
    for token in [&before, &after] {
        assert!(takes(&bench, &other, token).await && takes(&bench, &one, token).await);
    }

    // The old one is published until its last token has ended, and then forgotten.
    bench.clock.advance(TimeDelta::seconds(200));
    assert_eq!(published(&bench, &one).await.len(), 2);
    bench.clock.advance(TimeDelta::seconds(200));
    for replica in [&one, &other] {
        assert_eq!(published(&bench, replica).await, std::slice::from_ref(&new));
    }
    let told = keys.rotate().await.unwrap();
    assert_eq!(
        (told.len(), &told[0].key_id),
        (2, &new),
        "the oldest is gone"
    );
}

#[tokio::test]
async fn a_replica_that_has_not_looked_yet_takes_a_token_of_one_that_has() {
    let bench = Bench::start().await;
    let (one, other) = (bench.replica().await, bench.replica().await);
    command_line(&bench).rotate().await.unwrap();
    bench.clock.advance(TimeDelta::seconds(61));
    let token = token(&bench, &one).await;
    assert!(takes(&bench, &other, &token).await);
}

async fn stored(bench: &Bench) -> Vec<String> {
    sqlx::query_scalar("SELECT private_pem FROM bff.signing_keys")
        .fetch_all(bench.database.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn keys_in_the_database_are_encrypted_where_that_is_configured() {
    let mut bench = Bench::start().await;
    let session = bench.tokens().await;
    let access = session["access_token"].as_str().unwrap().to_owned();
    assert!(stored(&bench).await[0].contains("PRIVATE KEY"));
    bench.config.signing.encryption_key = Some(STANDARD.encode([7; 32]).into());
    bench.restart().await;
    command_line(&bench).rotate().await.unwrap();
    let rows = stored(&bench).await;
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert!(
            row.starts_with("aes-256-gcm:") && !row.contains("PRIVATE"),
            "{row}"
        );
    }
    assert_eq!(
        bench.me(get("/auth/me").bearer(&access)).await,
        StatusCode::OK
    );

    for (key, told) in [
        (None, "is encrypted: set signing.encryption_key"),
        (
            Some([8; 32]),
            "was not encrypted with the key of signing.encryption_key",
        ),
    ] {
        bench.config.signing.encryption_key = key.map(|key| STANDARD.encode(key).into());
        let failed = bff::build(
            bench.config.clone(),
            bench.clock.clone(),
            RandomIds::shared(),
        )
        .await;
        let error = failed.err().unwrap().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[tokio::test]
async fn a_key_in_a_file_takes_over_from_another_in_a_file() {
    let mut bench = Bench::start().await;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        let signer = service_kit::identity::Signer::generate(
            "heliograph",
            bench.clock.clone(),
            RandomIds::shared(),
        )
        .unwrap();
        let pem = signer.to_pem();
        std::fs::write(&path, secrecy::ExposeSecret::expose_secret(&pem)).unwrap();
        path
    };
    let (old, new) = (file("old.pem"), file("new.pem"));
    bench.config.signing.key_file = Some(old.clone());
    bench.config.signing.verify_key_files = vec![new.clone()];
    let first = bench.replica().await;
    bench.config.signing.key_file = Some(new);
    bench.config.signing.verify_key_files = vec![old];
    let second = bench.replica().await;
    let tokens = [token(&bench, &first).await, token(&bench, &second).await];
    assert_ne!(key_of(&tokens[0]), key_of(&tokens[1]));
    for replica in [&first, &second] {
        for token in &tokens {
            assert!(takes(&bench, replica, token).await);
        }
    }
    let Err(refused) = SigningKeys::open(&bench.config, bench.clock.clone(), RandomIds::shared())
    else {
        panic!("they are in files")
    };
    assert!(
        refused.to_string().contains("signing.key_file"),
        "{refused}"
    );
}
