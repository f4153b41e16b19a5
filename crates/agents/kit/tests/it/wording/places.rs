//! Words that claim by their place: evaluations without a fact, shares that read as rates, parts
//! that read as the whole, names that read as values. And honest words on the same facts.

use agent_kit::{
    facts::{Column, FactRegistry, Subject, Unit},
    testing::table_lines,
};
use serde_json::{Map, Value, json};

use super::{Path, table};

/// Counts of shipments, or of invoices, by what a column says.
fn counts(noun: &str, label: &str, rows: &Value, total: f64) -> Path {
    let mut facts = FactRegistry::default();
    let nouns = format!("{noun}s");
    facts.know_record_noun(noun);
    let rows: Vec<Map<String, Value>> = serde_json::from_value(rows.clone()).unwrap();
    let count = Column {
        label: &nouns,
        ..Column::new("count", true)
    };
    let delay = Column {
        label: "average delay",
        unit: Some("h"),
        ..Column::new("average_delay_hours", true)
    };
    let mut columns = vec![Column::new(label, false), count, delay];
    columns.retain(|column| rows[0].contains_key(column.name));
    let told = facts.table(&columns, &rows, "", true, |value, name| match value {
        Value::String(text) => text.clone(),
        other if name == "average_delay_hours" => format!("{other} h"),
        other => other.to_string(),
    });
    let all = facts.tell(
        Subject::Whole,
        &format!("{noun} {nouns} total"),
        Unit::Count,
        total,
    );
    facts.shares(&nouns, total);
    let told = json!({ "rows": told, "total": all, "derived": facts.derived() });
    Path { facts, told }
}

fn path(name: &str) -> Path {
    match name {
        "late" => {
            let mut path = counts("shipment", "", &json!([{ "count": 1075 }]), 1075.0);
            path.facts.hold_under("late");
            path
        }
        "statuses" => counts(
            "shipment",
            "status",
            &json!([
                { "status": "delivered", "count": 6650 },
                { "status": "in transit", "count": 1370 },
                { "status": "cancelled", "count": 152 },
            ]),
            8172.0,
        ),
        "invoices" => counts(
            "invoice",
            "status",
            &json!([
                { "status": "paid", "count": 1629 },
                { "status": "sent", "count": 93 },
                { "status": "overdue", "count": 79 },
            ]),
            1801.0,
        ),
        "carriers" => {
            let mut path = counts(
                "shipment",
                "carrier",
                &json!([
                    { "carrier": "Blue Meridian Lines", "count": 782, "average_delay_hours": 25.72 },
                    { "carrier": "Southern Star Marine", "count": 89, "average_delay_hours": 10.59 },
                    { "carrier": "Pacific Crown", "count": 59, "average_delay_hours": 10.82 },
                    { "carrier": "Nordhavn Container", "count": 56, "average_delay_hours": 10.74 },
                ]),
                986.0,
            );
            path.facts.hold_under("late");
            path.facts.hold_under("arrived");
            path
        }
        "two" => {
            let summary = |total: f64| json!({ "total": total, "daysWithData": 31 });
            Path::of(&json!({ "comparison": {
                "type": "comparison", "metric": "power", "loggerIds": ["HOF-INV-1", "HOF-INV-5"],
                "period": { "start": "2026-10-01", "end": "2026-10-31" },
                "summary": { "HOF-INV-1": summary(909.0), "HOF-INV-5": summary(545.0) },
                "totalKwh": 1454.0,
            } }))
        }
        "savings" => {
            let mut facts = FactRegistry::default();
            facts.know_today("2026-11-30".parse().unwrap());
            let told = facts.annotate(&json!({ "report": {
                "type": "financial_report", "loggerId": "all 9 devices",
                "scope": { "kind": "all", "name": "all 9 devices", "devices": 10 },
                "period": { "start": "2026-10-01", "end": "2026-10-31" },
                "totalEnergyKwh": 5623.0, "savings": 1743.04, "currency": "EUR",
                "co2OffsetKg": 2249.0, "capacityKw": 72.0, "specificYield": 78.1,
            } }));
            Path { facts, told }
        }
        "health" => Path::of(&json!({ "health": {
            "type": "anomaly_report", "loggerId": "HOF-INV-4", "daysAnalyzed": 29,
            "period": { "start": "2026-11-01", "end": "2026-11-29" },
            "healthScore": 86.2, "lostKwh": 73.5, "availabilityTime": 0.862,
        } })),
        "silent" => {
            let site = |name: &str, offline: u64, current: bool| {
                json!({ "siteId": name, "name": name, "totalLoggers": 4, "offline": offline,
                    "current": current })
            };
            Path::of(&json!({ "fleet": {
                "type": "fleet_overview", "localDate": "2026-11-30", "dateMismatch": null,
                "status": { "totalLoggers": 4, "activeLoggers": 4, "producing": 4, "asleep": 0,
                    "offline": 0, "fleetHealth": "Healthy" },
                "production": { "todayTotalEnergyKwh": 84.8 },
                "devices": [{ "loggerId": "GW-INV-001", "siteId": "park", "state": "offline" }],
                "sites": [site("Demo Solar Park", 4, false), site("Lakeside Depot", 0, true)],
            } }))
        }
        "punctual" => {
            let plain = "There are 42 shipments on time.";
            let rows = json!([{ "count": 42 }]);
            let mut path = Path::rows(&rows, &["count"], plain, None);
            path.facts.state(plain);
            path
        }
        _ => {
            assert_eq!(name, "technicians");
            Path::rows(
                &json!([{ "activeTechnicians": 10 }]),
                &["activeTechnicians"],
                "There are 10 active technicians.",
                None,
            )
        }
    }
}

#[test]
fn no_word_claims_by_its_place() {
    let attacks = table("places-attacks.txt");
    let mut reached = Vec::new();
    for (kind, name, words) in table_lines(&attacks) {
        let said = path(name).said(words);
        if !said.is_empty() {
            reached.push(format!("{kind}, {name}: {words:?} reads {said:?}"));
        }
    }
    assert!(reached.is_empty(), "{reached:#?}");
}

#[test]
fn honest_words_on_the_same_facts_are_said() {
    let honest = table("places-honest.txt");
    let mut lost = Vec::new();
    for (kind, name, words) in table_lines(&honest) {
        let said = path(name).said(words);
        if said.is_empty() || said.contains("[[") {
            lost.push(format!("{kind}, {name}: {words:?} reads {said:?}"));
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}
