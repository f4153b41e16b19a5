//! A tools service with one search source, as far as the analyst needs it: two ports called Miami,
//! one shipment. What real sources answer is tested where they are real.

use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::routing::post;
use axum::{Json, Router};
use chrono::NaiveDate;
use contracts::tools::ToolEnvelope;
use contracts::tools::clarification::{Clarification, ClarificationOption, ClarificationPart};
use contracts::tools::meanings::{
    AmbiguousEntity, EntityCandidate, EntityResolution, EntityResolutionArguments, FieldMapping,
    MappedEntity, MatchedBy, ResolvedEntity,
};
use contracts::tools::search::{
    BuiltQuery, EsExecutorArguments, FieldDescription, FieldType, IndexDescription, QueryBuild,
    QueryBuilderArguments, QueryExecution, QueryOutcome, QueryRun, QueryType, ResultColumn,
    SourceDescription, SourceKind, SourceList, TodayFrom, Total, TotalRelation,
};
use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::scripted::Gates;

/// The service.
#[derive(Clone)]
pub(crate) struct Source {
    /// Who waits for a query: the gate `query`.
    pub(crate) gates: Gates,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Source {
    /// Starts it; where it is.
    pub(crate) async fn start(gates: Gates) -> (Self, String) {
        let source = Self {
            gates,
            calls: Arc::default(),
        };
        let router = Router::new()
            .route("/api/tools/{name}", post(answer))
            .with_state(source.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (source, url)
    }

    /// Number of times that a tool was called.
    pub(crate) fn called(&self, tool: &str) -> usize {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| *call == tool).count()
    }
}

async fn answer(
    State(source): State<Source>,
    Path(name): Path<String>,
    Json(arguments): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    source.calls.lock().unwrap().push(name.clone());
    match name.as_str() {
        "list_sources" => Ok(ok(&sources())),
        "entity_resolution" => Ok(ok(&resolved(&read(arguments)?))),
        "field_mapping" => Ok(ok(&mapped())),
        "query_builder" => Ok(ok(&built(read(arguments)?))),
        "es_executor" => {
            let arguments: EsExecutorArguments = read(arguments)?;
            source.gates.pass("query").await;
            Ok(ok(&executed(&arguments)))
        }
        _ => Err(StatusCode::NOT_FOUND),
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, StatusCode> {
    serde_json::from_value(arguments).map_err(|_| StatusCode::UNPROCESSABLE_ENTITY)
}

fn ok(result: &impl Serialize) -> Json<Value> {
    let envelope = json!({ "status": "ok", "result": result });
    // The answers of this server can be read by the clients.
    let _: ToolEnvelope = serde_json::from_value(envelope.clone()).unwrap();
    Json(envelope)
}

fn sources() -> SourceList {
    let field = |name: &str, field_type, entity_type: Option<&str>| FieldDescription {
        name: name.into(),
        field_type,
        description: None,
        synonyms: Vec::new(),
        unit: None,
        entity_type: entity_type.map(str::to_owned),
        exact_field: None,
        values: Vec::new(),
    };
    SourceList {
        sources: vec![SourceDescription {
            name: "shipping".into(),
            description: None,
            kind: SourceKind::Postgresql,
            query_types: vec![QueryType::Elasticsearch, QueryType::Graphql],
            time_zone: "UTC".into(),
            today: NaiveDate::from_ymd_opt(2025, 1, 15).unwrap(),
            today_from: TodayFrom::Configuration,
            unavailable: None,
            indices: vec![IndexDescription {
                name: "shipments".into(),
                description: None,
                nouns: vec!["shipment".into(), "shipments".into()],
                entity_type: None,
                id_field: Some("shipment_id".into()),
                date_field: Some("actual_arrival".into()),
                shown: vec!["shipment_id".into()],
                fields: vec![
                    field("shipment_id", FieldType::Keyword, None),
                    field("destination_port_id", FieldType::Keyword, Some("port")),
                    field("actual_arrival", FieldType::Date, None),
                ],
            }],
        }],
    }
}

const PORTS: [(&str, &str); 2] = [
    ("PRT-1", "Port of Miami"),
    ("PRT-2", "Miami Container Terminal"),
];

/// Miami is one of two ports until a user says which.
fn resolved(asked: &EntityResolutionArguments) -> EntityResolution {
    let about = "entity:Miami";
    let answer = asked.answers.iter().find(|answer| answer.about == about);
    let chosen = answer.and_then(|answer| {
        PORTS.iter().find(|(id, name)| {
            answer.option_id.as_deref() == Some(*id) || answer.text.contains(name)
        })
    });
    if let Some((id, name)) = chosen {
        return EntityResolution {
            resolved: vec![ResolvedEntity {
                mention: "Miami".into(),
                entity_type: "port".into(),
                id: (*id).into(),
                name: (*name).into(),
                confidence: 1.0,
                matched_by: MatchedBy::Answer,
                source: "shipping".into(),
                index: "ports".into(),
            }],
            ..EntityResolution::default()
        };
    }
    let question = "Which Miami: Port of Miami or Miami Container Terminal?";
    let options = PORTS.map(|(id, name)| ClarificationOption {
        id: id.into(),
        label: name.into(),
        description: None,
        aliases: Vec::new(),
    });
    let candidates = PORTS.map(|(id, name)| EntityCandidate {
        entity_type: "port".into(),
        id: id.into(),
        name: name.into(),
        description: None,
        confidence: 0.9,
        matched_by: MatchedBy::Words,
        source: "shipping".into(),
    });
    EntityResolution {
        ambiguous: vec![AmbiguousEntity {
            original_value: "Miami".into(),
            entity_type: Some("port".into()),
            candidates: candidates.into(),
            message: question.into(),
        }],
        clarification: Some(Clarification {
            question: question.into(),
            parts: vec![ClarificationPart {
                about: about.into(),
                mention: "Miami".into(),
                options: options.into(),
            }],
        }),
        ..EntityResolution::default()
    }
}

fn mapped() -> FieldMapping {
    FieldMapping {
        source: "shipping".into(),
        index: "shipments".into(),
        entities: vec![MappedEntity {
            mention: "Miami".into(),
            entity_type: "port".into(),
            name: "Port of Miami".into(),
            field: "destination_port_id".into(),
            value: "PRT-1".into(),
        }],
        date_field: Some("actual_arrival".into()),
        ..FieldMapping::default()
    }
}

fn built(asked: QueryBuilderArguments) -> QueryBuild {
    QueryBuild {
        query: Some(BuiltQuery {
            source: "shipping".into(),
            query_type: asked.query_type,
            index: asked.structure.index.clone(),
            query: json!({ "size": 100, "query": { "bool": { "filter": [] } } }),
            structure: asked.structure,
            summary: "Shipments to Port of Miami".into(),
            estimated_records: Some(1),
            needs_approval: false,
            notes: Vec::new(),
        }),
        problems: Vec::new(),
    }
}

fn executed(asked: &EsExecutorArguments) -> QueryExecution {
    let row = json!({ "shipment_id": "SHP-7" });
    QueryExecution {
        outcome: QueryOutcome::Ok,
        run: Some(QueryRun {
            source: "shipping".into(),
            served_by: SourceKind::Postgresql,
            query_type: QueryType::Elasticsearch,
            index: Some(asked.index.clone()),
            columns: vec![ResultColumn {
                name: "shipment_id".into(),
                label: "Shipment".into(),
                field_type: Some(FieldType::Keyword),
                unit: None,
            }],
            rows: vec![row.as_object().unwrap().clone()],
            total: Total {
                value: 1,
                relation: TotalRelation::Eq,
            },
            aggregated: false,
            took_ms: 3,
            partial: None,
            executed_at: chrono::DateTime::from_timestamp(1_736_942_400, 0).unwrap(),
            summary: "Shipments to Port of Miami".into(),
            structure: None,
        }),
        problems: Vec::new(),
    }
}
