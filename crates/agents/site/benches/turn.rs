//! One whole turn in process, with tools that answer at once: what the assistant itself costs.

#![expect(clippy::unwrap_used, reason = "a benchmark has nobody to report to")]

use std::{hint::black_box, sync::Arc};

use agent_site::{SiteAssistant, Tools, ToolsError, TurnInput, UserInput};
use async_trait::async_trait;
use contracts::tools::{ToolDefinition, ToolEnvelope, definitions, names};
use criterion::{Criterion, criterion_group, criterion_main};
use futures::StreamExt;
use graph::MemorySaver;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Answers from memory.
struct Stub {
    loggers: ToolEnvelope,
    fleet: ToolEnvelope,
    health: ToolEnvelope,
    definitions: Arc<[ToolDefinition]>,
}

#[async_trait]
impl Tools for Stub {
    async fn call(&self, name: &str, _: Value) -> Result<ToolEnvelope, ToolsError> {
        match name {
            names::LIST_LOGGERS => Ok(self.loggers.clone()),
            names::GET_FLEET_OVERVIEW => Ok(self.fleet.clone()),
            names::ANALYZE_INVERTER_HEALTH => Ok(self.health.clone()),
            _ => Err(ToolsError::Failed),
        }
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        Ok(Arc::clone(&self.definitions))
    }
}

fn stub() -> Stub {
    let ids = ["GW-INV-001", "LTI-INV-001", "MEIER-INV-001", "SD-INV-001"];
    let logger = |id: &str| {
        json!({
            "loggerId": id, "loggerType": "goodwe", "role": "inverter", "siteId": "demo", "siteName": "Demo site", "timezone": "UTC",
            "earliestData": "2025-11-05T06:00:00+00:00", "latestData": "2025-12-04T19:55:00+00:00", "recordCount": 7938,
            "stepMinutes": 5.0, "hasIrradiance": true, "irradianceBasis": "poa", "hasRegister": true, "capacityKw": 5.0,
            "capacityBasis": "configured",
        })
    };
    let device = |id: &str| {
        json!({
            "loggerId": id, "loggerType": "goodwe", "siteId": "demo", "role": "inverter", "state": "producing", "powerWatts": 1200.0,
            "energyTodayKwh": 21.5, "energySource": "daily_register", "specificYield": 4.3, "lastSeen": "2025-12-04T15:00:00+00:00",
            "ageMinutes": 5.0, "flags": [],
        })
    };
    let fleet = json!({
        "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04",
        "status": { "totalLoggers": 4, "activeLoggers": 4, "producing": 4, "asleep": 0, "offline": 0, "percentOnline": 100.0,
            "fleetHealth": "Healthy" },
        "production": { "currentTotalPowerWatts": 4800.0, "todayTotalEnergyKwh": 86.0, "siteAvgIrradiance": 410.0, "specificYield": 4.3 },
        "summary": "The fleet delivers.", "dateMismatch": null, "oldestReadingMinutes": 5.0, "energySource": "daily_register",
        "offlineLoggers": [], "devices": ids.map(device), "sites": [], "flags": [],
    });
    let health = json!({
        "type": "anomaly_report", "loggerId": "GW-INV-001", "period": { "start": "2025-11-28", "end": "2025-12-04" }, "daysAnalyzed": 7,
        "totalRecords": 1850, "anomalyCount": 0, "anomalies": [], "points": [], "events": [], "healthScore": 100.0,
        "availabilityTime": 1.0, "availabilityEnergy": 1.0, "sunHours": 62.0, "lostKwh": 0.0, "lostMoney": null, "deadDays": [],
        "missingDays": [], "flags": [],
    });
    Stub {
        loggers: ToolEnvelope::ok(
            json!({ "type": "logger_list", "count": 4, "loggers": ids.map(logger) }),
        ),
        fleet: ToolEnvelope::ok(fleet),
        health: ToolEnvelope::ok(health),
        definitions: definitions().into(),
    }
}

async fn turn(
    assistant: &SiteAssistant,
    tools: &Arc<Stub>,
    thread: Option<&str>,
    message: &str,
) -> usize {
    let input = TurnInput {
        thread_id: "thread".to_owned(),
        thread_key: thread.map(Into::into),
        run_id: "run".to_owned(),
        message_id: "msg".to_owned(),
        message: UserInput::Text(message.to_owned()),
        user_timezone: None,
        now: chrono::DateTime::UNIX_EPOCH,
        tools: Arc::clone(tools) as Arc<dyn Tools>,
        model: None,
        history: Vec::new(),
        cancellation: CancellationToken::new(),
    };
    assistant.run(input).map(black_box).count().await
}

fn turns(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let assistant = SiteAssistant::new(Some(Arc::new(MemorySaver::new()))).unwrap();
    let tools = Arc::new(stub());
    let mut group = c.benchmark_group("turn");
    for (name, message) in [
        ("greeting", "Hello"),
        ("briefing", "Morning briefing"),
        ("health", "Check the health of GW-INV-001"),
        ("picker", "Health check"),
        ("help", "What can you do?"),
    ] {
        group.bench_function(name, |bencher| {
            bencher
                .to_async(&runtime)
                .iter(|| turn(&assistant, &tools, None, message));
        });
    }
    group.finish();
}

criterion_group!(benches, turns);
criterion_main!(benches);
