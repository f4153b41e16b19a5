//! The rows of a query of this list, also in another process than the one that executed it.

use std::sync::Arc;

use contracts::tools::search::{
    HowToRetrieve, QueryExecution, QueryRun, ResultColumn, SourceKind, Total,
};
use serde::Deserialize;

use super::{Failure, Job, executor};

/// The stored result of an executor's task.
#[derive(Deserialize)]
struct Ran {
    total: Total,
    #[serde(default)]
    aggregated: bool,
    asked: String,
    served_by: SourceKind,
    executed_at: chrono::DateTime<chrono::Utc>,
    how_to_retrieve: HowToRetrieve,
}

/// The result of the executor's task with this key: from this process, otherwise from the memory,
/// otherwise by the same query again.
pub(crate) async fn of_task(job: &mut Job<'_>, key: &str) -> Result<Arc<QueryRun>, Failure> {
    if let Some(run) = job.step.work.plan.runs.get(key) {
        return Ok(Arc::clone(run));
    }
    let gone = || Failure::because("The results of the query are gone.");
    let task = job.list.tasks.get(key).ok_or_else(gone)?;
    let result = task.result.as_ref().ok_or_else(gone)?;
    let ran = Ran::deserialize(result).map_err(|_| gone())?;
    let run = if let Some(run) = remembered(job, key, &ran).await {
        run
    } else {
        let called = executor::execute(job, &ran.how_to_retrieve).await;
        let again = called
            .result::<QueryExecution>()
            .and_then(|execution| execution.run);
        again.ok_or_else(|| Failure::of(&called))?
    };
    let run = Arc::new(run);
    let runs = &mut job.step.work.plan.runs;
    runs.insert(key.to_owned(), Arc::clone(&run));
    Ok(run)
}

/// The rows that the memory kept with the attempt's entry.
async fn remembered(job: &Job<'_>, key: &str, ran: &Ran) -> Option<QueryRun> {
    let entries = job.step.work.recalled.entries.iter().rev();
    let mut own = entries.filter(|entry| entry.list_id == job.list.id && entry.todo_key == key);
    let turn_id = own.find_map(|entry| entry.query_metadata)?;
    let kept = job.step.run().query(Some(turn_id)).await.ok()??;
    let rows = kept.rows?;
    let columns: Vec<ResultColumn> = rows.columns;
    let retrieve = &ran.how_to_retrieve;
    Some(QueryRun {
        source: retrieve.source.clone(),
        served_by: ran.served_by,
        query_type: retrieve.query_type,
        index: retrieve.index.clone(),
        columns,
        rows: rows.rows,
        total: ran.total,
        aggregated: ran.aggregated,
        took_ms: 0,
        partial: None,
        executed_at: ran.executed_at,
        summary: ran.asked.clone(),
        structure: kept.metadata.query_structure,
    })
}
