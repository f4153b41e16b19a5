//! GraphQL: endpoints, and PostgreSQL sources asked in it.
//!
//! A schema is known before anything is asked: an endpoint's by introspection, a PostgreSQL
//! source's made of its indices ([`embedded`]). [`build_usual`](build::build_usual) writes a typed
//! query from the schema alone, with every value in a variable.
//! [`check_request`](validate::check_request) reads any document: one query, valid, not too deep,
//! not too dear; nothing else reaches a source. An endpoint's schema has more than the
//! configuration lists: requests are checked against what is left of it ([`listed`]). Rows come
//! flat from the root list ([`rows`]), and what `query_builder` would have written is read back as
//! a typed query ([`read`]).

mod build;
mod cost;
mod describe;
mod embedded;
mod endpoint;
mod introspection;
mod limits;
mod listed;
mod names;
mod origin;
mod paging;
mod read;
mod rewrite;
mod rows;
mod run;
mod schema;
mod selected;
mod shape;
mod tenancy;
#[cfg(test)]
mod testing;
mod validate;

use contracts::tools::search::{
    BuiltQuery, IndexDescription, Measure, MeasureOp, QueryBuild, QueryProblem, QueryRun,
    QueryStructure, QueryType, SourceDescription,
};
use serde_json::Value;

pub(crate) use endpoint::Endpoint;
pub(crate) use run::run;

use self::build::{Built, Target};
use self::embedded::Embedded;
use self::schema::GraphqlSchema;
use crate::source::Engine;
use crate::{Source, SourceError};

/// Checks a structure and writes it as GraphQL, for an endpoint or for a PostgreSQL source.
pub(crate) async fn build(
    source: &Source,
    tenant: &str,
    description: &SourceDescription,
    structure: &QueryStructure,
) -> Result<QueryBuild, SourceError> {
    let ordered = !structure.sort.is_empty();
    let (index, mut checked) = match checked(source, description, structure) {
        Ok(checked) => checked,
        Err(problems) => return Ok(refused(problems)),
    };
    let written = if let Engine::Graphql(endpoint) = source.engine() {
        let known = endpoint.known(source.config()).await?;
        let schema = known.listed.schema();
        written(source, schema, index, &mut checked.structure, ordered)
    } else {
        let embedded = Embedded::of(description).map_err(|error| own(source, &error))?;
        written(
            source,
            embedded.schema(),
            index,
            &mut checked.structure,
            ordered,
        )
    };
    let built = match written {
        Ok(built) => built,
        Err(problems) => return Ok(refused(problems)),
    };
    let estimated = estimate(source, tenant, description, index, &checked.structure).await?;
    let approval = source.config().limits.approval_rows;
    let notes = checked.notes.into_iter().chain(built.notes).collect();
    Ok(QueryBuild {
        query: Some(BuiltQuery {
            source: source.name().to_owned(),
            query_type: QueryType::Graphql,
            index: index.name.clone(),
            query: serde_json::to_value(&built.query).unwrap_or(Value::Null),
            summary: search::summary(&checked.structure, index),
            structure: checked.structure,
            estimated_records: estimated,
            needs_approval: estimated.is_some_and(|records| records > approval),
            notes,
        }),
        problems: Vec::new(),
    })
}

/// Runs a typed query on an endpoint for all its records or `max_rows` of them.
pub(crate) async fn records(
    source: &Source,
    endpoint: &Endpoint,
    tenant: &str,
    description: &SourceDescription,
    structure: &QueryStructure,
    max_rows: u32,
) -> Result<QueryRun, SourceError> {
    let refused = |problems| SourceError::Refused { problems };
    let ordered = !structure.sort.is_empty();
    let (index, mut checked) = checked(source, description, structure).map_err(refused)?;
    let known = endpoint.known(source.config()).await?;
    let schema = known.listed.schema();
    let built = written(source, schema, index, &mut checked.structure, ordered).map_err(refused)?;
    run(source, tenant, &built.query, Some(max_rows)).await
}

/// A structure, checked against its index.
fn checked<'a>(
    source: &Source,
    description: &'a SourceDescription,
    structure: &QueryStructure,
) -> Result<(&'a IndexDescription, search::Checked), Vec<QueryProblem>> {
    let mut indices = description.indices.iter();
    let Some(index) = indices.find(|index| index.name == structure.index) else {
        let text = format!("There is no index '{}'.", structure.index);
        let mut unknown = search::problem("/index", "unknown_index", text);
        let names = description.indices.iter().map(|index| index.name.as_str());
        unknown.suggestions = search::nearest(&structure.index, names);
        return Err(vec![unknown]);
    };
    let checked = search::check(structure, index, &source.search_limits())?;
    Ok((index, checked))
}

/// A checked structure as GraphQL.
fn written(
    source: &Source,
    schema: &GraphqlSchema,
    index: &IndexDescription,
    structure: &mut QueryStructure,
    ordered: bool,
) -> Result<Built, Vec<QueryProblem>> {
    let target = Target {
        schema,
        index,
        root_field: describe::root_field(source.config(), &index.name),
        zone: source.config().zone(),
    };
    build::build_usual(&target, structure, ordered)
}

/// Number of records that match a query; `None` if the source does not report it.
pub(crate) async fn estimate(
    source: &Source,
    tenant: &str,
    description: &SourceDescription,
    index: &IndexDescription,
    structure: &QueryStructure,
) -> Result<Option<u64>, SourceError> {
    let mut counting = QueryStructure {
        measures: vec![Measure {
            op: MeasureOp::Count,
            field: None,
        }],
        fields: Vec::new(),
        group_by: Vec::new(),
        sort: Vec::new(),
        limit: None,
        ..structure.clone()
    };
    let run = if let Engine::Graphql(endpoint) = source.engine() {
        let known = endpoint.known(source.config()).await?;
        match written(source, known.listed.schema(), index, &mut counting, false) {
            Ok(built) => run(source, tenant, &built.query, None).await?,
            Err(_) => return Ok(None),
        }
    } else {
        let kind = QueryType::Graphql;
        source
            .run_structure(tenant, description, &counting, kind)
            .await?
    };
    Ok(run.rows.first().and_then(|row| row.get("count")?.as_u64()))
}

fn refused(problems: Vec<QueryProblem>) -> QueryBuild {
    QueryBuild {
        query: None,
        problems,
    }
}

/// The configuration error for a fault in a generated schema.
fn own(source: &Source, error: &schema::SchemaError) -> SourceError {
    tracing::error!(source = source.name(), %error, "the indices make no GraphQL schema");
    source.failed("cannot be asked in GraphQL".to_owned())
}
