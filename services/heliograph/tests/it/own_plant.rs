//! A plant whose devices send different things: what a person hears about it.

use std::fmt::Write as _;

use clap::Parser as _;
use heliograph::chat::ChatClient;
use heliograph::cli::{Cli, Command};
use heliograph::commands::import;
use reqwest::Method;
use serde_json::json;

use crate::demo_stack::{DemoStack, ask};

/// Days of June 2025 with data.
const DAYS: u32 = 14;

/// The readings of a device at each hour from 6 to 20 of a day: its column, its unit, and its
/// values after the hours of 2 kWh that it has produced so far.
struct Sends {
    id: &'static str,
    column: &'static str,
    /// The last day with readings.
    until: u32,
    value: fn(f64, bool) -> f64,
    /// kWh of an hour.
    hourly: f64,
}

const DEVICES: [Sends; 5] = [
    Sends {
        id: "POW-1",
        column: "power kW",
        until: DAYS,
        value: |made, runs| if runs { made } else { 0.0 },
        hourly: 2.0,
    },
    Sends {
        id: "REG-1",
        column: "total kWh",
        until: DAYS,
        value: |total, _| 5000.0 + total,
        hourly: 2.5,
    },
    Sends {
        id: "INT-1",
        column: "interval kWh",
        until: DAYS,
        value: |made, runs| if runs { made } else { 0.0 },
        hourly: 1.5,
    },
    Sends {
        id: "OLD-1",
        column: "total kWh",
        until: DAYS - 10,
        value: |total, _| 800.0 + total,
        hourly: 2.0,
    },
    Sends {
        id: "ANY-1",
        column: "power kW",
        until: DAYS,
        value: |made, runs| if runs { made } else { 0.0 },
        hourly: 1.0,
    },
];

fn file(sends: &Sends) -> String {
    let mut text = format!("time,{}\n", sends.column);
    let mut total = 0.0;
    for day in 1..=sends.until {
        for hour in 6..=20 {
            let runs = hour > 6;
            total += if runs { sends.hourly } else { 0.0 };
            let of = if sends.column.starts_with("total") {
                total
            } else {
                sends.hourly
            };
            let value = (sends.value)(of, runs);
            writeln!(text, "2025-06-{day:02} {hour:02}:00,{value}").unwrap();
        }
    }
    text
}

async fn load(client: &ChatClient) {
    let capacity =
        |id: &str| json!({ "id": id, "type": "csv", "role": "inverter", "capacity_kw": 3.0 });
    let mut loggers: Vec<_> = ["POW-1", "REG-1", "INT-1", "OLD-1"].map(capacity).into();
    loggers.push(json!({ "id": "ANY-1", "type": "csv", "role": "inverter" }));
    let site = json!({
        "id": "north", "name": "North plant", "timezone": "UTC", "tariff_per_kwh": 0.3, "currency": "EUR",
        "loggers": loggers,
    });
    let stored = client
        .request(
            Method::POST,
            "/api/sites",
            Some(&json!({ "sites": [site] })),
        )
        .await
        .unwrap();
    assert!(stored.status().is_success(), "{stored:?}");
    let folder = tempfile::tempdir().unwrap();
    for sends in &DEVICES {
        let path = folder.path().join(format!("{}.csv", sends.id));
        std::fs::write(&path, file(sends)).unwrap();
        let path = path.to_string_lossy();
        let arguments = [
            "heliograph",
            "import",
            "--yes",
            "--logger-id",
            sends.id,
            &path,
        ];
        let cli = Cli::try_parse_from(arguments).unwrap();
        let Some(Command::Import(options)) = cli.command else {
            panic!("not an import");
        };
        import::carry_out(client, &options).await.unwrap();
    }
}

/// The answers that a person of this plant hears.
async fn answers(questions: &[&str]) -> Vec<String> {
    let stack = DemoStack::start().await;
    let scopes = ["chat", "tools:read", "sites:write"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let client = stack.sign_in("ada").await;
    let client = client.with_assistant(Some("site".to_owned()));
    load(&client).await;
    let mut answers = Vec::new();
    for (number, question) in questions.iter().enumerate() {
        let reply = ask(&client, &format!("t-{number}"), question).await;
        answers.push(reply.text());
    }
    stack.stop().await;
    answers
}

/// Questions, with words of their answers and words that none of them has.
const ASKED: &[(&str, &str, &str)] = &[
    (
        "How much energy did POW-1 produce yesterday?",
        "POW-1 made 28 kWh on 13 June 2025",
        "no power",
    ),
    (
        "How much energy did REG-1 produce yesterday?",
        "REG-1 made 35 kWh on 13 June 2025. It sends energy and no power",
        "valid power",
    ),
    (
        "How much energy did INT-1 produce yesterday?",
        "INT-1 made 21 kWh on 13 June 2025. It sends energy and no power",
        "valid power",
    ),
    (
        "power curve of REG-1 on 5 June",
        "averaged at most 2.5 kW, until 07:00",
        "valid power",
    ),
    (
        "what is REG-1 producing right now?",
        "REG-1 has sent nothing since 20:00 on 14 June 2025",
        "not sent a reading",
    ),
    ("is REG-1 healthy?", "REG-1", "gaps in the data"),
    (
        "does the counter of REG-1 agree with its power?",
        "REG-1 sends no power that its energy counter could be compared with",
        "disagree",
    ),
    (
        "top 3 inverters last week",
        "ANY-1 has no rank among the others: its size is only estimated",
        "is last",
    ),
    (
        "the last 2 devices",
        "These are the last 2 of 3 devices",
        "don't know",
    ),
    (
        "which device is second best last week?",
        "OLD-1 is the second best, level with POW-1.",
        "",
    ),
    (
        "Which devices are silent for more than a week?",
        "1 of your 5 devices has been silent for more than 1 week: OLD-1 since 20:00 on 4 June 2025",
        "health",
    ),
    (
        "which ones stopped sending?",
        "OLD-1 since 20:00 on 4 June 2025, for 10 days",
        "health",
    ),
    (
        "which devices did not report yesterday?",
        "4 of your 5 devices sent data on 13 June 2025: ANY-1, INT-1, POW-1 and REG-1. No data came from OLD-1.",
        "found anomalies",
    ),
    (
        "which devices were silent yesterday?",
        "No data came from OLD-1 on 13 June.",
        "sunshine",
    ),
    (
        "which devices have not reported since 8 June?",
        "No data came from OLD-1",
        "understand",
    ),
    (
        "did all devices report on 3 June?",
        "All of your 5 devices sent data on 3 June 2025",
        "don't know",
    ),
    (
        "What was the yield of North plant yesterday?",
        "North plant made 98 kWh on 13 June 2025",
        "",
    ),
    (
        "how long has OLD-1 been silent?",
        "OLD-1 has sent nothing since 20:00 on 4 June 2025",
        "health",
    ),
    (
        "is OLD-1 still sending data?",
        "OLD-1 has sent nothing since 20:00 on 4 June 2025",
        "health",
    ),
    (
        "is REG-1 sending data?",
        "REG-1 has not been silent for more than 24 hours",
        "health",
    ),
    (
        "what did POW-1 make on 3 and 4 June?",
        "POW-1 made 56 kWh from 3 June to 4 June 2025",
        "anomalies",
    ),
    (
        "energy per day of INT-1 last week",
        "Each complete day has the same energy, 21 kWh.",
        "lowest",
    ),
    (
        "compare 3 June and 4 June",
        "5 devices made the same on 3 June 2025 and on 4 June 2025, 126 kWh each.",
        ". all 5",
    ),
    (
        "top 2 inverters in June",
        "ANY-1 has no rank: its size isn't stated",
        "of 5 devices",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_device_is_answered_for_by_what_it_sends() {
    let questions: Vec<&str> = ASKED.iter().map(|(question, ..)| *question).collect();
    let answers = answers(&questions).await;
    let wrong: Vec<String> = ASKED
        .iter()
        .zip(answers)
        .filter(|((_, words, absent), text)| {
            !text.contains(words) || !absent.is_empty() && text.contains(absent)
        })
        .map(|((question, ..), text)| format!("{question}\n    {text}"))
        .collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
