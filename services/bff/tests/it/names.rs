//! Names of accounts, tenants, groups and keys: none looks like another one, and none says what
//! another tenant has.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::bench::{Answer, Bench, PASSWORD, With, get, post};
use crate::people::{account, token, with_method};

/// The maker of the body of a request about an account of this name.
type Body<'a> = &'a dyn Fn(&str) -> Value;

async fn create(bench: &Bench, by: &str, name: &str, tenant: Option<&str>) -> Answer {
    let body = json!({ "username": name, "password": PASSWORD, "tenant": tenant });
    bench.send(post("/api/accounts", &body).bearer(by)).await
}

/// The pointer and the reason of a refusal.
fn fault(answer: &Answer) -> (&str, &str) {
    assert_eq!(
        answer.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{}",
        answer.body
    );
    let error = &answer.body["errors"][0];
    (
        error["pointer"].as_str().unwrap(),
        error["detail"].as_str().unwrap(),
    )
}

#[tokio::test]
async fn two_accounts_never_look_the_same() {
    let bench = Bench::start().await;
    let demo = token(&bench, "demo", PASSWORD).await;
    for (name, said) in [
        ("de\u{200b}mo", "U+200B"),
        ("demo\u{ad}", "U+00AD"),
        ("d\u{202e}emo", "U+202E"),
        ("demo\u{3164}", "U+3164"),
        ("demo\u{a0}x", "U+00A0"),
        ("de  mo", "blanks"),
        ("d\u{435}mo", "alphabets"),
        ("\u{ff44}emo", "looks like d"),
    ] {
        let answer = create(&bench, &demo, name, None).await;
        let (pointer, detail) = fault(&answer);
        assert_eq!(pointer, "/username", "{name:?}");
        assert!(detail.contains(said), "{name:?}: {detail}");
        let answer = create(&bench, &demo, "ada", Some(name)).await;
        assert_eq!(fault(&answer).0, "/tenant", "{name:?}");
    }
    // A mark beside its letter is the letter with its mark.
    let made = create(&bench, &demo, "Zoe\u{301}", None).await;
    assert_eq!(made.body["username"], "Zo\u{e9}", "{}", made.body);
    let again = create(&bench, &demo, "zo\u{e9}", None).await;
    assert_eq!(again.status, StatusCode::CONFLICT, "{}", again.body);
    for name in ["Zo\u{e9}", "Zoe\u{301}"] {
        token(&bench, name, PASSWORD).await;
    }
}

#[tokio::test]
async fn a_name_in_another_alphabet_is_accepted_unless_it_looks_like_one_that_exists() {
    let bench = Bench::start().await;
    let demo = token(&bench, "demo", PASSWORD).await;
    for (name, tenant) in [("paypal", "zeta"), ("cocoa", "cocoa"), ("drew", "demo")] {
        account(&bench, name, tenant, "viewer").await;
    }
    // Cyrillic, Cherokee, Armenian, and a capital I in place of an l.
    for name in [
        "\u{440}\u{430}\u{443}\u{440}\u{430}\u{4cf}",
        "\u{441}\u{43e}\u{441}\u{43e}\u{430}",
        "\u{13a0}\u{13a1}\u{13ac}\u{13b3}",
        "paypaI",
    ] {
        let answer = create(&bench, &demo, name, None).await;
        assert_eq!(
            answer.status,
            StatusCode::CONFLICT,
            "{name}: {}",
            answer.body
        );
    }
    let small = create(&bench, &demo, "\u{1d18}\u{1d00}\u{28f}", None).await;
    assert_eq!(fault(&small).0, "/username");
    for (at, tenant) in ["ZETA", "Zeta", "\u{441}\u{43e}\u{441}\u{43e}\u{430}"]
        .into_iter()
        .enumerate()
    {
        let answer = create(&bench, &demo, &format!("new{at}"), Some(tenant)).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "{}", answer.body);
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.contains("looks like `"), "{detail}");
    }
    // Names of people who write in these alphabets.
    for (at, name) in [
        "\u{430}\u{43d}\u{43d}\u{430}",
        "\u{531}\u{580}\u{561}\u{574}",
        "\u{13e3}\u{13b3}\u{13a9}",
        "\u{5c71}\u{7530}",
    ]
    .into_iter()
    .enumerate()
    {
        let made = create(&bench, &demo, name, Some(&format!("tenant {at}"))).await;
        assert_eq!(made.status, StatusCode::CREATED, "{name}: {}", made.body);
        let made = create(&bench, &demo, &format!("other{at}"), Some(name)).await;
        assert_eq!(made.status, StatusCode::CREATED, "{name}: {}", made.body);
    }
}

#[tokio::test]
async fn a_name_that_is_no_part_of_an_address_is_refused_and_an_old_one_is_reached_by_its_id() {
    let bench = Bench::start().await;
    let demo = token(&bench, "demo", PASSWORD).await;
    for name in [".", "..", " .. "] {
        let answer = create(&bench, &demo, name, None).await;
        assert_eq!(fault(&answer).0, "/username", "{name:?}");
        let answer = create(&bench, &demo, "ada", Some(name.trim())).await;
        assert_eq!(fault(&answer).0, "/tenant", "{name:?}");
    }
    let made = create(&bench, &demo, "old", None).await;
    let id = made.body["id"].as_str().unwrap();
    sqlx::query("UPDATE bff.accounts SET username = '..' WHERE username = 'old'")
        .execute(bench.database.pool())
        .await
        .unwrap();
    let path = format!("/api/accounts/{id}");
    let shown = bench.send(get(&path).bearer(&demo)).await;
    assert_eq!(shown.body["username"], "..", "{}", shown.body);
    let erase = with_method(Method::DELETE, &path, &json!({ "confirm": ".." }));
    let erased = bench.send(erase.bearer(&demo)).await;
    assert!(erased.status.is_success(), "{}", erased.body);
    let shown = bench.send(get(&path).bearer(&demo)).await;
    assert_eq!(shown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn groups_and_keys_have_names_that_can_be_seen() {
    let bench = Bench::start().await;
    let demo = token(&bench, "demo", PASSWORD).await;
    account(&bench, "ada", "demo", "viewer").await;
    let change = json!({ "groups": ["night\u{200b} shift"] });
    let answer = bench
        .send(with_method(Method::PATCH, "/api/accounts/ada", &change).bearer(&demo))
        .await;
    assert_eq!(fault(&answer).0, "/groups");
    let key = json!({ "name": "night\u{2060}ly" });
    let answer = bench.send(post("/api/tokens", &key).bearer(&demo)).await;
    assert_eq!(fault(&answer).0, "/name");
}

#[tokio::test]
async fn a_name_of_another_tenant_is_not_confirmed() {
    let bench = Bench::start().await;
    let acme = account(&bench, "boss", "acme", "administrator").await;
    account(&bench, "ada", "acme", "viewer").await;
    account(&bench, "grace", "other", "viewer").await;
    let text = |answer: &Answer, name: &str| {
        let mut body = answer.body.clone();
        body.as_object_mut().unwrap().remove("requestId");
        (answer.status, body.to_string().replace(name, "NAME"))
    };
    // Names are those of the installation. The answer is the same, whichever tenant uses the name.
    let own = create(&bench, &acme, "ada", None).await;
    let elsewhere = create(&bench, &acme, "grace", None).await;
    assert_eq!(own.status, StatusCode::CONFLICT);
    assert_eq!(text(&own, "ada"), text(&elsewhere, "grace"));
    assert!(
        !elsewhere.body.to_string().contains("exist"),
        "{}",
        elsewhere.body
    );
    // No other answer distinguishes an account of another tenant from none.
    let confirm = |name: &str| json!({ "confirm": name });
    let disable = |_: &str| json!({ "disabled": true });
    let nothing = |_: &str| Value::Null;
    let requests: [(Method, &str, Body<'_>); 6] = [
        (Method::GET, "/api/accounts/NAME", &nothing),
        (Method::PATCH, "/api/accounts/NAME", &disable),
        (Method::DELETE, "/api/accounts/NAME", &confirm),
        (Method::GET, "/api/sessions?account=NAME", &nothing),
        (Method::GET, "/api/tokens?account=NAME", &nothing),
        (Method::GET, "/api/audit?actor=NAME", &nothing),
    ];
    for (method, path, body) in requests {
        let mut answers = Vec::new();
        for name in ["grace", "none"] {
            let path = path.replace("NAME", name);
            let request = with_method(method.clone(), &path, &body(name));
            let answer = bench.send(request.bearer(&acme)).await;
            assert!(
                answer.status.is_client_error(),
                "{method} {path}: {}",
                answer.body
            );
            answers.push(text(&answer, name));
        }
        assert_eq!(answers[0], answers[1], "{method} {path}");
    }
    let listed = bench.send(get("/api/accounts").bearer(&acme)).await;
    assert!(!listed.body.to_string().contains("grace"));
}
