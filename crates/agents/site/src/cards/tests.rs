use contracts::{
    tools::{AnomalyReport, Comparison, FleetOverview},
    ui::{AlertType, HealthWord, UiComponent},
};
use serde_json::{Value, json};

use super::{fleet_card, reports::health_word, *};
use crate::findings::Diagnostics;

fn health(score: Option<f64>, count: u64, severity: Option<&str>) -> AnomalyReport {
    let anomalies: Vec<_> = severity
        .map(|severity| {
            json!({ "timestamp": "2025-11-29T10:00:00+00:00", "type": "outage", "description": "Out.", "severity": severity, "power": null, "irradiance": null })
        })
        .into_iter()
        .collect();
    serde_json::from_value(json!({
        "type": "anomaly_report", "loggerId": "A", "period": { "start": "2025-11-28", "end": "2025-12-04" }, "daysAnalyzed": 7, "totalRecords": 1,
        "anomalyCount": count, "anomalies": anomalies, "points": [], "events": [], "healthScore": score, "availabilityTime": null,
        "availabilityEnergy": null, "sunHours": 0.0, "lostKwh": 0.0, "lostMoney": null, "deadDays": [], "missingDays": [], "flags": [],
    }))
    .unwrap()
}

#[test]
fn what_can_not_be_judged_is_never_healthy() {
    for (score, count, severity, expected) in [
        (Some(100.0), 0, None, HealthWord::Healthy),
        (Some(90.0), 1, Some("low"), HealthWord::Warning),
        (Some(94.0), 1, Some("high"), HealthWord::Warning),
        (Some(60.0), 0, None, HealthWord::Critical),
        (None, 0, None, HealthWord::Unknown),
        (None, 2, Some("low"), HealthWord::Unknown),
    ] {
        assert_eq!(
            health_word(&health(score, count, severity)),
            expected,
            "{score:?} {count} {severity:?}"
        );
    }
}

fn fleet(value: &Value) -> FleetOverview {
    let mut overview = json!({
        "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04",
        "status": { "totalLoggers": 2, "activeLoggers": 1, "producing": 1, "asleep": 0, "offline": 1, "percentOnline": 50.0, "fleetHealth": "Critical" },
        "production": { "currentTotalPowerWatts": 1200.0, "todayTotalEnergyKwh": 86.0, "siteAvgIrradiance": null, "specificYield": null },
        "summary": "", "dateMismatch": null, "oldestReadingMinutes": null, "energySource": "power", "offlineLoggers": [], "devices": [], "sites": [], "flags": [],
    });
    overview
        .as_object_mut()
        .unwrap()
        .extend(value.as_object().unwrap().clone());
    serde_json::from_value(overview).unwrap()
}

#[test]
fn everything_unusual_is_an_alert() {
    let device = |id: &str, flag: &str| {
        json!({
            "loggerId": id, "loggerType": "goodwe", "siteId": "demo", "role": "inverter", "state": "producing", "powerWatts": null, "energyTodayKwh": null,
            "energySource": null, "specificYield": null, "lastSeen": null, "ageMinutes": null, "flags": [flag],
        })
    };
    let overview = fleet(&json!({
        "offlineLoggers": [{ "loggerId": "A", "siteId": "demo", "lastSeen": null, "reason": "silent since noon" }],
        "devices": [device("B", "dead_day"), device("C", "dead_day"), device("D", "few_days")],
        "dateMismatch": { "requestedDate": "2026-01-04", "actualDataDate": "2025-12-04", "daysDifference": 31, "isHistorical": true },
    }));
    let UiComponent::FleetOverview(card) = fleet_card(&overview, &Diagnostics::default()) else {
        panic!("a fleet card")
    };
    let kinds: Vec<_> = card.alerts.iter().map(|alert| alert.kind).collect();
    assert_eq!(
        kinds,
        [AlertType::Error, AlertType::Warning, AlertType::Info]
    );
    assert!(card.alerts[0].message.contains("silent since noon"));
    assert!(
        card.alerts[1].message.contains("B and C"),
        "{}",
        card.alerts[1].message
    );
    assert!(
        card.alerts[2].message.contains("31 days"),
        "{}",
        card.alerts[2].message
    );
    assert_eq!((card.total_power, card.online_count), (1200.0, 1));
}

/// A minute after midnight the newest reading is of the day before, and no day old.
#[test]
fn the_fleet_card_says_yesterday_for_the_day_before() {
    let overview = fleet(&json!({
        "dateMismatch": { "requestedDate": "2025-12-05", "actualDataDate": "2025-12-04", "daysDifference": 1, "isHistorical": true },
    }));
    let UiComponent::FleetOverview(card) = fleet_card(&overview, &Diagnostics::default()) else {
        panic!("a fleet card")
    };
    let message = &card.alerts.last().unwrap().message;
    assert_eq!(
        message,
        "The newest data are of yesterday, 4 December 2025."
    );
}

/// A site that stopped long ago and a meter beside inverters are in no count, so the card neither
/// lists them nor warns of what they did when they last sent something.
#[test]
fn the_fleet_card_lists_the_devices_that_it_counts() {
    let device = |id: &str, site: &str, counted: bool| {
        json!({
            "loggerId": id, "loggerType": "goodwe", "siteId": site, "role": "inverter", "state": "producing", "counted": counted, "powerWatts": null,
            "energyTodayKwh": 9.0, "energySource": null, "specificYield": null, "lastSeen": null, "ageMinutes": null, "flags": ["dead_day"],
        })
    };
    let site = |id: &str, current: bool| {
        json!({
            "siteId": id, "name": id, "timezone": "UTC", "anchor": null, "powerWatts": 0.0, "energyTodayKwh": 0.0, "totalLoggers": 1, "offline": 0,
            "night": false, "current": current,
        })
    };
    let overview = fleet(&json!({
        "devices": [device("A", "new", true), device("OLD", "old", false), device("METER", "new", false), device("B", "new", true)],
        "sites": [site("new", true), site("old", false)],
    }));
    let UiComponent::FleetOverview(card) = fleet_card(&overview, &Diagnostics::default()) else {
        panic!("a fleet card")
    };
    let listed: Vec<_> = card
        .devices
        .iter()
        .map(|one| one.logger_id.as_str())
        .collect();
    assert_eq!(listed, ["A", "B"]);
    let warned = &card.alerts.last().unwrap().message;
    assert!(
        warned.contains("METER") && !warned.contains("OLD"),
        "{warned}"
    );
}

#[test]
fn a_device_without_values_is_no_series_of_a_comparison() {
    let figures = json!({
        "average": 1.0, "peak": 1.0, "total": 1.0, "specificYield": 1.0, "capacityKw": null, "vsMedianPct": null, "robustZ": null, "commonRecords": 1,
    });
    let comparison: Comparison = serde_json::from_value(json!({
        "type": "comparison", "metric": "power", "loggerIds": ["A", "B"], "date": "2025-12-04", "period": { "start": "2025-12-04", "end": "2025-12-04" },
        "recordCount": 1, "data": [{ "timestamp": "2025-12-04T12:00:00+00:00", "A": 1.0 }], "summary": { "A": figures }, "basis": "absolute",
        "best": null, "worst": null, "spreadPercent": null, "underperformers": [], "flags": [],
    }))
    .unwrap();
    let shown = card(comparison_chart(&comparison), Vec::new());
    assert_eq!(shown.validate(), Vec::<String>::new());
    let UiComponent::ComparisonChart(chart) = shown.component else {
        panic!("a comparison")
    };
    assert_eq!(
        (
            chart.series.len(),
            chart.loggers.len(),
            chart.logger_ids.len()
        ),
        (1, 1, 2)
    );
}
