//! The word for health and the score of every device: of the measured sites, and of plants whose
//! readings have every fault.

use contracts::tools::HealthWord;
use serde_json::{Value, json};

use crate::fixtures;
use crate::harness::{App, TENANT, database};
use crate::one_sum;

const HEALTH: &str = "analyze_inverter_health";

/// The word of a report follows from its score, and the words and colours beside it from the word.
fn check(report: &Value, context: Option<&Value>) {
    let score = report["healthScore"].as_f64();
    let word: HealthWord = serde_json::from_value(report["healthStatus"].clone()).unwrap();
    assert_eq!(word, HealthWord::of(score), "{report}");
    let Some(score) = score else { return };
    assert!((0.0..=100.0).contains(&score), "{report}");
    // A figure of one decimal place is on the same side of a limit as the score.
    let shown: f64 = format!("{score:.1}").parse().unwrap();
    assert_eq!(HealthWord::of(Some(shown)), word, "{report}");
    let Some(context) = context else { return };
    let told = context.to_string();
    let colours = [
        (HealthWord::Healthy, "\"success\""),
        (HealthWord::Warning, "\"warning\""),
        (HealthWord::Critical, "\"danger\""),
    ];
    let scheme = context["uiSuggestion"].to_string();
    for (other, colour) in colours {
        assert!(
            other == word || !scheme.contains(colour),
            "{word:?}: {scheme}"
        );
    }
    if word == HealthWord::Healthy {
        assert!(!told.contains("\"critical\""), "{told}");
    }
    // Nothing is healthy of which something is not.
    let devices = report["devices"].as_array().cloned().unwrap_or_default();
    let words = devices
        .iter()
        .map(|one| HealthWord::of(one["healthScore"].as_f64()));
    let ill = |word: &HealthWord| matches!(word, HealthWord::Warning | HealthWord::Critical);
    if words.clone().any(|word| ill(&word)) {
        assert_ne!(word, HealthWord::Healthy, "{report}");
    }
}

/// Checks the reports on each device, in windows of some lengths, and on all of them.
async fn check_all(app: &App, tenant: &str) {
    let (_, list) = app.call_as(tenant, "list_loggers", json!({})).await;
    let loggers = list["result"]["loggers"].as_array().unwrap();
    assert!(!loggers.is_empty());
    let mut judged = 0;
    for logger in loggers {
        for days in [1, 7, 30] {
            let arguments = json!({ "logger_id": logger["loggerId"], "days": days });
            let (_, answer) = app.call_as(tenant, HEALTH, arguments).await;
            if answer["status"] == "ok" {
                check(&answer["result"], answer.get("context"));
                judged += 1;
            }
        }
    }
    assert!(judged > 0);
    for days in [1, 7, 30] {
        let (_, answer) = app.call_as(tenant, HEALTH, json!({ "days": days })).await;
        assert_eq!(answer["status"], "ok", "{answer}");
        check(&answer["result"], answer.get("context"));
        for device in answer["result"]["devices"].as_array().unwrap() {
            check(device, None);
        }
    }
}

#[tokio::test]
async fn status_word_and_score_never_disagree() {
    let database = database().await;
    let app = App::over(database.url());
    for site in fixtures::json("sites.json").as_object().unwrap().keys() {
        fixtures::load(&app.pool, TENANT, site).await;
    }
    check_all(&app, TENANT).await;
    for seed in 0..6 {
        let tenant = format!("dirty-{seed}");
        one_sum::plant(&app, &tenant, seed).await;
        check_all(&app, &tenant).await;
    }
}
