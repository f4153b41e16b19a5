//! The tools over a small shipping company, scripted where a test needs it. Two things are called
//! Miami.

use std::{
    collections::VecDeque,
    fmt::Write,
    sync::{Arc, Mutex},
};

use agent_kit::{Tools, ToolsError};
use async_trait::async_trait;
use contracts::tools::{ToolDefinition, ToolEnvelope, ToolStatus};
use serde_json::{Value, json};

pub(crate) type Answer = Result<ToolEnvelope, ToolsError>;

/// Ports by id, name, other names.
const PORTS: [(&str, &str, &[&str]); 3] = [
    ("USMIA", "Port of Miami", &["PortMiami"]),
    ("USMIA-T1", "Miami Container Terminal", &[]),
    ("CNSHA", "Port of Shanghai", &["Shanghai"]),
];

#[derive(Default)]
pub(crate) struct Double {
    scripts: Mutex<Vec<(&'static str, VecDeque<Answer>)>>,
    calls: Mutex<Vec<(String, Value)>>,
    /// Records that fit every query.
    pub(crate) total: Mutex<Option<u64>>,
    /// Only one thing is called Miami.
    pub(crate) certain: Mutex<bool>,
    /// Words that no answer settles.
    pub(crate) stubborn: Mutex<bool>,
    /// Queries read so much that a person should be asked.
    pub(crate) large: Mutex<bool>,
    /// The zone's day of the source.
    pub(crate) kinds: Mutex<Vec<&'static str>>,
}

impl Double {
    /// Nothing is ambiguous.
    pub(crate) fn new() -> Arc<Self> {
        let double = Arc::new(Self::default());
        *double.certain.lock().unwrap() = true;
        double
    }

    /// Two things are called Miami.
    pub(crate) fn ambiguous() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn finds(self: &Arc<Self>, total: u64) -> Arc<Self> {
        *self.total.lock().unwrap() = Some(total);
        Arc::clone(self)
    }

    pub(crate) fn asked_by(self: &Arc<Self>, kinds: &[&'static str]) -> Arc<Self> {
        *self.kinds.lock().unwrap() = kinds.to_vec();
        Arc::clone(self)
    }

    /// The next call of the tool is answered so; later ones as usual.
    pub(crate) fn then(self: &Arc<Self>, tool: &'static str, answer: Answer) -> Arc<Self> {
        let mut scripts = self.scripts.lock().unwrap();
        match scripts.iter_mut().find(|(name, _)| *name == tool) {
            Some((_, queue)) => queue.push_back(answer),
            None => scripts.push((tool, VecDeque::from([answer]))),
        }
        Arc::clone(self)
    }

    /// The source of the next query is away.
    pub(crate) fn away(self: &Arc<Self>, executor: &'static str) -> Arc<Self> {
        self.then(
            executor,
            Ok(failed(
                json!({ "outcome": "unavailable" }),
                "The source is away.",
            )),
        )
    }

    /// The calls made since the last time this was asked, without the look at the sources.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        let calls = std::mem::take(&mut *self.calls.lock().unwrap());
        calls
            .into_iter()
            .filter(|(name, _)| name != "list_sources")
            .collect()
    }

    /// Their names.
    pub(crate) fn called(&self) -> Vec<String> {
        self.calls().into_iter().map(|(name, _)| name).collect()
    }

    /// Their arguments, of one tool.
    pub(crate) fn calls_of(&self, tool: &str) -> Vec<Value> {
        let calls = self.calls().into_iter();
        calls
            .filter(|(name, _)| name == tool)
            .map(|(_, arguments)| arguments)
            .collect()
    }

    fn usual(&self, tool: &str, arguments: &Value) -> ToolEnvelope {
        ToolEnvelope::ok(match tool {
            "list_sources" => self.sources(),
            "entity_resolution" => self.resolve(arguments),
            "field_mapping" => map(arguments),
            "query_builder" => self.build(arguments),
            "es_executor" | "graphql_executor" => self.execute(tool, arguments),
            "stats_analysis" => statistics(arguments),
            "pattern_recognition" => patterns(arguments),
            "embedding_tool" => {
                json!({ "model": "small", "dimensions": 3, "vectors": [[0.1, 0.2, 0.3]] })
            }
            "vectordb_tool" => json!({
                "collection": "documents", "model": "small",
                "matches": [{ "id": "manual.md#3", "score": 0.9, "text": "Reefers are kept at -18 °C.", "source": "manual.md" }],
            }),
            other => panic!("no such tool: {other}"),
        })
    }

    fn sources(&self) -> Value {
        let kinds = self.kinds.lock().unwrap().clone();
        let kinds = if kinds.is_empty() {
            vec!["elasticsearch", "graphql"]
        } else {
            kinds
        };
        let field = |name: &str, kind: &str, synonyms: &[&str], unit: Option<&str>| json!({ "name": name, "field_type": kind, "synonyms": synonyms, "unit": unit });
        let port = |name: &str, synonyms: &[&str]| json!({ "name": name, "field_type": "keyword", "synonyms": synonyms, "entity_type": "port" });
        let mut status = field("status", "keyword", &["state"], None);
        status["values"] = json!(["booked", "in_transit", "arrived", "delivered", "cancelled"]);
        json!({ "sources": [{
            "name": "shipping", "kind": "postgresql", "query_types": kinds, "time_zone": "America/New_York", "today": "2025-01-15",
            "today_from": "configuration",
            "indices": [
                {
                    "name": "shipments", "nouns": ["shipment", "shipments"], "id_field": "shipment_id", "date_field": "actual_arrival",
                    "shown": ["shipment_id", "status", "destination_port", "delay_hours"],
                    "fields": [
                        field("shipment_id", "keyword", &[], None), status,
                        port("origin_port_id", &["origin"]), field("origin_port", "keyword", &[], None),
                        port("destination_port_id", &["destination"]), field("destination_port", "keyword", &[], None),
                        field("carrier", "keyword", &["line"], None),
                        field("actual_arrival", "date", &["arrival date", "arrived", "arrival"], None),
                        field("planned_arrival", "date", &["planned arrival"], None),
                        field("delay_hours", "double", &["delay", "delays"], Some("h")),
                    ],
                },
                {
                    "name": "containers", "nouns": ["container", "containers"], "id_field": "container_id", "date_field": "last_event_at",
                    "shown": ["container_id", "status"],
                    "fields": [
                        field("container_id", "keyword", &[], None), field("status", "keyword", &["state"], None),
                        field("last_event_at", "date", &[], None),
                    ],
                },
                {
                    "name": "ports", "nouns": ["port", "ports"], "id_field": "port_id", "entity_type": "port", "shown": ["port_id", "name"],
                    "fields": [field("port_id", "keyword", &[], None), field("name", "keyword", &[], None)],
                },
            ],
        }] })
    }

    fn resolve(&self, arguments: &Value) -> Value {
        let text = arguments["text"].as_str().unwrap();
        let answers = arguments["answers"].as_array().cloned().unwrap_or_default();
        let mut resolved = Vec::new();
        let mut ambiguous = Vec::new();
        for (id, name, aliases) in PORTS {
            let said = std::iter::once(&name)
                .chain(aliases)
                .find(|known| text.contains(**known));
            if let Some(said) = said {
                resolved.push(entity(said, id, name, "name"));
            }
        }
        let chosen: Vec<_> = answers
            .iter()
            .filter_map(|answer| {
                let id = answer["option_id"].as_str()?;
                PORTS.iter().find(|(known, _, _)| *known == id)
            })
            .collect();
        if text.contains("Miami") && resolved.iter().all(|found| found["mention"] == "Shanghai") {
            if *self.certain.lock().unwrap() {
                resolved.push(entity("Miami", PORTS[0].0, PORTS[0].1, "normalised"));
            } else if chosen.is_empty() || *self.stubborn.lock().unwrap() {
                ambiguous.push("Miami");
            }
            for (id, name, _) in chosen.iter().filter(|_| ambiguous.is_empty()) {
                resolved.push(entity("Miami", id, name, "answer"));
            }
        }
        let candidates: Vec<_> = PORTS[..2]
            .iter()
            .map(|(id, name, _)| {
                json!({ "entity_type": "port", "id": id, "name": name, "confidence": 0.8, "matched_by": "words", "source": "shipping" })
            })
            .collect();
        let question = "Which Miami: Port of Miami or Miami Container Terminal?";
        let mut result = json!({ "resolved": resolved, "ambiguous": [], "unresolved": [] });
        if ambiguous.is_empty() {
            return result;
        }
        result["ambiguous"] = json!([
            { "original_value": "Miami", "entity_type": "port", "candidates": candidates, "message": question }
        ]);
        if arguments["best_guess"] == true {
            result["ambiguous"] = json!([]);
            let guess = entity("Miami", PORTS[0].0, PORTS[0].1, "words");
            result["resolved"].as_array_mut().unwrap().push(guess);
            return result;
        }
        let options: Vec<_> = PORTS[..2]
            .iter()
            .map(|(id, name, _)| json!({ "id": id, "label": name, "description": "Miami, US" }))
            .collect();
        result["clarification"] = json!({
            "question": question, "parts": [{ "about": "entity:Miami", "mention": "Miami", "options": options }],
        });
        result
    }

    fn build(&self, arguments: &Value) -> Value {
        let structure = &arguments["structure"];
        let kind = &arguments["query_type"];
        let query = if kind == "graphql" {
            json!({ "query": format!("query Q {{ {} {{ nodes {{ id }} }} }}", structure["index"].as_str().unwrap()), "variables": { "structure": structure } })
        } else {
            json!({ "query": { "bool": {} }, "_structure": structure })
        };
        let many = if *self.large.lock().unwrap() {
            250_000
        } else {
            142
        };
        json!({ "query": {
            "source": "shipping", "query_type": kind, "index": structure["index"], "query": query, "structure": structure,
            "summary": describe(structure), "estimated_records": many, "needs_approval": many > 10_000,
        } })
    }

    fn execute(&self, tool: &str, arguments: &Value) -> Value {
        let structure = match tool {
            "es_executor" => arguments["query"]["_structure"].clone(),
            _ => arguments["query"]["variables"]["structure"].clone(),
        };
        let total = self.total.lock().unwrap().unwrap_or(142);
        json!({ "outcome": "ok", "run": ran(tool, &structure, total) })
    }
}

/// A run of the typed query.
pub(crate) fn ran(tool: &str, structure: &Value, total: u64) -> Value {
    let kind = if tool == "es_executor" {
        "elasticsearch"
    } else {
        "graphql"
    };
    let grouped = structure["measures"]
        .as_array()
        .is_some_and(|measures| !measures.is_empty());
    let (columns, rows) = if grouped {
        let by = structure["group_by"][0]["field"]
            .as_str()
            .unwrap_or("status");
        (
            json!([{ "name": by, "label": by, "field_type": "keyword" }, { "name": "count", "label": "count", "field_type": "long" }]),
            json!([{ by: "delivered", "count": 100 }, { by: "arrived", "count": 42 }]),
        )
    } else {
        let rows: Vec<_> = (0..total.min(3))
            .map(|at| json!({ "shipment_id": format!("SHP-{at}"), "status": "delivered", "delay_hours": 4.5 }))
            .collect();
        (
            json!([
                { "name": "shipment_id", "label": "shipment", "field_type": "keyword" },
                { "name": "status", "label": "status", "field_type": "keyword" },
                { "name": "delay_hours", "label": "delay", "field_type": "double", "unit": "h" },
            ]),
            json!(rows),
        )
    };
    json!({
        "source": "shipping", "served_by": "postgresql", "query_type": kind, "index": structure["index"], "columns": columns, "rows": rows,
        "total": { "value": total, "relation": "eq" }, "aggregated": grouped, "took_ms": 3, "executed_at": "2025-01-15T10:30:00Z",
        "summary": describe(structure), "structure": structure,
    })
}

/// An envelope of a tool that failed and has something to show for it.
pub(crate) fn failed(result: Value, message: &str) -> ToolEnvelope {
    ToolEnvelope {
        result: Some(result),
        ..ToolEnvelope::without_result(ToolStatus::Error, message)
    }
}

fn entity(mention: &str, id: &str, name: &str, matched_by: &str) -> Value {
    json!({
        "mention": mention, "entity_type": "port", "id": id, "name": name, "confidence": 1.0, "matched_by": matched_by, "source": "shipping",
        "index": "ports",
    })
}

/// `Shipments, destination_port_id Port of Miami, 2025-01-08 to 2025-01-15`.
fn describe(structure: &Value) -> String {
    let mut text = structure["index"].as_str().unwrap().to_owned();
    for filter in structure["filters"].as_array().into_iter().flatten() {
        let values = filter["label"]
            .as_str()
            .map_or_else(|| filter["values"].to_string(), str::to_owned);
        let field = filter["field"].as_str().unwrap();
        write!(text, ", {field} {values}").unwrap();
    }
    if let Some(range) = structure.get("time_range") {
        let (start, end) = (&range["start"], &range["end"]);
        write!(
            text,
            ", {} to {}",
            start.as_str().unwrap(),
            end.as_str().unwrap()
        )
        .unwrap();
    }
    text
}

fn map(arguments: &Value) -> Value {
    let index = arguments["index"].as_str().unwrap_or("shipments");
    let entities: Vec<_> = arguments["entities"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|entity| {
            let about = format!("field:{}", entity["mention"].as_str().unwrap());
            let answers = arguments["answers"].as_array().into_iter().flatten();
            let answered = answers
                .filter(|answer| answer["about"] == about.as_str())
                .find_map(|answer| answer["option_id"].as_str());
            let usual = if entity["id"] == "CNSHA" { "origin_port_id" } else { "destination_port_id" };
            json!({
                "mention": entity["mention"], "entity_type": "port", "name": entity["name"], "field": answered.unwrap_or(usual),
                "value": entity["id"],
            })
        })
        .collect();
    let mut fields = Vec::new();
    let mut unmapped = Vec::new();
    for term in arguments["terms"].as_array().into_iter().flatten() {
        let text = term["text"].as_str().unwrap().to_lowercase();
        let role = &term["role"];
        let field =
            if ["delivered", "arrived", "cancelled"].contains(&&*text) || text.contains("status") {
                Some(("status", "keyword"))
            } else if text.contains("carrier") {
                Some(("carrier", "keyword"))
            } else if text.contains("delay") {
                Some(("delay_hours", "double"))
            } else if text.contains("arriv") {
                Some(("actual_arrival", "date"))
            } else {
                None
            };
        match field {
            Some((field, kind)) => {
                let mut mapped = json!({ "term": term["text"], "role": role, "field": field, "field_type": kind, "score": 1.0 });
                if role == "filter" {
                    mapped["op"] = json!("is");
                    mapped["values"] = json!([text]);
                }
                fields.push(mapped);
            }
            None => {
                unmapped
                    .push(json!({ "term": term["text"], "role": role, "nearest": ["carrier"] }));
            }
        }
    }
    let date = (arguments["time_words"].is_string()).then_some("actual_arrival");
    json!({ "source": "shipping", "index": index, "fields": fields, "entities": entities, "date_field": date, "unmapped": unmapped })
}

fn analysed(arguments: &Value) -> Value {
    let rows = arguments["data"]["rows"].as_array().map_or(142, Vec::len);
    json!({ "records": rows, "total": rows, "complete": true, "aggregated": false, "time_zone": "America/New_York" })
}

pub(crate) fn statistics(arguments: &Value) -> Value {
    json!({
        "data": analysed(arguments), "summaries": [], "distributions": [], "trends": [], "correlations": [], "comparisons": [],
        "findings": ["The mean delay is 7.25 h (median 4.5 h)."], "notes": ["Two values are missing."],
    })
}

pub(crate) fn patterns(arguments: &Value) -> Value {
    json!({
        "data": analysed(arguments), "measure": "delay_hours", "label": "delay", "anomalies": [], "seasons": [], "concentrations": [],
        "findings": ["Delays are 2.1 times as frequent on Mondays."], "notes": [],
    })
}

#[async_trait]
impl Tools for Double {
    async fn call(&self, name: &str, arguments: Value) -> Answer {
        self.calls
            .lock()
            .unwrap()
            .push((name.to_owned(), arguments.clone()));
        let scripted = {
            let mut scripts = self.scripts.lock().unwrap();
            scripts
                .iter_mut()
                .find(|(tool, _)| *tool == name)
                .and_then(|(_, queue)| queue.pop_front())
        };
        scripted.unwrap_or_else(|| Ok(self.usual(name, &arguments)))
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        Ok(Arc::new([]))
    }
}
