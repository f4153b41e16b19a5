//! The words of a model: attacks of which none gets through, and honest words of which all
//! do, on the facts of every path on which a model words an answer.

mod later;
mod places;

use std::collections::BTreeMap;

use agent_kit::{
    facts::{Column, FactRegistry, Subject, Unit},
    testing::{referring, table_lines},
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
        Self::table(rows, figures, plain, true, total)
    }

    /// The first of more rows.
    fn some_rows(rows: &Value, figures: &[&str]) -> Self {
        Self::table(rows, figures, "", false, None)
    }

    fn table(
        rows: &Value,
        figures: &[&str],
        plain: &str,
        is_whole: bool,
        total: Option<(&str, f64)>,
    ) -> Self {
        let rows: Vec<Map<String, Value>> = serde_json::from_value(rows.clone()).unwrap();
        let names: Vec<&String> = rows[0].keys().collect();
        let columns: Vec<Column<'_>> = names
            .iter()
            .map(|name| Column::new(name, figures.contains(&name.as_str())))
            .collect();
        let mut facts = FactRegistry::default();
        let told = facts.table(&columns, &rows, plain, is_whole, |value, _| match value {
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
        let words = words.replace("\\n", "\n");
        self.facts.word(&referring(&words, &request)).text
    }
}

#[expect(clippy::too_many_lines, reason = "the results of many tools")]
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
    let inverter = |id: &str, site: &str, state: &str, energy: f64| json!({ "loggerId": id, "siteId": site, "state": state, "energyTodayKwh": energy, "powerWatts": energy * 50.0 });
    let site = |name: &str, total: u64, offline: u64, energy: f64| json!({ "siteId": name.to_lowercase(), "name": name, "localDate": "2025-12-04", "powerWatts": 900.0, "energyTodayKwh": energy, "totalLoggers": total, "offline": offline, "current": true });
    let park = json!({ "status": "ok", "result": {
        "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04", "dateMismatch": null,
        "status": { "totalLoggers": 5, "activeLoggers": 3, "producing": 3, "asleep": 0, "offline": 2, "percentOnline": 60.0, "fleetHealth": "Degraded" },
        "production": { "currentTotalPowerWatts": 4800.0, "todayTotalEnergyKwh": 96.0, "siteAvgIrradiance": 410.0 },
        "devices": [inverter("LAKE-INV-1", "lakeside", "offline", 0.0), inverter("LAKE-INV-2", "lakeside", "offline", 1.0), inverter("HILL-INV-1", "hilltop", "producing", 40.0), inverter("HILL-INV-2", "hilltop", "producing", 30.0), inverter("HILL-INV-3", "hilltop", "producing", 25.0)],
        "sites": [site("Lakeside", 2, 2, 3.5), site("Hilltop", 3, 0, 92.5)],
    } });
    let compared = |total: f64, rank: u64, specific: f64| json!({ "average": total / 2.0, "peak": total * 3.0, "total": total, "specificYield": specific, "rank": rank, "daysWithData": 7 });
    let comparison = |metric: &str| {
        json!({ "comparison": {
            "type": "comparison", "metric": metric, "loggerIds": ["LAKE-INV-4", "LAKE-INV-5", "HILL-INV-1"], "date": "2025-11-28", "period": { "start": "2025-11-28", "end": "2025-12-04" },
            "data": [{ "timestamp": "2025-11-28T10:00:00+00:00", "LAKE-INV-4": 12.5, "LAKE-INV-5": 9.5, "HILL-INV-1": 7.5 }],
            "summary": { "LAKE-INV-4": compared(181.0, 3, 2.1), "LAKE-INV-5": compared(150.0, 2, 3.3), "HILL-INV-1": compared(122.0, 1, 4.4) },
            "best": "HILL-INV-1", "worst": "LAKE-INV-4", "spreadPercent": 52.0, "totalKwh": 453.0,
        } })
    };
    let month = json!({ "fleet": { "localDate": "2025-12-04", "dateMismatch": null, "production": { "todayTotalEnergyKwh": 96.0 } }, "report": {
        "type": "financial_report", "loggerId": "all", "scope": { "kind": "all", "name": "All sites", "devices": 5 }, "period": { "start": "2025-11-01", "end": "2025-11-30" },
        "totalEnergyKwh": 3011.0, "savings": 602.2, "currency": "USD", "co2OffsetKg": 1279.0,
    } });
    let week = json!({ "fleet": { "localDate": "2025-12-04", "dateMismatch": null }, "health": {
        "type": "anomaly_report", "loggerId": "LAKE-INV-1", "period": { "start": "2025-11-28", "end": "2025-12-04" }, "anomalyCount": 40, "healthScore": 71.0, "healthStatus": "critical",
        "lostKwh": 18.2, "lostMoney": { "amount": 3.64, "currency": "USD" }, "outages": 2,
        "events": [{ "kind": "outage", "start": "2025-11-29T10:00:00+00:00", "end": "2025-11-29T14:00:00+00:00", "minutes": 240.0, "lostKwh": 17.1, "lostMoney": { "amount": 3.42, "currency": "USD" } }],
        "points": { "count": 40, "first": { "timestamp": "2025-11-29T10:00:00+00:00", "activePowerWatts": 12.0, "irradiance": 612.0 }, "last": { "timestamp": "2025-11-29T13:55:00+00:00", "activePowerWatts": 55.0, "irradiance": 580.0 },
            "statistics": { "activePowerWatts": { "min": 3.0, "max": 77.0, "mean": 31.5 }, "irradiance": { "min": 511.0, "max": 650.0, "mean": 600.5 } } },
    } });
    let cut = json!({ "report": {
        "type": "financial_report", "loggerId": "all", "scope": { "kind": "all", "name": "All sites", "devices": 40 }, "period": { "start": "2025-11-01", "end": "2025-11-30" }, "savings": 812.4, "currency": "USD", "totalEnergyKwh": 4062.0,
        "devices": { "count": 40, "first": { "loggerId": "LAKE-INV-1", "savings": 33.5, "totalEnergyKwh": 167.5, "currency": "USD" }, "last": { "loggerId": "HILL-INV-9", "savings": 11.5, "totalEnergyKwh": 57.5, "currency": "USD" },
            "statistics": { "savings": { "min": 9.25, "max": 44.75, "mean": 20.31 }, "totalEnergyKwh": { "min": 46.25, "max": 223.75, "mean": 101.55 } } },
    } });
    let lakeside = json!({ "health": {
        "type": "anomaly_report", "loggerId": "lakeside", "scope": { "kind": "site", "siteId": "lakeside", "name": "Lakeside", "devices": 2 }, "period": { "start": "2025-11-28", "end": "2025-12-04" },
        "healthScore": 97.0, "healthStatus": "healthy", "lostKwh": 2.5,
    } });
    let two = json!({ "report": {
        "type": "financial_report", "loggerId": "2 devices", "scope": { "kind": "loggers", "name": "2 devices", "devices": 2 }, "period": { "start": "2025-12-01", "end": "2025-12-04" }, "totalEnergyKwh": 70.5, "savings": 14.1, "currency": "USD",
    } });
    let mut paths = BTreeMap::from([
        ("park", Path::of(&park)),
        ("energies", Path::of(&comparison("energy"))),
        ("powers", Path::of(&comparison("power"))),
        ("month", Path::of(&month)),
        ("week", Path::of(&week)),
        ("cut", Path::of(&cut)),
        ("lakeside", Path::of(&lakeside)),
        ("two", Path::of(&two)),
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
            "late",
            Path::rows(
                &json!([{ "shipments": 365 }]),
                &["shipments"],
                "365 shipments were late last month.",
                None,
            ),
        ),
        (
            "top",
            Path::some_rows(
                &json!([{ "customer": "Acme", "revenue": 900, "place": 1 }, { "customer": "Bolt", "revenue": 700, "place": 2 }, { "customer": "Cog", "revenue": 650, "place": 3 }]),
                &["revenue", "place"],
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
    ]);
    paths.extend(later::paths());
    paths
}

/// A table of words: kind or style, path, words.
fn table(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/wording");
    std::fs::read_to_string(folder.join(name)).unwrap()
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
    let attacks = table("attacks.txt");
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut reached = Vec::new();
    for (kind, path, words) in table_lines(&attacks) {
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
    assert!(all >= 1_130, "{all}");
    assert!(reached.is_empty(), "{reached:#?}");
}

#[test]
fn honest_words_in_every_style_reach_a_person() {
    let paths = paths();
    let honest = table("honest.txt");
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut lost = Vec::new();
    for (style, path, words) in table_lines(&honest) {
        let said = paths[path].said(words);
        let count = counts.entry(style).or_default();
        count.0 += 1;
        // Each sentence of the words is one of the text.
        let whole = agent_kit::prose::sentences(&said).len()
            == agent_kit::prose::sentences(&words.replace("\\n", "\n")).len();
        if whole && !said.contains("[[") {
            count.1 += 1;
        } else {
            lost.push(format!("{style}, {path}: {words:?} reads {said:?}"));
        }
    }
    report("style", &counts);
    let all: usize = counts.values().map(|(all, _)| all).sum();
    assert!(all >= 420, "{all}");
    assert!(lost.is_empty(), "{lost:#?}");
}
