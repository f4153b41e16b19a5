//! Making accounts.

use bff::accounts::AccountError;
use http::StatusCode;

use crate::bench::{Bench, PASSWORD, With, get, secret};

#[tokio::test]
async fn the_demo_account_is_made_once() {
    let bench = Bench::start().await;
    let again = bench.admin.ensure_demo(None).await.unwrap();
    assert!(
        again.is_none(),
        "a second start makes no second account, and shows no password"
    );
    assert_eq!(bench.sign_in(PASSWORD).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_made_up_password_is_long_and_works() {
    let bench = Bench::start().await;
    sqlx::query("DELETE FROM bff.accounts")
        .execute(bench.database.pool())
        .await
        .unwrap();
    let password = bench.admin.ensure_demo(None).await.unwrap().unwrap();
    let password = secrecy::ExposeSecret::expose_secret(&password).to_owned();
    assert!(password.len() >= 40);
    assert_eq!(bench.sign_in(&password).await.status, StatusCode::OK);
}

#[tokio::test]
async fn names_are_one_whatever_their_case_and_bad_ones_are_refused() {
    let bench = Bench::start().await;
    let scopes = ["chat".to_owned()];
    let make = async |name: &str, password: &str, tenant: &str| {
        bench
            .admin
            .create_account(name, secret(password), tenant, &scopes)
            .await
    };
    assert!(matches!(
        make("DEMO", "long enough horse", "demo").await,
        Err(AccountError::Exists(_))
    ));
    assert!(matches!(
        make(" ", "long enough horse", "demo").await,
        Err(AccountError::Name)
    ));
    assert!(matches!(
        make("ada", "short", "demo").await,
        Err(AccountError::Password)
    ));
    assert!(matches!(
        make("ada", "password1", "demo").await,
        Err(AccountError::WeakPassword(_))
    ));
    assert!(matches!(
        make("ada", "long enough horse", "").await,
        Err(AccountError::Tenant)
    ));
    let ada = make("Ada", "long enough horse", "acme").await.unwrap();
    assert_eq!(
        (ada.username.as_str(), ada.tenant.as_str()),
        ("Ada", "acme")
    );
}

#[tokio::test]
async fn a_new_password_ends_what_the_old_one_began() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    assert!(
        bench
            .admin
            .set_password("Demo", secret("another password"))
            .await
            .unwrap()
    );
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        bench.sign_in(PASSWORD).await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        bench.sign_in("another password").await.status,
        StatusCode::OK
    );
    assert!(
        !bench
            .admin
            .set_password("nobody", secret("another password"))
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_disabled_account_is_out_at_once() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let access = bench.tokens().await["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    sqlx::query("UPDATE bff.accounts SET disabled_at = now()")
        .execute(bench.database.pool())
        .await
        .unwrap();
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        bench.me(get("/auth/me").bearer(&access)).await,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn nothing_that_is_stored_gives_a_secret_away() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let refresh = bench.tokens().await["refresh_token"]
        .as_str()
        .unwrap()
        .to_owned();
    let rows: Vec<String> = sqlx::query_scalar(
        "SELECT a::text FROM bff.accounts a UNION ALL SELECT s::text FROM bff.sessions s UNION ALL SELECT r::text FROM bff.refresh_tokens r",
    )
    .fetch_all(bench.database.pool())
    .await
    .unwrap();
    assert!(rows.len() >= 3);
    let session = session.split_once('=').unwrap().1;
    for row in rows {
        assert!(!row.contains(PASSWORD) && !row.contains(session) && !row.contains(&refresh));
    }
}
