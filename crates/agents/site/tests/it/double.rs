//! Scripted tools: a small fleet with a month of data, and whatever a test needs to go wrong with
//! it.

use std::{
    collections::VecDeque,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use agent_kit::{Tools, ToolsError};
use async_trait::async_trait;
use chrono::NaiveDate;
use contracts::tools::{
    AvailableRange, LoggerList, LoggerSummary, Period, ToolDefinition, ToolEnvelope, ToolStatus,
    names, solar_definitions,
};
use serde::Serialize;
use serde_json::{Value, json};

/// The first and last day of the data.
pub(crate) fn data_range() -> AvailableRange {
    AvailableRange {
        start: day("2025-11-05"),
        end: day("2025-12-04"),
    }
}

pub(crate) fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// How one call ends, instead of as usual.
#[derive(Clone)]
pub(crate) enum Ending {
    Status(ToolStatus, &'static str),
    Fails(ToolsError),
    Answers(Value),
    Hangs,
}

struct Script {
    tool: &'static str,
    logger: Option<&'static str>,
    endings: VecDeque<Ending>,
    forever: Option<Ending>,
}

/// The tools of one person.
#[derive(Default)]
pub(crate) struct Double {
    loggers: Mutex<Vec<LoggerSummary>>,
    scripts: Mutex<Vec<Script>>,
    calls: Mutex<Vec<(String, Value)>>,
    offline: Mutex<Vec<&'static str>>,
    unlisted: AtomicBool,
}

impl Double {
    /// Four inverters, as in the demo data.
    pub(crate) fn new() -> Arc<Self> {
        let double = Self::default();
        *double.loggers.lock().unwrap() = [
            ("GW-INV-001", "goodwe"),
            ("LTI-INV-001", "lti"),
            ("MEIER-INV-001", "meier"),
            ("SD-INV-001", "smartdog"),
        ]
        .map(|(id, kind)| logger(id, kind))
        .into();
        Arc::new(double)
    }

    pub(crate) fn with_loggers(loggers: Vec<LoggerSummary>) -> Arc<Self> {
        let double = Self::default();
        *double.loggers.lock().unwrap() = loggers;
        Arc::new(double)
    }

    /// The next call of the tool ends so.
    pub(crate) fn once(self: &Arc<Self>, tool: &'static str, ending: Ending) -> Arc<Self> {
        self.script(tool, None, Some(ending), None)
    }

    /// Every call of the tool ends so.
    pub(crate) fn always(self: &Arc<Self>, tool: &'static str, ending: Ending) -> Arc<Self> {
        self.script(tool, None, None, Some(ending))
    }

    /// Every call of the tool for this device ends so.
    pub(crate) fn always_for(
        self: &Arc<Self>,
        tool: &'static str,
        logger: &'static str,
        ending: Ending,
    ) -> Arc<Self> {
        self.script(tool, Some(logger), None, Some(ending))
    }

    fn script(
        self: &Arc<Self>,
        tool: &'static str,
        logger: Option<&'static str>,
        once: Option<Ending>,
        forever: Option<Ending>,
    ) -> Arc<Self> {
        self.scripts.lock().unwrap().push(Script {
            tool,
            logger,
            endings: once.into_iter().collect(),
            forever,
        });
        Arc::clone(self)
    }

    /// The tool definitions are not listed.
    pub(crate) fn without_definitions(self: &Arc<Self>) -> Arc<Self> {
        self.unlisted.store(true, Ordering::Relaxed);
        Arc::clone(self)
    }

    /// Everything works again.
    pub(crate) fn heal(&self) {
        self.scripts.lock().unwrap().clear();
    }

    pub(crate) fn offline(self: &Arc<Self>, loggers: &[&'static str]) -> Arc<Self> {
        *self.offline.lock().unwrap() = loggers.to_vec();
        Arc::clone(self)
    }

    /// The calls made since the last time this was asked.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    /// The same, of one tool, arguments only.
    pub(crate) fn calls_of(&self, tool: &str) -> Vec<Value> {
        self.calls()
            .into_iter()
            .filter(|(name, _)| name == tool)
            .map(|(_, arguments)| arguments)
            .collect()
    }

    fn ending(&self, tool: &str, arguments: &Value) -> Option<Ending> {
        let mut scripts = self.scripts.lock().unwrap();
        let fits = |script: &&mut Script| {
            script.tool == tool
                && script
                    .logger
                    .is_none_or(|logger| arguments["logger_id"] == logger)
                && (script.forever.is_some() || !script.endings.is_empty())
        };
        let script = scripts.iter_mut().find(fits)?;
        script
            .endings
            .pop_front()
            .or_else(|| script.forever.clone())
    }

    fn usual(&self, tool: &str, arguments: &Value) -> ToolEnvelope {
        let loggers = self.loggers.lock().unwrap().clone();
        let text = |name: &str| arguments[name].as_str().map(str::to_owned);
        let ids: Vec<String> = match &arguments["logger_ids"] {
            Value::Array(ids) => ids
                .iter()
                .map(|id| id.as_str().unwrap().to_owned())
                .collect(),
            _ => text("logger_id").into_iter().collect(),
        };
        if ids.iter().any(|id| {
            !loggers
                .iter()
                .any(|logger| logger.logger_id == *id && logger.latest_data.is_some())
        }) {
            return ToolEnvelope::without_result(
                ToolStatus::NoData,
                format!("There are no data of {}.", ids.join(", ")),
            );
        }
        let range = data_range();
        let end = text("date").or(text("end_date")).map(|text| day(&text));
        let start = text("start_date").or(text("date")).map(|text| day(&text));
        let end = text("end_date").map(|text| day(&text)).or(end);
        if end.is_some_and(|end| end < range.start)
            || start.or(end).is_some_and(|start| start > range.end)
        {
            return ToolEnvelope {
                available_range: Some(range),
                ..ToolEnvelope::without_result(
                    ToolStatus::NoDataInWindow,
                    "There are no data in this window.",
                )
            };
        }
        if tool == names::ANALYZE_INVERTER_HEALTH && arguments["logger_id"].is_null() {
            return self.health_of_several(&ids, arguments);
        }
        ok(tool, arguments, &loggers, &self.offline.lock().unwrap())
    }

    /// The tool's answer about several devices; a script's answer for one of them leaves it out.
    fn health_of_several(&self, ids: &[String], arguments: &Value) -> ToolEnvelope {
        let (mut devices, mut left_out) = (Vec::new(), Vec::new());
        for id in ids {
            let (status, message) =
                match self.ending(names::ANALYZE_INVERTER_HEALTH, &json!({ "logger_id": id })) {
                    None => {
                        devices.push(health(&json!(id), arguments));
                        continue;
                    }
                    Some(Ending::Status(status, message)) => (status, message),
                    Some(_) => (ToolStatus::Error, "It could not be judged."),
                };
            left_out.push(json!({ "loggerId": id, "status": status, "message": message }));
        }
        let mut total = health(&json!("several"), arguments);
        total["scope"] = json!({ "kind": "loggers", "name": "several", "devices": ids.len() });
        total["devices"] = json!(devices);
        total["leftOut"] = json!(left_out);
        ToolEnvelope::ok(total)
    }
}

#[async_trait]
impl Tools for Double {
    async fn call(&self, name: &str, arguments: Value) -> Result<ToolEnvelope, ToolsError> {
        self.calls
            .lock()
            .unwrap()
            .push((name.to_owned(), arguments.clone()));
        match self.ending(name, &arguments) {
            None => Ok(self.usual(name, &arguments)),
            Some(Ending::Status(status, message)) => Ok(ToolEnvelope {
                available_range: (status == ToolStatus::NoDataInWindow).then(data_range),
                ..ToolEnvelope::without_result(status, message)
            }),
            Some(Ending::Fails(error)) => Err(error),
            Some(Ending::Answers(result)) => Ok(ToolEnvelope::ok(result)),
            Some(Ending::Hangs) => std::future::pending().await,
        }
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        static DEFINITIONS: LazyLock<Arc<[ToolDefinition]>> =
            LazyLock::new(|| solar_definitions().into());
        if self.unlisted.load(Ordering::Relaxed) {
            return Err(ToolsError::Unavailable);
        }
        Ok(Arc::clone(&DEFINITIONS))
    }
}

pub(crate) fn logger(id: &str, kind: &str) -> LoggerSummary {
    serde_json::from_value(json!({
        "loggerId": id, "loggerType": kind, "role": "inverter", "siteId": "demo", "siteName": "Demo site", "timezone": "UTC",
        "earliestData": "2025-11-05T06:00:00+00:00", "latestData": "2025-12-04T19:55:00+00:00", "recordCount": 7938,
        "stepMinutes": 5.0, "hasIrradiance": true, "irradianceBasis": "poa", "hasRegister": true,
        "capacityKw": 5.0, "capacityBasis": "configured",
    }))
    .unwrap()
}

fn ok(tool: &str, arguments: &Value, loggers: &[LoggerSummary], offline: &[&str]) -> ToolEnvelope {
    let id = arguments["logger_id"].clone();
    let newest = data_range().end;
    let result = match tool {
        names::LIST_LOGGERS => value(LoggerList {
            kind: "logger_list".to_owned(),
            count: loggers.len() as u64,
            loggers: loggers.to_vec(),
        }),
        names::GET_FLEET_OVERVIEW => fleet(loggers, offline),
        names::ANALYZE_INVERTER_HEALTH => health(&id, arguments),
        names::GET_POWER_CURVE => return curve(&id, &arguments["date"]),
        names::COMPARE_LOGGERS => comparison(arguments),
        names::CALCULATE_FINANCIAL_SAVINGS => {
            of_several(loggers, arguments, |id| savings(id, arguments))
        }
        names::CALCULATE_PERFORMANCE_RATIO => {
            of_several(loggers, arguments, |id| ratio(id, &arguments["date"]))
        }
        names::FORECAST_PRODUCTION => {
            forecast(&id, arguments["days_ahead"].as_u64().unwrap_or(1), newest)
        }
        names::DIAGNOSE_ERROR_CODES => of_several(loggers, arguments, errors),
        names::GET_ENERGY_HISTORY => history(arguments),
        names::HEALTH_CHECK => {
            json!({ "type": "health_check", "status": "healthy", "database": "healthy", "pool_stats": null })
        }
        other => panic!("no such tool: {other}"),
    };
    ToolEnvelope::ok(result)
}

/// A report on one device, or its figures times their number with each of them below, as the tools
/// report several.
fn of_several(loggers: &[LoggerSummary], arguments: &Value, of: impl Fn(&Value) -> Value) -> Value {
    if arguments["logger_id"].is_string() {
        return of(&arguments["logger_id"]);
    }
    let named = arguments["logger_ids"].as_array();
    let site = arguments["site_id"].as_str();
    let devices: Vec<Value> = loggers
        .iter()
        .filter(|logger| site.is_none_or(|site| logger.site_id == site))
        .map(|logger| json!(logger.logger_id))
        .filter(|id| named.is_none_or(|named| named.contains(id)))
        .map(|id| of(&id))
        .collect();
    let kind = match (named, site) {
        (Some(_), _) => "loggers",
        (None, Some(_)) => "site",
        (None, None) => "all",
    };
    let mut total = devices[0].clone();
    let here = loggers
        .iter()
        .find(|logger| Some(logger.site_id.as_str()) == site);
    let name = here.map_or_else(
        || format!("{} devices", devices.len()),
        |one| one.site_name.clone(),
    );
    total["loggerId"] = json!(name);
    total["scope"] =
        json!({ "kind": kind, "siteId": site, "name": name, "devices": devices.len() });
    for sum in [
        "totalEnergyKwh",
        "savings",
        "savingsUsd",
        "co2OffsetKg",
        "daysExpected",
        "daysWithData",
    ] {
        if total[sum].is_u64() {
            total[sum] = json!(total[sum].as_u64().unwrap() * devices.len() as u64);
        } else if total[sum].is_f64() {
            total[sum] = json!(total[sum].as_f64().unwrap() * devices.len() as f64);
        }
    }
    total["devices"] = json!(devices);
    total
}

fn value(of: impl Serialize) -> Value {
    serde_json::to_value(of).unwrap()
}

fn fleet(loggers: &[LoggerSummary], offline: &[&str]) -> Value {
    let total = loggers.len();
    let down = offline.len();
    let percent = if total == 0 {
        0.0
    } else {
        100.0 * (total - down) as f64 / total as f64
    };
    let devices: Vec<_> = loggers
        .iter()
        .map(|logger| {
            let off = offline.contains(&logger.logger_id.as_str());
            json!({
                "loggerId": logger.logger_id, "loggerType": logger.logger_type, "siteId": "demo", "role": "inverter",
                "state": if off { "offline" } else { "producing" }, "powerWatts": if off { 0.0 } else { 1200.0 },
                "energyTodayKwh": 21.5, "energySource": "daily_register", "specificYield": 4.3,
                "lastSeen": "2025-12-04T15:00:00+00:00", "ageMinutes": 5.0, "flags": [],
            })
        })
        .collect();
    json!({
        "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04",
        "status": { "totalLoggers": total, "activeLoggers": total - down, "producing": total - down, "asleep": 0, "offline": down,
            "percentOnline": percent, "fleetHealth": if down == 0 { "Healthy" } else { "Degraded" } },
        "production": { "currentTotalPowerWatts": 1200.0 * (total - down) as f64, "todayTotalEnergyKwh": 86.0, "siteAvgIrradiance": 410.0, "specificYield": 4.3 },
        "summary": "The fleet delivers.", "dateMismatch": null, "oldestReadingMinutes": 5.0, "energySource": "daily_register",
        "offlineLoggers": offline.iter().map(|id| json!({ "loggerId": id, "siteId": "demo", "lastSeen": "2025-12-03T12:00:00+00:00", "reason": "It sends no readings; last power reading 2025-12-03 12:00." })).collect::<Vec<_>>(),
        "devices": devices, "sites": [], "flags": [],
    })
}

fn health(id: &Value, arguments: &Value) -> Value {
    let days = arguments["days"].as_u64().unwrap_or(7);
    let end = arguments["end_date"].as_str().map_or(data_range().end, day);
    let faulty = id == "LTI-INV-001";
    let anomaly = json!({
        "timestamp": "2025-11-29T10:00:00+00:00", "type": "outage", "description": "No power for 4 hours in full sun.",
        "severity": "high", "power": 0.0, "irradiance": 720.0,
    });
    let event = json!({
        "kind": "outage", "start": "2025-11-29T10:00:00+00:00", "end": "2025-11-29T14:00:00+00:00", "minutes": 240.0,
        "lostKwh": 18.2, "evidence": "0 W at 720 W/m².",
    });
    json!({
        "type": "anomaly_report", "loggerId": id, "period": Period { start: end - chrono::Days::new(days - 1), end },
        "daysAnalyzed": days, "totalRecords": 1850, "anomalyCount": i32::from(faulty),
        "anomalies": if faulty { vec![anomaly] } else { vec![] }, "points": [], "events": if faulty { vec![event] } else { vec![] },
        "healthScore": if faulty { 88.0 } else { 100.0 }, "availabilityTime": 0.95, "availabilityEnergy": if faulty { 0.94 } else { 1.0 },
        "sunHours": 62.0, "lostKwh": if faulty { 18.2 } else { 0.0 }, "lostMoney": null, "deadDays": [], "missingDays": [], "flags": [],
    })
}

fn curve(id: &Value, date: &Value) -> ToolEnvelope {
    let at = |clock: &str| format!("{}T{clock}:00+00:00", date.as_str().unwrap());
    let point = |clock: &str, power: f64| json!({ "timestamp": at(clock), "power": power, "irradiance": power / 5.0, "quality": "ok" });
    let result = json!({
        "type": "timeseries", "loggerId": id, "date": date, "recordCount": 3,
        "data": [point("10:00", 2100.0), point("13:00", 4800.0), point("16:00", 1900.0)],
        "energySource": "daily_register", "registerKwh": 31.4, "completeness": 0.97, "holeHours": 0.0, "nightImportKwh": 0.0,
        "clippedSamples": 0, "stepMinutes": 5.0, "flags": [],
    });
    ToolEnvelope {
        summary_stats: serde_json::from_value(json!({
            "peakValue": 4800.0, "peakTime": at("13:00"), "avgValue": 2933.3, "totalEnergy": 31.4, "trend": "stable",
        }))
        .unwrap(),
        ..ToolEnvelope::ok(result)
    }
}

fn comparison(arguments: &Value) -> Value {
    let ids: Vec<&str> = arguments["logger_ids"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    let date = arguments["date"].as_str().map_or(data_range().end, day);
    let end = arguments["end_date"].as_str().map_or(date, day);
    let mut row = json!({ "timestamp": "2025-12-04T12:00:00+00:00" });
    let mut summary = json!({});
    for (index, id) in ids.iter().enumerate() {
        let value = 4000.0 - 500.0 * index as f64;
        row[id] = json!(value);
        summary[id] = json!({
            "average": value, "peak": value, "total": value / 100.0, "specificYield": value / 1000.0, "capacityKw": 5.0,
            "vsMedianPct": 0.0, "robustZ": null, "commonRecords": 150,
        });
    }
    json!({
        "type": "comparison", "metric": arguments["metric"], "loggerIds": ids, "date": date, "period": { "start": date, "end": end },
        "recordCount": 1, "data": [row], "summary": summary, "basis": "stated_capacity",
        "best": ids[0], "worst": ids[ids.len() - 1], "spreadPercent": 12.5, "underperformers": [], "flags": [],
    })
}

fn savings(id: &Value, arguments: &Value) -> Value {
    let rate = arguments["electricity_rate"].as_f64().unwrap_or(0.25);
    let start = day(arguments["start_date"].as_str().unwrap());
    let end = arguments["end_date"].as_str().map_or(data_range().end, day);
    let days = (end - start).num_days() + 1;
    json!({
        "type": "financial_report", "loggerId": id, "period": { "start": start, "end": end }, "daysExpected": days, "daysWithData": days,
        "missingDays": [], "totalEnergyKwh": 900.0, "capacityKw": 5.0, "capacityBasis": "configured", "specificYield": 180.0, "energySource": "daily_register", "electricityRate": rate, "electricityRateUsd": rate,
        "savings": 900.0 * rate, "savingsUsd": 900.0 * rate, "currency": "CHF", "co2OffsetKg": 115.2,
        "co2Factor": { "value": 0.128, "name": "Swiss consumer mix", "year": 2024 },
        "treesGrown10Years": 1.9, "treesEquivalent": 1.9, "projectedYear": null, "summary": "900 kWh.", "flags": [],
    })
}

fn history(arguments: &Value) -> Value {
    let day = |date: &str, kwh: f64| json!({ "start": date, "end": date, "energyKwh": kwh, "daysExpected": 1, "daysWithData": 1, "complete": true });
    let name = arguments["logger_id"].as_str().unwrap_or("all devices");
    let interval = arguments["interval"].as_str().unwrap_or("day");
    json!({
        "type": "energy_history", "loggerId": name, "interval": interval,
        "period": { "start": arguments["start_date"], "end": arguments["end_date"] }, "totalEnergyKwh": 900.0, "daysExpected": 30, "daysWithData": 30,
        "periods": [day("2025-11-14", 41.5), day("2025-11-20", 3.25)], "highest": day("2025-11-14", 41.5), "lowest": day("2025-11-20", 3.25),
        "devices": [], "leftOut": [], "energySource": "daily_register", "summary": "900 kWh.", "flags": [],
    })
}

fn ratio(id: &Value, date: &Value) -> Value {
    json!({
        "type": "performance_report", "loggerId": id, "date": date, "performanceRatio": 82.0, "pr": 0.82, "pr25C": 0.85, "yf": 4.1, "yr": 5.0,
        "pairedRecords": 120, "coverage": 0.96, "capacityKw": 5.0, "capacityBasis": "configured", "inferredCapacityKw": null,
        "stcPowerKw": 4.6, "irradianceBasis": "poa", "rating": "normal",
        "metrics": { "avgPowerWatts": 2100.0, "peakPowerWatts": 4800.0, "avgIrradiance": 520.0, "dataPoints": 120 },
        "interpretation": "Normal.", "flags": [],
    })
}

fn forecast(id: &Value, days: u64, newest: NaiveDate) -> Value {
    let days: Vec<_> = (1..=days)
        .map(|ahead| {
            json!({
                "date": newest + chrono::Days::new(ahead), "horizon": ahead, "expectedKwh": 30.0, "rangeMin": 22.0, "rangeMax": 37.0,
                "lower": 22.0, "upper": 37.0, "confidence": "medium", "method": "cliper_30",
            })
        })
        .collect();
    json!({
        "type": "production_forecast", "loggerId": id, "method": "cliper_30", "horizon": days.len(), "basedOnDays": 30, "insufficientData": false,
        "historicalStats": { "averageKwh": 30.0, "stdDevKwh": 4.0, "minKwh": 21.0, "maxKwh": 38.0 }, "totalPredicted": 30.0 * days.len() as f64,
        "forecasts": days, "confidenceLevel": 0.8, "energySource": "daily_register", "backtest": [], "hourlyShape": [], "summary": "About 30 kWh a day.", "flags": [],
    })
}

fn errors(id: &Value) -> Value {
    let faulty = id == "LTI-INV-001";
    let issue = json!({
        "code": "E-501", "description": "Grid fault", "severity": "critical", "occurrences": 48, "events": 1, "hours": 4.0,
        "firstSeen": "2025-11-29T10:00:00+00:00", "lastSeen": "2025-11-29T13:55:00+00:00", "suggestedFix": "Have the grid connection checked.",
        "source": "LTI manual", "overlapsOutage": true,
    });
    json!({
        "type": "diagnostics_report", "loggerId": id, "loggerType": "lti", "period": { "start": "2025-11-28", "end": "2025-12-04" },
        "overallHealth": if faulty { "critical" } else { "good" }, "issueCount": i32::from(faulty),
        "issues": if faulty { vec![issue] } else { vec![] }, "summary": "Looked at the codes.", "flags": [],
    })
}
