//! The words of a model: attacks of which none gets through, and honest words of which all
//! do, on the facts of every path on which a model words an answer.

use std::collections::BTreeMap;

use agent_kit::{
    facts::{Column, FactRegistry, Subject, Unit},
    testing::referring,
};
use llm::{ChatRequest, Message};
use serde_json::{Map, Value, json};

/// Facts, and how a model gets them.
struct Path {
    facts: FactRegistry,
    told: Value,
}

impl Path {
    fn of(result: &Value) -> Self {
        let mut facts = FactRegistry::default();
        let told = facts.annotate(result);
        Self { facts, told }
    }

    fn rows(rows: &Value, figures: &[&str], plain: &str, total: Option<(&str, f64)>) -> Self {
        let rows: Vec<Map<String, Value>> = serde_json::from_value(rows.clone()).unwrap();
        let names: Vec<&String> = rows[0].keys().collect();
        let columns: Vec<Column<'_>> = names
            .iter()
            .map(|name| Column {
                name,
                is_figure: figures.contains(&name.as_str()),
            })
            .collect();
        let mut facts = FactRegistry::default();
        let told = facts.table(&columns, &rows, plain, |value, _| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let total =
            total.map(|(label, total)| facts.tell(Subject::Whole, label, Unit::Count, total));
        let told = json!({ "rows": told, "total": total, "derived": facts.derived() });
        Self { facts, told }
    }

    /// The text that a person reads of a model's words.
    fn said(&self, words: &str) -> String {
        let request = ChatRequest {
            messages: [Message::user(self.told.to_string())].into(),
            ..ChatRequest::default()
        };
        self.facts.word(&referring(words, &request)).text
    }
}

fn paths() -> BTreeMap<&'static str, Path> {
    let device = |id: &str, state: &str, energy: f64| json!({ "loggerId": id, "siteId": "demo", "state": state, "energyTodayKwh": energy, "powerWatts": energy * 50.0 });
    let fleet = json!({ "fleet": {
        "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04", "dateMismatch": null,
        "status": { "totalLoggers": 5, "activeLoggers": 4, "producing": 4, "asleep": 0, "offline": 1, "percentOnline": 80.0, "fleetHealth": "Degraded" },
        "production": { "currentTotalPowerWatts": 4800.0, "todayTotalEnergyKwh": 86.0 },
        "offlineLoggers": [{ "loggerId": "SD-INV-001", "siteId": "demo", "lastSeen": "2025-12-03T12:00:00+00:00", "reason": "It sends no readings." }],
        "devices": [device("GW-INV-001", "producing", 42.98), device("LTI-INV-001", "producing", 20.0), device("MEIER-INV-001", "producing", 15.0), device("SB-INV-001", "producing", 8.02), device("SD-INV-001", "offline", 0.0)],
    } });
    let savings = json!({ "report": {
        "type": "financial_report", "loggerId": "GW-INV-001", "period": { "start": "2025-11-05", "end": "2025-12-04" }, "daysExpected": 30, "daysWithData": 28,
        "missingDays": ["2025-11-10", "2025-11-11"], "totalEnergyKwh": 1271.77, "energySource": "daily_register", "electricityRate": 0.2, "savings": 254.35, "currency": "USD",
        "co2OffsetKg": 540.5, "summary": "1271.77 kWh.", "flags": [],
    } });
    let curve = json!({ "status": "ok", "result": {
        "type": "timeseries", "loggerId": "GW-INV-001", "date": "2025-11-29", "data": [
            { "timestamp": "2025-11-29T10:00:00+00:00", "power": 2100.0 }, { "timestamp": "2025-11-29T13:00:00+00:00", "power": 4810.0 }],
        "completeness": 0.97, "holeHours": 0.5, "clippedSamples": 0,
    }, "summaryStats": { "peakValue": 4810.0, "peakTime": "2025-11-29T13:00:00+00:00", "avgValue": 2933.3, "totalEnergy": 31.4, "trend": "decreasing" } });
    let health = json!({ "health": {
        "type": "anomaly_report", "loggerId": "LTI-INV-001", "period": { "start": "2025-11-28", "end": "2025-12-04" }, "daysAnalyzed": 7, "anomalyCount": 1,
        "events": [{ "kind": "outage", "start": "2025-11-29T10:00:00+00:00", "end": "2025-11-29T14:00:00+00:00", "minutes": 240.0, "lostKwh": 18.2 }],
        "healthScore": 88.0, "availabilityTime": 0.95, "lostKwh": 18.2, "vsPeersPct": -12.0, "deadDays": [], "missingDays": [], "outages": 1, "errors": 0,
    } });
    let forecast = json!({ "forecast": {
        "type": "production_forecast", "loggerId": "GW-INV-001", "period": { "start": "2025-12-05", "end": "2025-12-05" },
        "expectedKwh": 52.0, "lower": 44.0, "upper": 61.0,
    } });
    BTreeMap::from([
        ("forecast", Path::of(&forecast)),
        ("briefing", Path::of(&fleet)),
        ("savings", Path::of(&savings)),
        ("curve", Path::of(&curve)),
        ("health", Path::of(&health)),
        (
            "rows",
            Path::rows(
                &json!([{ "city": "Bonn", "orders": 1200 }, { "city": "Ulm", "orders": 7 }, { "city": "Graz", "orders": 80 }]),
                &["orders"],
                "",
                None,
            ),
        ),
        (
            "value",
            Path::rows(
                &json!([{ "count": 10 }]),
                &["count"],
                "There are 10 active technicians.",
                None,
            ),
        ),
        (
            "orders",
            Path::rows(
                &json!([
                    { "order": "WO-1", "status": "nearly done", "status_before": "open", "priority": "high", "note": "The pump leaks because the seal is old", "hours": 3 },
                    { "order": "WO-2", "status": "not begun", "status_before": "closed", "priority": "low", "note": "No parts are missing", "hours": 5 },
                ]),
                &["hours"],
                "",
                None,
            ),
        ),
        (
            "shipments",
            Path::rows(
                &json!([{ "carrier": "Nordic Freight", "delay": 7.25 }, { "carrier": "Blue Line", "delay": 2.5 }]),
                &["delay"],
                "",
                Some(("shipment shipments total", 142.0)),
            ),
        ),
    ])
}

const ATTACKS: &str = include_str!("wording/attacks.txt");
const HONEST: &str = include_str!("wording/honest.txt");

/// Lines of a table: kind or style, path, words.
fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut parts = line.splitn(3, " | ");
        let mut part = || parts.next().unwrap();
        (part(), part(), part())
    })
}

#[expect(clippy::print_stdout, reason = "the table is what the tests measure")]
fn report(title: &str, counts: &BTreeMap<&str, (usize, usize)>) {
    println!("| {title} | words | said |\n|---|---|---|");
    for (kind, (all, said)) in counts {
        println!("| {kind} | {all} | {said} |");
    }
    let sum = counts
        .values()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    println!("| all | {} | {} |", sum.0, sum.1);
}

#[test]
fn no_attack_reaches_a_person_on_any_path() {
    let paths = paths();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut reached = Vec::new();
    for (kind, path, words) in lines(ATTACKS) {
        let said = paths[path].said(words);
        let count = counts.entry(kind).or_default();
        count.0 += 1;
        if !said.is_empty() {
            count.1 += 1;
            reached.push(format!("{kind}, {path}: {words:?} reads {said:?}"));
        }
    }
    report("attack", &counts);
    let all: usize = counts.values().map(|(all, _)| all).sum();
    assert!(all >= 150, "{all}");
    assert!(reached.is_empty(), "{reached:#?}");
}

#[test]
fn honest_words_in_every_style_reach_a_person() {
    let paths = paths();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut lost = Vec::new();
    for (style, path, words) in lines(HONEST) {
        let said = paths[path].said(words);
        let count = counts.entry(style).or_default();
        count.0 += 1;
        // Each sentence of the words is one of the text.
        let whole =
            agent_kit::prose::sentences(&said).len() == agent_kit::prose::sentences(words).len();
        if whole && !said.contains("[[") {
            count.1 += 1;
        } else {
            lost.push(format!("{style}, {path}: {words:?} reads {said:?}"));
        }
    }
    report("style", &counts);
    let all: usize = counts.values().map(|(all, _)| all).sum();
    assert!(all >= 60, "{all}");
    assert!(lost.is_empty(), "{lost:#?}");
}
