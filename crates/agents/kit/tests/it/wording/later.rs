//! More paths: availability, delays, silent sites, meters, sizes that are guessed, averages, and
//! counts with conditions.

use serde_json::json;

use super::Path;

pub(super) fn paths() -> Vec<(&'static str, Path)> {
    let period = json!({ "start": "2025-11-28", "end": "2025-12-04" });
    let times = json!({ "health": {
        "type": "anomaly_report", "loggerId": "LTI-INV-002", "period": period, "daysAnalyzed": 7, "anomalyCount": 0,
        "healthScore": 91.0, "availabilityTime": 0.95, "availabilityEnergy": 0.88, "lostKwh": 6.0, "gapCount": 2, "gapHours": 3.0, "outages": 0,
    } });
    let device = |id: &str, role: &str, energy: f64| json!({ "loggerId": id, "siteId": "roof", "role": role, "state": "producing", "energyTodayKwh": energy });
    let silent = json!({ "fleet": {
        "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04", "dateMismatch": null,
        "status": { "totalLoggers": 2, "activeLoggers": 2, "producing": 2, "asleep": 0, "offline": 0, "percentOnline": 100.0, "fleetHealth": "Healthy" },
        "production": { "currentTotalPowerWatts": 1800.0, "todayTotalEnergyKwh": 30.0 },
        "devices": [device("ROOF-INV-1", "inverter", 18.0), device("ROOF-INV-2", "inverter", 12.0)],
        "sites": [
            { "siteId": "roof", "name": "Roof", "localDate": "2025-12-04", "energyTodayKwh": 30.0, "totalLoggers": 2, "offline": 0, "current": true },
            { "siteId": "barn", "name": "Barn", "localDate": "2025-11-02", "energyTodayKwh": 0.0, "totalLoggers": 3, "offline": 3, "current": false },
        ],
    } });
    let logger = |id: &str, role: &str, capacity: Option<f64>| json!({ "loggerId": id, "role": role, "capacityKw": capacity, "capacityBasis": "configured" });
    let loggers: Vec<_> = (1..10)
        .map(|at| {
            let capacity = f64::from(at) + 4.0;
            logger(&format!("LAKE-INV-{at}"), "inverter", Some(capacity))
        })
        .chain([logger("LAKE-MTR-1", "meter", None)])
        .collect();
    let meter = json!({ "devices": { "type": "logger_list", "count": 10, "loggers": loggers } });
    let sized = json!({ "devices": { "type": "logger_list", "count": 2, "loggers": [
        { "loggerId": "LAKE-INV-4", "role": "inverter", "capacityKw": 8.4, "capacityBasis": "inferred" },
        { "loggerId": "LAKE-INV-5", "role": "inverter", "capacityKw": 10.0, "capacityBasis": "configured" },
    ] } });
    let all = json!({ "performance": {
        "type": "performance_report", "loggerId": "all", "scope": { "kind": "all", "name": "All sites", "devices": 5 }, "period": period,
        "metrics": { "avgPowerWatts": 4100.0, "peakPowerWatts": 9500.0, "totalEnergyKwh": 600.0 },
    } });
    let usual = json!({ "report": {
        "loggerId": "GW-INV-001", "period": period, "totalEnergyKwh": 210.0, "averageKwh": 30.0, "minKwh": 12.0, "maxKwh": 45.0,
    } });
    let stale = json!({ "fleet": {
        "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04", "dateMismatch": null,
        "devices": [{ "loggerId": "SD-INV-001", "siteId": "roof", "state": "offline", "energyTodayKwh": 0.0 }],
    }, "health": {
        "type": "anomaly_report", "loggerId": "SD-INV-001", "period": period, "anomalyCount": 0, "healthScore": 97.0, "healthStatus": "healthy",
    } });
    vec![
        ("stale", Path::of(&stale)),
        ("times", Path::of(&times)),
        ("silent", Path::of(&silent)),
        ("meter", Path::of(&meter)),
        ("sized", Path::of(&sized)),
        ("all", Path::of(&all)),
        ("usual", Path::of(&usual)),
        (
            "delays",
            Path::rows(
                &json!([{ "carrier": "Nordic Freight", "delay_hours": 7.25, "transit_hours": 52 }, { "carrier": "Blue Line", "delay_hours": 2.5, "transit_hours": 40 }]),
                &["delay_hours", "transit_hours"],
                "",
                None,
            ),
        ),
        (
            "ranked",
            Path::rows(
                &json!([{ "customer": "Acme", "revenue": 900, "place": 1 }, { "customer": "Bolt", "revenue": 700, "place": 2 }, { "customer": "Cog", "revenue": 650, "place": 3 }]),
                &["revenue", "place"],
                "",
                None,
            ),
        ),
        (
            "unpaid",
            Path::rows(
                &json!([{ "overdue": 3 }]),
                &["overdue"],
                "Kaiser has 3 overdue invoices since last month.",
                None,
            ),
        ),
    ]
}
