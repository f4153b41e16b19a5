//! Running a request: checked, filtered by the tenant, asked, and read into rows.

use std::time::Instant;

use contracts::tools::search::{
    GraphqlQuery, IndexDescription, QueryRun, QueryStructure, QueryType, SourceDescription,
};
use serde_json::{Map, Value};

use super::embedded::{self, Embedded};
use super::endpoint::Endpoint;
use super::limits::GraphqlLimits;
use super::origin;
use super::paging::Pages;
use super::rewrite::Draft;
use super::rows::{self, Table};
use super::schema::GraphqlSchema;
use super::selected::{self, Selected};
use super::tenancy::Guard;
use super::validate::{CheckedQuery, check_request};
use crate::source::Engine;
use crate::{Source, SourceError};

/// Checks a GraphQL query and runs it; with `max_rows`, for at most this number of records,
/// whatever its own limit.
pub(crate) async fn run(
    source: &Source,
    tenant: &str,
    query: &GraphqlQuery,
    max_rows: Option<u32>,
) -> Result<QueryRun, SourceError> {
    let description = source.describe(tenant).await?;
    let limits = GraphqlLimits::of(&source.config().limits);
    let refused = |problems| SourceError::Refused { problems };
    let begun = Instant::now();
    match source.engine() {
        Engine::Graphql(endpoint) => {
            let known = endpoint.known(source.config()).await?;
            let listed = &known.listed;
            let checked = check_request(listed.schema(), query, &limits).map_err(refused)?;
            listed.check(&checked).map_err(refused)?;
            let asked = Asked {
                source,
                schema: listed.schema(),
                description: &description,
                checked: &checked,
            };
            // The tenant's condition is by a field that is not listed.
            let whole = check_request(&known.schema, query, &limits).map_err(refused)?;
            let guard = Guard::of(source.config(), tenant);
            let draft = guard
                .guarded(&known.schema, &whole)
                .map_err(SourceError::refused)?;
            let (table, partial) = asked.endpoint(endpoint, &guard, draft, max_rows).await?;
            let structure = asked.structure();
            Ok(asked.run(table, structure, partial, begun))
        }
        Engine::Postgres(_) | Engine::Elastic(_) => {
            let embedded =
                Embedded::of(&description).map_err(|error| super::own(source, &error))?;
            let checked = check_request(embedded.schema(), query, &limits).map_err(refused)?;
            let asked = Asked {
                source,
                schema: embedded.schema(),
                description: &description,
                checked: &checked,
            };
            let answer =
                embedded::execute(source, tenant, &description, &embedded, &checked, max_rows)
                    .await?;
            let mut table = asked.table(&answer.data);
            if let Some(total) = answer.total {
                table.total = total;
            }
            let structure = asked.structure();
            Ok(asked.run(table, structure, answer.partial, begun))
        }
    }
}

/// A checked request to a source.
struct Asked<'a> {
    source: &'a Source,
    schema: &'a GraphqlSchema,
    description: &'a SourceDescription,
    checked: &'a CheckedQuery,
}

impl<'a> Asked<'a> {
    /// The rows of an endpoint, and why they are not all of them.
    async fn endpoint(
        &self,
        endpoint: &Endpoint,
        guard: &Guard<'_>,
        draft: Draft,
        max_rows: Option<u32>,
    ) -> Result<(Table, Option<String>), SourceError> {
        let request = draft.request();
        let page = self.source.config().limits.max_rows;
        let pages = max_rows.and_then(|_| Pages::of(draft, self.checked, page));
        let (Some(mut pages), Some(max_rows)) = (pages, max_rows) else {
            let (mut table, partial) = self.asked(endpoint, guard, &request).await?;
            table.rows.truncate(max_rows.unwrap_or(page) as usize);
            return Ok((table, partial));
        };
        let mut whole: Option<Table> = None;
        let mut partial = None;
        while let Some(request) = pages.next(max_rows) {
            let (table, missing) = self.asked(endpoint, guard, &request).await?;
            partial = partial.or(missing);
            pages.came(table.rows.len());
            match &mut whole {
                Some(whole) => whole.rows.extend(table.rows),
                None => whole = Some(table),
            }
        }
        let mut whole = whole.ok_or_else(|| endpoint.failed("brought nothing"))?;
        whole.rows.truncate(max_rows as usize);
        let came = whole.rows.len() as u64;
        if pages.is_complete() {
            whole.total.value = whole.total.value.max(came);
            whole.total.relation = contracts::tools::search::TotalRelation::Eq;
        } else if partial.is_none() && came < whole.total.value {
            partial = Some(format!("Only the first {came} records were read."));
        }
        Ok((whole, partial))
    }

    /// One answer: its rows, and what is missing in it. A list that the source failed to return is
    /// not an empty one.
    async fn asked(
        &self,
        endpoint: &Endpoint,
        guard: &Guard<'_>,
        request: &GraphqlQuery,
    ) -> Result<(Table, Option<String>), SourceError> {
        let answer = endpoint.ask(request).await?;
        let data = selected::only(self.checked, answer.data);
        let unanswered = rows::is_unanswered(self.schema, self.checked, &data);
        let table = self.table(&guard.cleaned(data));
        if unanswered || !answer.faults.is_empty() && table.rows.is_empty() {
            return Err(endpoint.failed("could not answer the query"));
        }
        Ok((table, told(self.checked, &answer.faults)))
    }

    fn table(&self, data: &Map<String, Value>) -> Table {
        rows::table(self.schema, self.checked, data, |root| self.index(root))
    }

    /// The index that a root field is of.
    fn index(&self, root: &str) -> Option<&'a IndexDescription> {
        let config = self.source.config();
        origin::index(self.schema, config, &self.description.indices, root)
    }

    /// The typed query that this is, if `query_builder` would have written it so.
    fn structure(&self) -> Option<QueryStructure> {
        let roots = rows::roots(self.checked);
        let [root] = roots.as_slice() else {
            return None;
        };
        let index = self.index(root.name())?;
        origin::structure(self.source, self.schema, index, self.checked, root)
    }

    fn run(
        &self,
        table: Table,
        structure: Option<QueryStructure>,
        partial: Option<String>,
        begun: Instant,
    ) -> QueryRun {
        let roots = rows::roots(self.checked);
        let index = match roots.as_slice() {
            [root] => self.index(root.name()),
            _ => None,
        };
        let summary = if let (Some(structure), Some(index)) = (&structure, index) {
            search::summary(structure, index)
        } else {
            let names: Vec<_> = roots.iter().map(Selected::name).collect();
            format!("A GraphQL query for {}", names.join(", "))
        };
        QueryRun {
            source: self.source.name().to_owned(),
            served_by: self.source.kind(),
            query_type: QueryType::Graphql,
            index: index.map(|index| index.name.clone()),
            columns: table.columns,
            rows: table.rows,
            total: table.total,
            aggregated: table.counted,
            took_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            partial,
            executed_at: self.source.clock().now(),
            summary,
            structure,
        }
    }
}

/// A sentence about the missing part of an answer, by names from the query. Other words of the
/// source are not repeated.
fn told(checked: &CheckedQuery, faults: &[Vec<String>]) -> Option<String> {
    if faults.is_empty() {
        return None;
    }
    let keys = selected::keys(checked);
    let mut places: Vec<_> = faults
        .iter()
        .filter(|path| !path.is_empty() && path.iter().all(|step| keys.contains(step.as_str())))
        .map(|path| path.join("."))
        .collect();
    places.sort();
    places.dedup();
    places.truncate(5);
    Some(if places.is_empty() {
        "The source could not answer all of it.".to_owned()
    } else {
        format!("The source could not answer {}.", places.join(", "))
    })
}
