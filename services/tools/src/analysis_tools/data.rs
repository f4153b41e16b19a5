//! The rows of a call: those that came with it, or those that its query finds.

use std::collections::HashMap;
use std::sync::Arc;

use contracts::tools::analysis::AnalysisData;
use contracts::tools::search::{
    FieldType, HowToRetrieve, QueryRun, QueryStructure, ResultColumn, SourceDescription,
    SourceKind, TotalRelation,
};
use search_sources::{Source, SourceError, Sources};
use serde_json::{Map, Value};

use crate::error::Error;

/// Maximum number of rows that are analysed.
const MOST_ROWS: u32 = 50_000;
/// Maximum number of columns that are looked at.
pub(super) const MOST_COLUMNS: usize = 64;

/// Rows and what is known of them.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) records: Vec<Map<String, Value>>,
    pub(super) columns: Vec<ResultColumn>,
    /// By column: other words for it.
    pub(super) synonyms: HashMap<String, Vec<String>>,
    /// The date that is intended when none is named.
    pub(super) date_field: Option<String>,
    /// The source's zone.
    pub(super) time_zone: Option<String>,
    pub(super) source: Option<(String, SourceKind)>,
    /// Number of rows in all.
    pub(super) total: u64,
    pub(super) aggregated: bool,
    /// Why these are not all.
    pub(super) partial: Option<String>,
}

/// The rows to analyse.
pub(super) async fn rows(
    sources: &Sources,
    tenant: &str,
    data: AnalysisData,
) -> Result<Rows, Error> {
    match data {
        AnalysisData::Rows { rows, columns } => Ok(Rows {
            total: rows.len() as u64,
            records: rows,
            columns,
            ..Rows::default()
        }),
        AnalysisData::Query { retrieve } => {
            let name = Some(retrieve.source.as_str());
            let source = sources
                .find(tenant, name, Some(retrieve.query_type), None)
                .ok_or_else(|| {
                    Error::no_data(format!(
                        "There is no source '{}' that is asked this way.",
                        retrieve.source
                    ))
                })?;
            found(&source, tenant, &retrieve)
                .await
                .map_err(|error| Error::impossible(error.sentence(source.name())))
        }
    }
}

/// The records of a query, with all their fields: the query is run as it is, which checks it; then
/// the same conditions show more than it does. What a query computed has no more to show, and what
/// was not written by `query_builder` is taken as it shows.
async fn found(
    source: &Arc<Source>,
    tenant: &str,
    how: &HowToRetrieve,
) -> Result<Rows, SourceError> {
    let description = source.describe(tenant).await?;
    let first = source.scan(tenant, how, 1).await?;
    let run = match wider(&first, &description) {
        Some(structure) => source.records(tenant, &structure, MOST_ROWS).await?,
        None => source.scan(tenant, how, MOST_ROWS).await?,
    };
    Ok(described(run, &description))
}

/// The query of a run with every field of its index, if it finds records and there are more fields
/// than it shows.
fn wider(run: &QueryRun, description: &SourceDescription) -> Option<QueryStructure> {
    let mut structure = run.structure.clone().filter(|_| !run.aggregated)?;
    let index = description
        .indices
        .iter()
        .find(|index| index.name == structure.index)?;
    let shown = run.columns.iter().map(|column| column.name.clone());
    let mut fields: Vec<String> = shown.collect();
    let before = fields.len();
    for field in &index.fields {
        if field.field_type != FieldType::Text && !fields.contains(&field.name) {
            fields.push(field.name.clone());
        }
    }
    fields.truncate(MOST_COLUMNS);
    (fields.len() > before).then(|| {
        structure.fields = fields;
        structure
    })
}

fn described(run: QueryRun, description: &SourceDescription) -> Rows {
    let index = run
        .structure
        .as_ref()
        .map(|structure| structure.index.as_str())
        .or(run.index.as_deref());
    let index = description
        .indices
        .iter()
        .find(|known| Some(known.name.as_str()) == index);
    let synonyms = index.map(|index| {
        let fields = index.fields.iter();
        fields
            .map(|field| (field.name.clone(), field.synonyms.clone()))
            .collect()
    });
    let date_field = run
        .structure
        .as_ref()
        .and_then(|structure| structure.time_range.as_ref()?.field.clone())
        .or_else(|| index.and_then(|index| index.date_field.clone()));
    let read = run.rows.len() as u64;
    let all = if run.aggregated {
        read
    } else {
        run.total.value.max(read)
    };
    let unread = (all > read).then(|| format!("Only {read} of {all} records were read."));
    let unknown = (!run.aggregated && run.total.relation == TotalRelation::Gte)
        .then(|| format!("There are {all} records or more."));
    Rows {
        records: run.rows,
        columns: run.columns,
        synonyms: synonyms.unwrap_or_default(),
        date_field,
        time_zone: Some(description.time_zone.clone()),
        source: Some((run.source, run.served_by)),
        total: all,
        aggregated: run.aggregated,
        partial: run.partial.or(unread).or(unknown),
    }
}
