//! `merge_results`: takes the results of an Elasticsearch and a GraphQL query; returns one list of
//! rows, the same record once.

use std::sync::Arc;

use contracts::tools::search::{QueryRun, names};
use serde_json::{Map, Value, json};

use super::{Failure, Job, Outcome, rows};
use crate::{plan::catalogue::MERGE_RESULTS, step::index_of, words};

pub(super) async fn run(job: &mut Job<'_>) -> Outcome {
    let mut runs: Vec<Arc<QueryRun>> = Vec::new();
    for tool in [names::ES_EXECUTOR, names::GRAPHQL_EXECUTOR] {
        let Some((key, _)) = job.earlier(tool, None) else {
            continue;
        };
        let key = key.to_owned();
        match rows::of_task(job, &key).await {
            Ok(run) => runs.push(run),
            Err(failure) => return Outcome::Failure(failure),
        }
    }
    let (merged, both) = match runs.as_slice() {
        [one, other] => {
            let id = id_field(job, one);
            let (merged, both) = merge(one, other, id.as_deref());
            (Arc::new(merged), both)
        }
        [one] => (Arc::clone(one), 0),
        _ => return Outcome::Failure(Failure::because("There are no results to merge.")),
    };
    let counts: Vec<usize> = runs.iter().map(|run| run.rows.len()).collect();
    let result = json!({ "rows": merged.rows.len(), "of": counts, "in_both": both });
    let arguments = json!({ "results": counts });
    job.tell(MERGE_RESULTS, &arguments, &Ok(result.clone()))
        .await;
    let action = format!(
        "Merged {} into {} rows.",
        words::list(counts.iter().map(|count| format!("{count} rows"))),
        merged.rows.len()
    );
    let key = job.key.clone();
    job.step.work.plan.runs.insert(key, merged);
    Outcome::success(&result, action)
}

/// The field that identifies a record of the run.
fn id_field(job: &Job<'_>, run: &QueryRun) -> Option<String> {
    let sources = job.step.sources();
    let (_, index) = index_of(&sources, &run.source, run.index.as_deref()?)?;
    index.id_field.clone()
}

/// The rows of `one`, with what `other` knows of the same records, then those that only `other`
/// has; and how many are in both.
fn merge(one: &QueryRun, other: &QueryRun, id: Option<&str>) -> (QueryRun, usize) {
    let mut merged = one.clone();
    for column in &other.columns {
        if !merged.columns.iter().any(|known| known.name == column.name) {
            merged.columns.push(column.clone());
        }
    }
    let mut both = 0;
    for row in &other.rows {
        match merged.rows.iter_mut().find(|known| same(known, row, id)) {
            Some(known) => {
                both += 1;
                for (name, value) in row {
                    let held = known.entry(name.clone()).or_insert(Value::Null);
                    if held.is_null() {
                        held.clone_from(value);
                    }
                }
            }
            None => merged.rows.push(row.clone()),
        }
    }
    let only_other = other.rows.len().saturating_sub(both) as u64;
    merged.total.value = one.total.value.saturating_add(only_other);
    merged.partial = one.partial.clone().or_else(|| other.partial.clone());
    merged.took_ms = one.took_ms.max(other.took_ms);
    (merged, both)
}

fn same(one: &Map<String, Value>, other: &Map<String, Value>, id: Option<&str>) -> bool {
    match id {
        Some(id) => {
            let value = one.get(id).filter(|value| !value.is_null());
            value.is_some() && value == other.get(id)
        }
        None => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rows: &Value) -> QueryRun {
        serde_json::from_value(json!({
            "source": "shipping", "served_by": "postgresql", "query_type": "elasticsearch", "index": "shipments", "columns": [
                { "name": "shipment_id", "label": "shipment" }
            ], "rows": rows, "total": { "value": rows.as_array().unwrap().len(), "relation": "eq" }, "aggregated": false, "took_ms": 1,
            "executed_at": "2025-01-15T10:30:00Z", "summary": "Shipments",
        }))
        .unwrap()
    }

    #[test]
    fn the_same_record_is_told_once_with_what_both_know() {
        let one =
            run(&json!([{ "shipment_id": "S1", "status": "delivered" }, { "shipment_id": "S2" }]));
        let other =
            run(&json!([{ "shipment_id": "S1", "delay_hours": 4 }, { "shipment_id": "S3" }]));
        let (merged, both) = merge(&one, &other, Some("shipment_id"));
        assert_eq!(both, 1);
        assert_eq!(merged.total.value, 3);
        assert_eq!(
            json!(merged.rows),
            json!([{ "shipment_id": "S1", "status": "delivered", "delay_hours": 4 }, { "shipment_id": "S2" }, { "shipment_id": "S3" }])
        );
    }
}
