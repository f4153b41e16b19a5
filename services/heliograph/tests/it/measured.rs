//! Metrics of alerts and dashboards, in the programs: each is there, and counters begin at zero,
//! because Prometheus sees no increase in a series that begins with its first event. A Prometheus
//! that reads them evaluates each query of a panel, which has a line with the labels of its legend.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use futures::future::join_all;
use heliograph::chat::ChatClient;
use regex::Regex;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use service_kit::client::HttpClient;
use test_support::provider::{Dialect, ModelServer, Script, Turn};
use xtask::load::Processes;

use crate::alerts::{dashboards, used_metrics};
use crate::binaries::binaries;
use crate::demo_stack::{PASSWORD, admin, ask, config, demo_database};
use crate::node_packages;

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

/// Queries of faults that do not happen here.
const FAULTS: [&str; 1] = ["http_client_request_duration_seconds_count{error_type"];

/// Prometheus, which reads the metrics of the programs each second.
struct Prometheus {
    program: tokio::process::Child,
    url: String,
}

impl Prometheus {
    /// Starts it, or says why it cannot be started here.
    fn start(folder: &Path, targets: &[String]) -> Result<Self, String> {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap().to_string();
        drop(free);
        let configuration = json!({
            "global": { "scrape_interval": "1s" },
            "scrape_configs": [{
                "job_name": "heliograph",
                "static_configs": [{ "targets": targets }],
            }],
        });
        // JSON is YAML.
        let file = folder.join("prometheus.yaml");
        std::fs::write(&file, configuration.to_string()).unwrap();
        let start = || {
            tokio::process::Command::new("prometheus")
                .arg(format!("--config.file={}", file.display()))
                .arg(format!(
                    "--storage.tsdb.path={}",
                    folder.join("series").display()
                ))
                .arg(format!("--web.listen-address={address}"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .spawn()
        };
        let program = if let Ok(program) = start() {
            program
        } else {
            node_packages::apt_install("prometheus", &["prometheus"])?;
            start().map_err(|error| error.to_string())?
        };
        let url = format!("http://{address}/api/v1");
        Ok(Self { program, url })
    }

    /// The series that a query has now.
    async fn series(&self, http: &HttpClient, query: &str) -> Vec<Value> {
        let mut address = reqwest::Url::parse(&format!("{}/query", self.url)).unwrap();
        address.query_pairs_mut().append_pair("query", query);
        let Ok(answer) = http.get(address).send().await else {
            return Vec::new();
        };
        let answer: Value = answer.json().await.unwrap_or_default();
        answer["data"]["result"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }

    /// The number of reads of each program that answers.
    async fn reads(&self, http: &HttpClient) -> Vec<u32> {
        let query = "count_over_time(up[1h]) and up == 1";
        let programs = self.series(http, query).await;
        let counts = programs.iter().map(|series| series["value"][1].as_str());
        counts
            .map(|count| count.unwrap().parse().unwrap())
            .collect()
    }

    /// Waits until each program was read twice more.
    async fn read_twice(&mut self, http: &HttpClient) {
        let before = self.reads(http).await.into_iter().max();
        let wanted = before.unwrap_or_default() + 2;
        loop {
            let now = self.reads(http).await;
            if now.len() == ADDRESSES.len() && now.iter().all(|reads| *reads >= wanted) {
                return;
            }
            let ended = self.program.try_wait().unwrap();
            assert!(ended.is_none(), "Prometheus ended: {ended:?}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// The faults of panels: no line, or no line with a label of the legend.
    async fn faults(&self, http: &HttpClient) -> Vec<String> {
        let label = Regex::new(r"\{\{([a-z_]+)\}\}").unwrap();
        let mut faults = Vec::new();
        for (board, parsed) in dashboards() {
            for panel in parsed["panels"].as_array().unwrap() {
                let title = panel["title"].as_str().unwrap();
                for target in panel["targets"].as_array().into_iter().flatten() {
                    let query = target["expr"].as_str().unwrap();
                    let series = self.series(http, query).await;
                    let mut quiet = ELSEWHERE.iter().chain(&FAULTS);
                    if quiet.any(|part| query.contains(part)) {
                        continue;
                    }
                    if series.is_empty() {
                        faults.push(format!("{board}, {title}: no line of {query}"));
                    }
                    let legend = target["legendFormat"].as_str().unwrap_or_default();
                    for label in label.captures_iter(legend) {
                        if !series
                            .iter()
                            .any(|line| line["metric"][&label[1]].is_string())
                        {
                            faults.push(format!("{board}, {title}: no line has {}", &label[1]));
                        }
                    }
                }
            }
        }
        faults
    }
}

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

/// A person asks a model that calls a tool, one that fails, and rules that open a picker; calls a
/// tool with a day that is none; and uploads readings.
async fn use_it(http: &HttpClient, port: u16) {
    let bff = format!("http://127.0.0.1:{port}");
    let signed_in = ChatClient::sign_in(http.clone(), &bff, "demo", &PASSWORD.into()).await;
    let (user, _) = signed_in.unwrap();
    ask(&user, "t-measured", "power curve of GW-INV-001 on Nov 29").await;
    ask(&user, "t-fails", "health report of LTI-INV-001").await;
    ask(&user, "t-picker", "compare").await;
    let refused = http
        .post(format!("{bff}/api/tools/get_power_curve"))
        .bearer_auth(user.access_token().expose_secret())
        .json(&json!({ "logger_id": "GW-INV-001", "date": "yesterday" }))
        .send()
        .await;
    let refused = refused.unwrap();
    assert!(
        refused.status().is_client_error(),
        "{:?}",
        refused.text().await
    );
    let rows = "loggerId,timestamp,activePowerWatts\nGW-INV-001,2025-12-01T10:00:00Z,900\n";
    let upload = http.post(format!("{bff}/api/measurements"));
    let upload = upload
        .bearer_auth(user.access_token().expose_secret())
        .header("content-type", "text/csv")
        .body(rows);
    let answer = upload.send().await.unwrap();
    assert!(answer.status().is_success(), "{:?}", answer.text().await);
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
            |seen| {
                seen.rounds() == 0 && !seen.wants_json() && seen.last_user().contains("power curve")
            },
            Turn::call("get_power_curve", curve),
        )
        .when(
            |seen| seen.rounds() == 1,
            Turn::chunks(["It was", " sunny", " on that", " day."]),
        )
        .otherwise(Turn::internal_error());
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

    let mut prometheus = Prometheus::start(files.path(), &addresses);
    match &mut prometheus {
        Ok(prometheus) => prometheus.read_twice(&http).await,
        Err(why) => node_packages::skipped("no query of a panel was evaluated", why),
    }

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

    use_it(&http, stack.bff.http.port).await;

    let (types, text) = scrape(&http, &addresses).await;
    if let Ok(prometheus) = &mut prometheus {
        prometheus.read_twice(&http).await;
        let faults = prometheus.faults(&http).await;
        prometheus.program.kill().await.unwrap();
        assert!(faults.is_empty(), "{faults:#?}");
    }
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
