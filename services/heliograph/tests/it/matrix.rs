//! Each figure of a device, a list of devices, a site and everything, for a day, a month and a
//! year: the sentence has the figure of the tool.

use contracts::figures;
use heliograph::chat::ChatClient;
use reqwest::Method;
use serde_json::{Value, json};

use crate::demo_stack::{DemoStack, ask};
use crate::kinds::other_roundings;

/// A figure, how it is asked for, and where the tool has it.
struct Figure {
    question: &'static str,
    tool: &'static str,
    /// The arguments that name the first and the last day.
    days: [&'static str; 2],
    value: fn(&Value) -> f64,
    written: fn(f64) -> String,
}

const SAVINGS: &str = "calculate_financial_savings";
const RATIO: &str = "calculate_performance_ratio";
const HEALTH: &str = "analyze_inverter_health";
const PERIOD: [&str; 2] = ["start_date", "end_date"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

const FIGURES: &[Figure] = &[
    Figure {
        question: "How much energy did {whom} make {when}?",
        tool: SAVINGS,
        days: PERIOD,
        value: |result| number(&result["totalEnergyKwh"]),
        written: figures::energy,
    },
    Figure {
        question: "How much did {whom} save {when}?",
        tool: SAVINGS,
        days: PERIOD,
        value: |result| number(&result["savings"]),
        written: |money| figures::decimal(money, 2),
    },
    Figure {
        question: "How much CO2 did {whom} avoid {when}?",
        tool: SAVINGS,
        days: PERIOD,
        value: |result| number(&result["co2OffsetKg"]),
        written: figures::mass,
    },
    Figure {
        question: "What was the performance ratio of {whom} {when}?",
        tool: RATIO,
        days: ["date", "end_date"],
        value: |result| number(&result["performanceRatio"]),
        written: figures::percent,
    },
    Figure {
        question: "What was the availability of {whom} {when}?",
        tool: HEALTH,
        days: PERIOD,
        value: |result| 100.0 * number(&result["availabilityTime"]),
        written: figures::percent,
    },
    Figure {
        question: "How much energy did {whom} lose {when}?",
        tool: HEALTH,
        days: PERIOD,
        value: |result| number(&result["lostKwh"]),
        written: figures::energy,
    },
];

/// Words for some days, and these days.
const WHEN: &[(&str, &str, &str)] = &[
    ("on 29 November 2025", "2025-11-29", "2025-11-29"),
    ("last month", "2025-11-01", "2025-11-30"),
    ("in 2025", "2025-01-01", "2025-12-31"),
];

/// The result of a tool.
async fn result(client: &ChatClient, tool: &str, arguments: &Value) -> Value {
    let answer = client
        .request(Method::POST, &format!("/api/tools/{tool}"), Some(arguments))
        .await
        .unwrap();
    answer.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_figure_of_anything_for_any_period_is_in_the_sentence() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    let known = result(&user, "list_loggers", &json!({})).await;
    let loggers = known["result"]["loggers"].as_array().unwrap();
    let gw = loggers
        .iter()
        .find(|logger| logger["loggerId"] == "GW-INV-001")
        .unwrap();
    let name = gw["siteName"].as_str().unwrap().to_owned();
    let whoms = [
        (
            "LTI-INV-001".to_owned(),
            json!({ "logger_id": "LTI-INV-001" }),
        ),
        (
            "LTI-INV-001 and MEIER-INV-001".to_owned(),
            json!({ "logger_ids": ["LTI-INV-001", "MEIER-INV-001"] }),
        ),
        (name, json!({ "site_id": gw["siteId"] })),
        ("all devices".to_owned(), json!({})),
    ];
    let mut wrong = Vec::new();
    let mut asked = 0;
    for figure in FIGURES {
        for (whom, arguments) in &whoms {
            for (when, first, last) in WHEN {
                let question = figure.question.replace("{whom}", whom);
                let question = question.replace("{when}", when);
                let mut arguments = arguments.clone();
                arguments[figure.days[0]] = json!(first);
                arguments[figure.days[1]] = json!(last);
                let answer = result(&user, figure.tool, &arguments).await;
                let value = (figure.value)(&answer["result"]);
                let expected = (figure.written)(value);
                asked += 1;
                let reply = ask(&user, &format!("m-{asked}"), &question).await;
                let text = reply.text();
                wrong.extend(
                    other_roundings(&reply).map(|fault| format!("{question}\n  {fault}\n  {text}")),
                );
                if reply.asks_back() || value.is_nan() || !text.contains(&expected) {
                    wrong.push(format!(
                        "{question}\n  expected {expected} of {}\n  {text}",
                        answer["message"]
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    stack.stop().await;
}
