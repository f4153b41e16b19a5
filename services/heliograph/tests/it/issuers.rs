//! An issuer of one's own while the services run: the command line over HTTP.

use axum::Router;
use axum::routing::{get, post};
use clap::Parser as _;
use heliograph::chat::ChatClient;
use heliograph::cli::{Cli, Command};
use heliograph::commands::issuers;
use http::{HeaderMap, StatusCode};
use reqwest::Method;
use serde_json::{Value, json};

use crate::demo_stack::DemoStack;

pub(crate) const SECRET: &str = "secret-of-the-client";

/// `heliograph` with it, as a client authenticates.
const BASIC: &str = "Basic aGVsaW9ncmFwaDpzZWNyZXQtb2YtdGhlLWNsaWVudA==";

/// An issuer that knows the client `heliograph` by its secret.
pub(crate) async fn issuer() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let document = json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "jwks_uri": format!("{url}/jwks"),
    });
    let exchange = async |headers: HeaderMap| {
        let sent = headers.get("authorization");
        if sent.is_some_and(|sent| sent == BASIC) {
            let error = json!({ "error": "invalid_grant" });
            (StatusCode::BAD_REQUEST, axum::Json(error))
        } else {
            let error = json!({ "error": "invalid_client" });
            (StatusCode::UNAUTHORIZED, axum::Json(error))
        }
    };
    let keys = json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": "AA" }] });
    let router = Router::new()
        .route(
            "/.well-known/openid-configuration",
            get(async move || axum::Json(document)),
        )
        .route("/jwks", get(async move || axum::Json(keys)))
        .route("/token", post(exchange));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn run(
    client: &ChatClient,
    arguments: &[&str],
    secret: Option<&str>,
) -> anyhow::Result<String> {
    let cli = Cli::try_parse_from(["heliograph", "issuers"].iter().chain(arguments)).unwrap();
    let Some(Command::Issuers { command, .. }) = cli.command else {
        panic!("not issuers");
    };
    let secret = secret.map(|secret| secret.to_owned().into());
    let lines = issuers::carry_out(client, command, secret).await?;
    Ok(lines.join("\n"))
}

async fn sign_in_page(client: &ChatClient) -> Value {
    let page = client.request(Method::GET, "/auth/sign-in", None).await;
    let page: Value = page.unwrap().json().await.unwrap();
    page["issuers"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_of_the_installation_adds_an_issuer_and_the_sign_in_page_has_it() {
    let url = issuer().await;
    // As the all-in-one is started: with a key in its data folder, and on loopback.
    let files = tempfile::tempdir().unwrap();
    let stack = DemoStack::start_with(|config| config.demonstrate(files.path()).unwrap()).await;
    assert!(files.path().join("issuers.key").is_file());
    let demo = stack.demo_user().await;
    let none = run(&demo, &["list"], None).await.unwrap();
    let page = &stack.services.bff_url;
    assert!(
        none.contains(&format!("{page}/auth/oidc/NAME/callback")),
        "{none}"
    );

    let options = ["add", "company", &url, "--client-id", "heliograph"];
    let options = [options.as_slice(), &["--label", "Company"]].concat();
    let refused = run(&demo, &options, Some(SECRET)).await.unwrap_err();
    assert!(refused.to_string().contains("--rule"), "{refused}");
    let rules = [
        "--rule",
        "solar-admins=acme:administrator",
        "--rule",
        "acme",
    ];
    let options = [options.as_slice(), &rules].concat();
    let wrong = run(&demo, &options, Some("wrong")).await.unwrap_err();
    assert!(wrong.to_string().contains("invalid_client"), "{wrong}");
    let tested = [options.as_slice(), &["--test"]].concat();
    let tested = run(&demo, &tested, Some(SECRET)).await.unwrap();
    assert!(
        tested.contains("client      ok")
            && tested.contains(&format!("{page}/auth/oidc/company/callback")),
        "{tested}"
    );
    assert_eq!(sign_in_page(&demo).await, Value::Null, "only tested");
    let added = run(&demo, &options, Some(SECRET)).await.unwrap();
    assert!(
        added.contains("solar-admins: administrator in acme")
            && added.contains("everyone: viewer in acme"),
        "{added}"
    );
    assert_eq!(sign_in_page(&demo).await[0]["label"], "Company");
    let tested = run(&demo, &["test", "company"], None).await.unwrap();
    assert!(tested.contains("keys        ok"), "{tested}");
    let change = [
        "change",
        "company",
        "--rule",
        "acme:editor",
        "--label",
        "Us",
    ];
    let changed = run(&demo, &change, None).await.unwrap();
    assert!(changed.contains("everyone: editor in acme"), "{changed}");
    assert_eq!(sign_in_page(&demo).await[0]["label"], "Us");

    // An administrator of a tenant does not decide on tenants.
    let scopes = ["chat", "tools:read", "targets:write", "accounts:write"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let ada = stack.sign_in("ada").await;
    for arguments in [
        &["list"][..],
        &["remove", "company", "--confirm", "company"],
    ] {
        let refused = run(&ada, arguments, None).await.unwrap_err().to_string();
        assert!(refused.contains("issuers:write"), "{refused}");
    }
    let remove = ["remove", "company", "--confirm", "company"];
    run(&demo, &remove, None).await.unwrap();
    assert_eq!(sign_in_page(&demo).await, Value::Null);
    stack.stop().await;
}
