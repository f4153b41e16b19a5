//! Offers of the site assistant to persons with little data: one device, no sensor, no price.

use std::fmt::Write as _;

use clap::Parser as _;
use heliograph::chat::ChatClient;
use heliograph::cli::{Cli, Command};
use heliograph::commands::import;
use reqwest::Method;
use serde_json::{Value, json};

use crate::demo_stack::{DemoStack, ask};
use crate::suggestions::{cards, follow};

/// Days of June 2025 with data.
const DAYS: u32 = 20;

/// A file of 14 hours a day, with a constant power and perhaps the sunlight.
fn file(kilowatts: f64, has_sensor: bool) -> String {
    let mut text = "time,power kW".to_owned();
    text.push_str(if has_sensor {
        ",irradiance W/m2\n"
    } else {
        "\n"
    });
    for day in 1..=DAYS {
        for quarter in 24..=80 {
            let (hour, minute) = (quarter / 4, quarter % 4 * 15);
            write!(text, "2025-06-{day:02} {hour:02}:{minute:02},{kilowatts}").unwrap();
            text.push_str(if has_sensor { ",600\n" } else { "\n" });
        }
    }
    text
}

/// Describes a site, and imports a file for each device.
async fn load(client: &ChatClient, site: Value, has_sensor: bool) {
    let devices = site["loggers"].as_array().unwrap();
    let ids: Vec<String> = devices
        .iter()
        .map(|device| device["id"].as_str().unwrap().to_owned())
        .collect();
    let body = json!({ "sites": [site] });
    let stored = client
        .request(Method::POST, "/api/sites", Some(&body))
        .await
        .unwrap();
    assert!(stored.status().is_success(), "{stored:?}");
    let folder = tempfile::tempdir().unwrap();
    for (at, id) in ids.iter().enumerate() {
        let path = folder.path().join(format!("{id}.csv"));
        let kilowatts = if at == 0 { 2.0 } else { 1.8 };
        std::fs::write(&path, file(kilowatts, has_sensor)).unwrap();
        let path = path.to_string_lossy();
        let arguments = ["heliograph", "import", "--yes", "--logger-id", id, &path];
        let cli = Cli::try_parse_from(arguments).unwrap();
        let Some(Command::Import(options)) = cli.command else {
            panic!("not an import");
        };
        import::carry_out(client, &options).await.unwrap();
    }
}

fn site(ids: &[&str], tariff: Option<f64>) -> Value {
    let loggers: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "id": id, "type": "csv", "role": "inverter", "capacity_kw": 3.0 }))
        .collect();
    let mut site = json!({
        "id": "roof", "name": "Roof", "timezone": "UTC", "currency": "EUR", "loggers": loggers,
    });
    if let Some(tariff) = tariff {
        site["tariff_per_kwh"] = json!(tariff);
    }
    site
}

/// Follows all offers of a person with such a site.
async fn offers_of(ids: &[&str], tariff: Option<f64>, has_sensor: bool) {
    let stack = DemoStack::start().await;
    let scopes = ["chat", "tools:read", "sites:write"];
    stack.create_account_with("ada", "elsewhere", &scopes).await;
    let client = stack.sign_in("ada").await;
    let client = client.with_assistant(Some("site".to_owned()));
    load(&client, site(ids, tariff), has_sensor).await;
    let briefing = ask(&client, "briefing", "Morning briefing").await;
    let offered: Vec<String> = cards(&briefing)
        .into_iter()
        .flat_map(|card| card.suggestions)
        .map(|suggestion| suggestion.action)
        .collect();
    let ratio = offered
        .iter()
        .any(|action| action.contains("performance ratio"));
    assert_eq!(ratio, has_sensor, "{offered:?}");
    follow(&client, ids, 30).await;
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_to_a_person_with_one_device_without_sensor_and_price_are_answered() {
    offers_of(&["WR-1"], None, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_to_a_person_with_two_devices_without_sensor_are_answered() {
    offers_of(&["WR-1", "WR-2"], Some(0.3), false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_to_a_person_with_one_device_and_a_sensor_are_answered() {
    offers_of(&["WR-1"], Some(0.3), true).await;
}
