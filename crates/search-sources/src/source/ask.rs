//! From a structure or a body to an engine and back.

use contracts::tools::search::{
    BuiltQuery, IndexDescription, QueryBuild, QueryRun, QueryStructure, QueryType,
    SourceDescription,
};
use search::{Checked, Limits, elastic};
use serde_json::Value;

use super::known::Schema;
use super::{Engine, Source};
use crate::answer::SourceResult;
use crate::{SourceError, elastic as cluster, postgres};

impl Source {
    /// Limits on a typed query of this source.
    pub(crate) fn search_limits(&self) -> Limits {
        let limits = &self.config.limits;
        Limits {
            max_rows: limits.max_rows,
            default_rows: limits.default_rows,
            max_groups: limits.max_groups,
            words_in_keywords: !matches!(self.engine, Engine::Elastic(_)),
        }
    }

    /// A structure, checked against its index.
    pub(super) fn checked<'a>(
        &self,
        description: &'a SourceDescription,
        structure: &QueryStructure,
    ) -> Result<(&'a IndexDescription, Checked), SourceError> {
        let index = self.index(description, &structure.index)?;
        let checked = search::check(structure, index, &self.search_limits());
        let checked = checked.map_err(|problems| SourceError::Refused { problems })?;
        Ok((index, checked))
    }

    pub(super) fn index<'a>(
        &self,
        description: &'a SourceDescription,
        name: &str,
    ) -> Result<&'a IndexDescription, SourceError> {
        let mut indices = description.indices.iter();
        if let Some(index) = indices.find(|index| index.name == name) {
            return Ok(index);
        }
        let mut unknown = search::problem(
            "/index",
            "unknown_index",
            format!("The source '{}' has no index '{name}'.", self.name()),
        );
        let names = description.indices.iter().map(|index| index.name.as_str());
        unknown.suggestions = search::nearest(name, names);
        Err(SourceError::refused(unknown))
    }

    /// Creates the body of a search.
    pub(super) async fn build_body(
        &self,
        tenant: &str,
        description: &SourceDescription,
        structure: &QueryStructure,
    ) -> Result<QueryBuild, SourceError> {
        if let Engine::Graphql(_) = self.engine {
            return Err(self.not_asked_so("Elasticsearch's DSL"));
        }
        let (index, checked) = self.checked(description, structure)?;
        let structure = checked.structure;
        let estimated = self.validate(tenant, index, &structure).await?;
        let approval = self.config.limits.approval_rows;
        Ok(QueryBuild {
            query: Some(BuiltQuery {
                source: self.name().to_owned(),
                query_type: QueryType::Elasticsearch,
                index: index.name.clone(),
                query: elastic::render(&structure, self.config.zone(), None),
                summary: search::summary(&structure, index),
                structure,
                estimated_records: Some(estimated),
                needs_approval: estimated > approval,
                notes: checked.notes,
            }),
            problems: Vec::new(),
        })
    }

    /// Lets the engine look at a query without running it: how many records fit.
    async fn validate(
        &self,
        tenant: &str,
        index: &IndexDescription,
        structure: &QueryStructure,
    ) -> Result<u64, SourceError> {
        match &self.engine {
            Engine::Postgres(database) => {
                let schema = self.schema().await?;
                let asked = self.of_table(tenant, &schema, index, structure)?;
                database.count(&asked).await
            }
            Engine::Elastic(cluster) => {
                let asked = self.of_index(tenant, index, structure);
                if !cluster.validate(&asked).await? {
                    return Err(SourceError::refused(search::problem(
                        "",
                        "invalid",
                        format!(
                            "The source '{}' says that this query cannot be run.",
                            self.name()
                        ),
                    )));
                }
                cluster.count(&asked).await
            }
            Engine::Graphql(_) => Err(self.not_asked_so("Elasticsearch's DSL")),
        }
    }

    /// Reads a body, checks its meaning, and runs that; with `max_rows`, for at most this number of
    /// records.
    pub(super) async fn run_body(
        &self,
        tenant: &str,
        index: &str,
        body: &Value,
        max_rows: Option<u32>,
    ) -> Result<QueryRun, SourceError> {
        if let Engine::Graphql(_) = self.engine {
            return Err(self.not_asked_so("Elasticsearch's DSL"));
        }
        let refused = |problems| SourceError::Refused { problems };
        let description = self.describe(tenant).await?;
        let index = self.index(&description, index)?;
        let parsed = elastic::parse(body, index, self.config.zone()).map_err(refused)?;
        let checked = search::check(&parsed.structure, index, &self.search_limits());
        let checked = checked.map_err(|problems| {
            let located = problems.into_iter().map(|problem| parsed.locate(problem));
            refused(located.collect())
        })?;
        let schema = self.schema().await?;
        let kind = QueryType::Elasticsearch;
        self.ask(tenant, &schema, index, &checked.structure, kind, max_rows)
            .await
    }

    /// Runs a checked structure once, within its limit.
    pub(crate) async fn run_structure(
        &self,
        tenant: &str,
        description: &SourceDescription,
        structure: &QueryStructure,
        query_type: QueryType,
    ) -> Result<QueryRun, SourceError> {
        let index = self.index(description, &structure.index)?;
        let schema = self.schema().await?;
        self.ask(tenant, &schema, index, structure, query_type, None)
            .await
    }

    /// Runs a checked structure for all its records or `max_rows` of them.
    pub(crate) async fn scan_structure(
        &self,
        tenant: &str,
        description: &SourceDescription,
        structure: &QueryStructure,
        query_type: QueryType,
        max_rows: u32,
    ) -> Result<QueryRun, SourceError> {
        let index = self.index(description, &structure.index)?;
        let schema = self.schema().await?;
        self.ask(
            tenant,
            &schema,
            index,
            structure,
            query_type,
            Some(max_rows),
        )
        .await
    }

    /// Asks the engine.
    pub(super) async fn ask(
        &self,
        tenant: &str,
        schema: &Schema,
        index: &IndexDescription,
        structure: &QueryStructure,
        query_type: QueryType,
        max_rows: Option<u32>,
    ) -> Result<QueryRun, SourceError> {
        let limits = &self.config.limits;
        let aggregated = !structure.measures.is_empty();
        // Groups are not more when all records are read.
        let scan = max_rows.filter(|_| !aggregated);
        let scan = scan.map(|rows| rows.min(limits.max_scan_rows).max(1));
        let executed_at = self.clock.now();
        let answer = match &self.engine {
            Engine::Postgres(database) => {
                let mut whole = structure.clone();
                if scan.is_some() {
                    whole.limit = None;
                }
                let asked = self.of_table(tenant, schema, index, &whole)?;
                let once = if aggregated {
                    limits.max_groups
                } else {
                    limits.max_rows
                };
                database.run(&asked, scan.unwrap_or(once)).await?
            }
            Engine::Elastic(cluster) => {
                let asked = self.of_index(tenant, index, structure);
                match scan {
                    Some(rows) => cluster.scan(&asked, rows).await?,
                    None => cluster.run(&asked).await?,
                }
            }
            Engine::Graphql(_) => return Err(self.not_asked_so("Elasticsearch's DSL")),
        };
        let partial = told(&answer, scan);
        Ok(QueryRun {
            source: self.name().to_owned(),
            served_by: self.kind(),
            query_type,
            index: Some(index.name.clone()),
            columns: search::columns(structure, index),
            rows: answer.rows,
            total: answer.total,
            aggregated,
            took_ms: answer.took_ms,
            partial,
            executed_at,
            summary: search::summary(structure, index),
            structure: Some(structure.clone()),
        })
    }

    fn of_table<'a>(
        &'a self,
        tenant: &'a str,
        schema: &'a Schema,
        index: &'a IndexDescription,
        structure: &'a QueryStructure,
    ) -> Result<postgres::Asked<'a>, SourceError> {
        let table = schema.table(&index.name);
        Ok(postgres::Asked {
            config: &self.config,
            table: table.ok_or_else(|| {
                self.failed(format!(
                    "has no table for the index '{}' any more",
                    index.name
                ))
            })?,
            index,
            structure,
            tenant,
        })
    }

    pub(super) fn of_index<'a>(
        &'a self,
        tenant: &'a str,
        index: &'a IndexDescription,
        structure: &'a QueryStructure,
    ) -> cluster::Asked<'a> {
        cluster::Asked {
            config: &self.config,
            index,
            structure,
            tenant,
        }
    }
}

/// A sentence about the missing part of an answer; for a scan also that it did not reach the end.
fn told(answer: &SourceResult, scan: Option<u32>) -> Option<String> {
    let came = answer.rows.len() as u64;
    if scan.is_some() && came < answer.total.value && answer.partial.is_none() {
        let total = answer.total.value;
        return Some(format!(
            "Only the first {came} of {total} records were read."
        ));
    }
    answer.partial.clone()
}
