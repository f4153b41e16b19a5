//! Metrics of alerts and dashboards, in the programs: each is there, and counters begin at zero,
//! because Prometheus sees no increase in a series that begins with its first event.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use heliograph::chat::ChatClient;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use service_kit::client::HttpClient;
use test_support::provider::{Dialect, ModelServer, Script, Turn};
use xtask::load::Processes;

use crate::alerts::used_metrics;
use crate::binaries::binaries;
use crate::demo_stack::{PASSWORD, admin, ask, config, demo_database};

/// The variables with the address of each program's metrics.
const ADDRESSES: [&str; 3] = [
    "HELIOGRAPH_TOOLS__TELEMETRY__METRICS_ADDRESS",
    "HELIOGRAPH_ORCHESTRATOR__TELEMETRY__METRICS_ADDRESS",
    "HELIOGRAPH_BFF__TELEMETRY__METRICS_ADDRESS",
];

/// They need a schedule whose time comes, and a target database.
const ELSEWHERE: [&str; 2] = [
    "heliograph_schedule_delay_seconds",
    "heliograph_target_statements",
];

/// The types of the metrics by name, and all lines, of all programs.
async fn scrape(http: &HttpClient, addresses: &[String]) -> (BTreeMap<String, String>, String) {
    let pages = join_all(addresses.iter().map(async |address| {
        let page = http.get(format!("http://{address}/metrics")).send().await;
        page.unwrap().text().await.unwrap()
    }));
    let text = pages.await.concat();
    let types = text.lines().filter_map(|line| {
        let (name, kind) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
        Some((name.to_owned(), kind.to_owned()))
    });
    (types.collect(), text)
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_of_alerts_and_dashboards_are_there_and_counters_begin_at_zero() {
    let database = demo_database().await;
    let files = tempfile::tempdir().unwrap();
    let url = SecretString::from(database.url());
    let mut stack = config(&url, files.path());
    stack.introduce().unwrap();
    let accounts = admin(&stack);
    accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
    accounts.close().await;
    let curve = json!({ "logger_id": "GW-INV-001", "date": "2025-11-29" });
    let script = Script::new()
        .when(
            |seen| seen.rounds() == 0 && !seen.wants_json(),
            Turn::call("get_power_curve", curve),
        )
        .when(
            |seen| seen.rounds() == 1,
            Turn::chunks(["It was", " sunny", " on that", " day."]),
        );
    let model = ModelServer::start(Dialect::OpenAi, script).await.unwrap();

    let taken = ADDRESSES.map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = taken.map(|free| free.local_addr().unwrap().to_string());
    let http = service_kit::http_client().unwrap();
    let (model_url, key) = (model.base_url(), model.key().to_owned());
    let mut environment = vec![
        ("AI_PROVIDER", "openai"),
        ("OPENAI_BASE_URL", &*model_url),
        ("OPENAI_API_KEY", &*key),
    ];
    let named = ADDRESSES.into_iter().zip(addresses.iter());
    environment.extend(named.map(|(variable, address)| (variable, &**address)));
    let processes = Processes::start(&binaries(), &stack, &url, files.path(), &environment, &http)
        .await
        .unwrap();

    let used = used_metrics();
    let (types, text) = scrape(&http, &addresses).await;
    let counters = used.iter().filter(|name| name.ends_with("_total"));
    for counter in counters {
        assert_eq!(
            types.get(counter).map(String::as_str),
            Some("counter"),
            "{counter}"
        );
        let mut series = text.lines().filter(|line| line.starts_with(&**counter));
        assert!(series.all(|line| line.ends_with(" 0")), "{counter}");
    }

    // A person asks a model that calls a tool, and uploads readings.
    let bff = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let signed_in = ChatClient::sign_in(http.clone(), &bff, "demo", &PASSWORD.into()).await;
    let (user, _) = signed_in.unwrap();
    ask(&user, "t-measured", "power curve of GW-INV-001 on Nov 29").await;
    let rows = "loggerId,timestamp,activePowerWatts\nGW-INV-001,2025-12-01T10:00:00Z,900\n";
    let upload = http.post(format!("{bff}/api/measurements"));
    let upload = upload
        .bearer_auth(user.access_token().expose_secret())
        .header("content-type", "text/csv")
        .body(rows);
    let answer = upload.send().await.unwrap();
    assert!(answer.status().is_success(), "{:?}", answer.text().await);

    let (types, text) = scrape(&http, &addresses).await;
    processes.stop().await;
    model.assert_accepted();
    let exposed: BTreeSet<String> = types.into_keys().collect();
    let missing: Vec<&String> = used
        .difference(&exposed)
        .filter(|name| !ELSEWHERE.contains(&name.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    for moved in [
        "heliograph_run_duration_seconds_count{",
        "heliograph_tool_duration_seconds_count{",
        "gen_ai_client_token_usage_sum{",
        "heliograph_ingest_readings_total{",
    ] {
        let mut series = text.lines().filter(|line| line.starts_with(moved));
        assert!(series.any(|line| !line.ends_with(" 0")), "{moved}: {text}");
    }
}
