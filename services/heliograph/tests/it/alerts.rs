//! The alerts and dashboards of `deploy/observability`: evaluated by Prometheus' own program, and
//! held against the runbook and the list of metrics.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::{Value, json};

use crate::node_packages;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn yaml(path: &str) -> Value {
    serde_saphyr::from_str(&read(path)).unwrap()
}

/// The alerts, as the rules name them.
fn rules() -> Vec<Value> {
    let groups = yaml("deploy/observability/alerts.yaml");
    groups["groups"][0]["rules"].as_array().unwrap().clone()
}

fn name(rule: &Value) -> &str {
    rule["alert"].as_str().unwrap()
}

#[test]
fn each_alert_fires_on_generated_series_as_its_test_says() {
    let promtool = || {
        Command::new("promtool")
            .args(["test", "rules", "alerts.test.yaml"])
            .current_dir(root().join("deploy/observability"))
            .output()
    };
    let output = match promtool() {
        Ok(output) => output,
        Err(_) => match node_packages::apt_install("promtool", &["prometheus"]) {
            Ok(()) => promtool().unwrap(),
            Err(why) => {
                node_packages::skipped("the alerts were not evaluated", &why);
                return;
            }
        },
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let failed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{failed}");
}

#[test]
fn each_alert_has_a_test_in_which_it_fires_and_a_section_in_the_runbook() {
    let tests = yaml("deploy/observability/alerts.test.yaml");
    let fired: BTreeSet<&str> = tests["tests"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|test| test["alert_rule_test"].as_array().unwrap())
        .filter(|case| !case["exp_alerts"].as_array().unwrap().is_empty())
        .map(|case| case["alertname"].as_str().unwrap())
        .collect();
    let runbook = read("docs/runbook.md");
    let rules = rules();
    let named: BTreeSet<&str> = rules.iter().map(name).collect();
    assert_eq!(named, fired);
    for rule in &rules {
        let anchor = format!("docs/runbook.md#{}", name(rule).to_lowercase());
        assert_eq!(rule["annotations"]["runbook"], anchor.as_str());
        assert!(runbook.contains(&format!("\n## {}\n", name(rule))));
    }
}

/// The dashboards by name.
pub(crate) fn dashboards() -> [(&'static str, Value); 3] {
    ["services", "assistants", "tools"].map(|board| {
        let text = read(&format!(
            "deploy/observability/grafana/dashboards/{board}.json"
        ));
        let parsed: Value = serde_json::from_str(&text).unwrap();
        assert!(!parsed["panels"].as_array().unwrap().is_empty());
        (board, parsed)
    })
}

/// The metrics that alerts and dashboards use, as docs/operating.md names them.
pub(crate) fn used_metrics() -> BTreeSet<String> {
    let metric =
        Regex::new(r"\b(?:heliograph|gen_ai_client|http_server|http_client|db_client)_[a-z_]+")
            .unwrap();
    let label =
        Regex::new(r"^(?:heliograph_service|db_client_connection_(?:pool_name|state))$").unwrap();
    let documented = read("docs/operating.md");
    let boards = dashboards().map(|(_, board)| board.to_string());
    let alerts = read("deploy/observability/alerts.yaml");
    let mut used = BTreeSet::new();
    for text in boards.iter().chain([&alerts]) {
        for found in metric.find_iter(text) {
            let series = ["_bucket", "_count", "_sum"]
                .iter()
                .find_map(|part| found.as_str().strip_suffix(part))
                .filter(|base| documented.contains(&format!("`{base}`")));
            used.insert(series.unwrap_or(found.as_str()).to_owned());
        }
    }
    used.retain(|name| !label.is_match(name));
    assert!(used.len() > 10, "{used:?}");
    used
}

#[test]
fn alerts_and_dashboards_use_metrics_that_are_documented() {
    let documented = read("docs/operating.md");
    let used = used_metrics();
    let unknown: Vec<&String> = used
        .iter()
        .filter(|name| !documented.contains(&format!("`{name}`")))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Each query of a panel, read by Prometheus' own program as the query of a rule.
#[test]
fn the_queries_of_dashboards_can_be_read() {
    let mut rules = Vec::new();
    for (board, parsed) in dashboards() {
        let panels = parsed["panels"].as_array().unwrap().iter();
        for target in panels.flat_map(|panel| panel["targets"].as_array().into_iter().flatten()) {
            let record = format!("{board}:{}", rules.len());
            rules.push(json!({ "record": record, "expr": target["expr"] }));
        }
    }
    assert!(rules.len() > 30, "{}", rules.len());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("panels.yaml");
    let groups = json!({ "groups": [{ "name": "panels", "rules": rules }] });
    std::fs::write(&file, groups.to_string()).unwrap();
    let file = file.to_str().unwrap();
    match Command::new("promtool")
        .args(["check", "rules", file])
        .output()
    {
        Ok(output) => assert!(output.status.success(), "{}", node_packages::text(&output)),
        Err(error) => node_packages::skipped("no query of a panel was read", &error.to_string()),
    }
}
