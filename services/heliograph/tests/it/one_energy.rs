//! One device and day has one energy in each answer over the whole stack: card, sentence and
//! chart.

use contracts::figures;
use heliograph::chat::ChatClient;
use reqwest::Method;
use serde_json::{Value, json};

use crate::demo_stack::{DemoStack, ask};
use crate::kinds::other_roundings;

/// Questions that have the energy of one device on one day.
const ASKED: &[&str] = &[
    "How much energy did {} make on {day}?",
    "How much did {} save on {day}?",
    "How much CO2 did {} avoid on {day}?",
    "Show the power curve of {} on {day}",
    "Energy per day of {} from {day} to {day}",
    "Compare {} and {other} on energy on {day}",
    "Compare {} and {third} on energy on {day}",
    "Compare all inverters on energy on {day}",
    "top 3 inverters by energy on {day}",
];

async fn energy(client: &ChatClient, device: &str, day: &str) -> f64 {
    let arguments = json!({ "logger_id": device, "start_date": day, "end_date": day });
    let path = "/api/tools/calculate_financial_savings";
    let answer = client
        .request(Method::POST, path, Some(&arguments))
        .await
        .unwrap();
    let answer: Value = answer.json().await.unwrap();
    answer["result"]["totalEnergyKwh"].as_f64().unwrap()
}

/// The figures of a card in the places that hold the energy of a device.
fn energies(card: &Value, device: &str) -> Vec<f64> {
    let props = &card["props"];
    let of_device = |list: &Value, key: &str| -> Vec<f64> {
        let rows = list.as_array().into_iter().flatten();
        rows.filter(|row| row["loggerId"] == device)
            .filter_map(|row| row[key].as_f64())
            .collect()
    };
    let mut found = of_device(&props["loggers"], "total");
    found.extend(of_device(&props["devices"], "energyTodayKwh"));
    found.extend(props["energyGenerated"].as_f64());
    found.extend(props["summaryStats"]["totalEnergy"].as_f64());
    let rows = props["table"]["rows"].as_array().into_iter().flatten();
    found.extend(rows.filter_map(|row| row["energyKwh"].as_f64()));
    let points = props["chart"]["data"].as_array().into_iter().flatten();
    found.extend(points.filter_map(|point| point["energyKwh"].as_f64()));
    found
}

/// The energies that a text has, as they are written.
fn written(text: &str) -> Vec<String> {
    let energy = regex::Regex::new(r"[0-9][0-9,.]* kWh(/kWp| per kWp)?").unwrap();
    energy
        .find_iter(text)
        .map(|found| found.as_str().to_owned())
        .collect()
}

/// Asks each question, and checks the energy in the sentence and in the card.
async fn holds(client: &ChatClient, asked: &[&str], device: &str, partners: [&str; 2], day: &str) {
    let date = chrono::NaiveDate::parse_from_str(day, "%d %B %Y").unwrap();
    let kwh = energy(client, device, &date.to_string()).await;
    let expected = figures::energy(kwh);
    for question in asked {
        let question = question
            .replace("{day}", day)
            .replace("{other}", partners[0])
            .replace("{third}", partners[1])
            .replace("{}", device);
        let thread = question.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let reply = ask(client, &thread, &question).await;
        let text = reply.text();
        assert_eq!(other_roundings(&reply), None, "{question}: {text}");
        assert!(
            written(&text).contains(&expected),
            "{question}: {expected} of {text}"
        );
        let card = reply.input("render_ui_component").cloned();
        let card = card.unwrap_or_default();
        for shown in energies(&card, device) {
            assert!(
                (shown - kwh).abs() < 0.005,
                "{question}: {kwh}: {shown}: {card}"
            );
        }
    }
}

/// The yield of a device in a comparison, as the card has it and as the sentence writes it.
async fn specific(client: &ChatClient, device: &str, partner: &str, day: &str) -> (f64, bool) {
    let question = format!("Compare {device} and {partner} on energy on {day}");
    let reply = ask(client, &format!("s-{partner}"), &question).await;
    let card = reply.input("render_ui_component").unwrap().clone();
    let rows = card["props"]["loggers"].as_array().unwrap().clone();
    let own = rows.iter().find(|row| row["loggerId"] == device).unwrap();
    let yields = own["specificYield"].as_f64().unwrap();
    let words = figures::decimal(yields, 2);
    (yields, reply.text().contains(&words))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_and_a_day_have_one_energy_in_every_answer() {
    let stack = DemoStack::start().await;
    let user = stack.demo_user().await;
    let day = "4 December 2025";
    holds(
        &user,
        ASKED,
        "GW-INV-001",
        ["LTI-INV-001", "SD-INV-001"],
        day,
    )
    .await;
    // The day of an outage.
    let day_of_outage = "29 November 2025";
    let partners = ["GW-INV-001", "SD-INV-001"];
    let alone = &ASKED[..4];
    holds(&user, alone, "LTI-INV-001", partners, day_of_outage).await;
    let mut yields = Vec::new();
    for partner in ["LTI-INV-001", "MEIER-INV-001", "SD-INV-001"] {
        let (found, said) = specific(&user, "GW-INV-001", partner, day).await;
        assert!(said, "{partner}: {found}");
        yields.push(found);
    }
    assert!(
        yields
            .windows(2)
            .all(|two| two[0].total_cmp(&two[1]).is_eq()),
        "{yields:?}"
    );
    stack.stop().await;
}
