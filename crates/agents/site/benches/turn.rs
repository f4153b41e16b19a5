//! One whole turn in process, with tools that answer at once: what the assistant itself costs.

#![expect(clippy::unwrap_used, reason = "a benchmark that fails may panic")]

use std::{
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use agent_kit::{PastMessage, PastRole, Runner, Tools, ToolsError, TurnInput, UserInput};
use agent_site::SiteAssistant;
use async_trait::async_trait;
use contracts::tools::{ToolDefinition, ToolEnvelope, names, solar_definitions};
use criterion::{Criterion, criterion_group, criterion_main};
use futures::{StreamExt, stream};
use graph::MemorySaver;
use llm::{
    Arguments, ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, Finished, ModelId,
    ToolCall, Usage,
};
use serde_json::{Value, json};

/// Answers from memory.
struct Stub {
    loggers: ToolEnvelope,
    fleet: ToolEnvelope,
    health: ToolEnvelope,
    curve: ToolEnvelope,
    definitions: Arc<[ToolDefinition]>,
}

#[async_trait]
impl Tools for Stub {
    async fn call(&self, name: &str, _: Value) -> Result<ToolEnvelope, ToolsError> {
        match name {
            names::LIST_LOGGERS => Ok(self.loggers.clone()),
            names::GET_FLEET_OVERVIEW => Ok(self.fleet.clone()),
            names::ANALYZE_INVERTER_HEALTH => Ok(self.health.clone()),
            names::GET_POWER_CURVE => Ok(self.curve.clone()),
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
        curve: ToolEnvelope::ok(curve()),
        definitions: solar_definitions().into(),
    }
}

/// A day of readings, one every ten minutes of daylight.
fn curve() -> Value {
    let points: Vec<_> = (0..72)
        .map(|at| {
            json!({
                "timestamp": format!("2025-11-29T{:02}:{:02}:00+00:00", 6 + at / 6, at % 6 * 10), "power": f64::from(at) * 31.5,
                "irradiance": f64::from(at) * 9.5,
            })
        })
        .collect();
    json!({ "type": "power_curve", "loggerId": "GW-INV-001", "date": "2025-11-29", "data": points, "flags": [] })
}

/// Two rounds of tools, then two hundred tokens in twenty sentences.
struct Scripted {
    rounds: [Vec<ChatEvent>; 3],
    asked: AtomicUsize,
}

impl Scripted {
    fn new() -> Self {
        let call = |id: &str, name: &str, arguments: Value| {
            ChatEvent::Call(ToolCall {
                id: id.to_owned(),
                name: name.to_owned(),
                arguments: Arguments::parse(&arguments.to_string()),
                opaque: None,
            })
        };
        let sentence = [
            "GW", "-INV", "-001", " peaked", " at", " 2,2", "36.5", " W", " then", ". ",
        ];
        let words = (0..20).flat_map(|_| sentence.map(|token| ChatEvent::Text(token.to_owned())));
        Self {
            rounds: [
                vec![call(
                    "a",
                    names::GET_POWER_CURVE,
                    json!({ "logger_id": "GW-INV-001", "date": "2025-11-29" }),
                )],
                vec![call(
                    "b",
                    names::ANALYZE_INVERTER_HEALTH,
                    json!({ "logger_id": "GW-INV-001" }),
                )],
                words.collect(),
            ],
            asked: AtomicUsize::new(0),
        }
    }
}

impl ChatModel for Scripted {
    fn stream(&self, _: ChatRequest) -> ChatStream {
        let round = self.asked.fetch_add(1, Ordering::Relaxed) % self.rounds.len();
        let finished = ChatEvent::Finished(Finished {
            reason: FinishReason::Stop,
            usage: Usage::default(),
            model: None,
            opaque: None,
        });
        let events: Vec<_> = self.rounds[round]
            .iter()
            .cloned()
            .chain([finished])
            .map(Ok)
            .collect();
        stream::iter(events).boxed()
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: "openai".into(),
            model: "scripted".into(),
        }
    }
}

/// A thread of ten questions and answers.
fn history() -> Vec<PastMessage> {
    let message = |role, text: &str| PastMessage {
        role,
        text: text.to_owned(),
        calls: Vec::new(),
    };
    (0..10)
        .flat_map(|_| {
            [
                message(PastRole::User, "How did GW-INV-001 do on 2025-11-28?"),
                message(PastRole::Assistant, "It made 31.4 kWh, with its peak of 4.8 kW at 13:00, which is what the days before were like."),
            ]
        })
        .collect()
}

async fn turn(
    assistant: &Runner<SiteAssistant>,
    tools: &Arc<Stub>,
    thread: Option<&str>,
    message: &str,
    model: Option<Arc<dyn ChatModel>>,
) -> usize {
    let history = model.iter().flat_map(|_| history()).collect();
    let message = UserInput::Text(message.to_owned());
    let now = chrono::DateTime::UNIX_EPOCH;
    let input = TurnInput {
        thread_key: thread.map(Into::into),
        model,
        history,
        ..TurnInput::new("run", message, now, Arc::clone(tools) as Arc<dyn Tools>)
    };
    assistant.run(input).map(black_box).count().await
}

fn turns(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let store = Arc::new(MemorySaver::new());
    let assistant = Runner::new(SiteAssistant::default(), Some(store)).unwrap();
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
                .iter(|| turn(&assistant, &tools, None, message, None));
        });
    }
    let model: Arc<dyn ChatModel> = Arc::new(Scripted::new());
    group.bench_function("free_chat_of_two_rounds", |bencher| {
        bencher.to_async(&runtime).iter(|| {
            let model = Some(Arc::clone(&model));
            turn(&assistant, &tools, None, "Power curve of GW-INV-001", model)
        });
    });
    group.finish();
}

criterion_group!(benches, turns);
criterion_main!(benches);
