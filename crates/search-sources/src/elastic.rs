//! Elasticsearch and OpenSearch, over HTTP.
//!
//! Only bodies that [`search::elastic::render`] wrote are sent, to indices of the configuration,
//! with the tenant's filter in them. Redirects are not followed, answers have a limit of bytes and
//! time, and what a cluster says of itself when it fails goes to the log.

mod http;
mod mapping;

use chrono_tz::Tz;
use contracts::tools::search::{IndexDescription, QueryStructure, Total, TotalRelation};
use http_client::HttpClient;
use search::elastic::{Response, Tenant, filter_of, read_response, render};
use serde_json::{Value, json};

use crate::answer::SourceResult;
use crate::{IndexConfig, SourceConfig, SourceError};

use self::http::{Call, Connection};

/// Number of records that a page of a scan has.
const PAGE: u32 = 1_000;

/// Maximum number of indices that are discovered.
const MOST_FOUND: usize = 200;

/// Maximum offset that Elasticsearch reads without a unique order: `index.max_result_window`.
const WINDOW: u32 = 10_000;

/// A cluster.
pub(crate) struct Cluster {
    connection: Connection,
}

/// A query of an index.
pub(crate) struct Asked<'a> {
    pub(crate) config: &'a SourceConfig,
    pub(crate) index: &'a IndexDescription,
    pub(crate) structure: &'a QueryStructure,
    pub(crate) tenant: &'a str,
}

impl Cluster {
    /// Of the configuration; nothing is sent.
    pub(crate) fn open(config: &SourceConfig, client: &HttpClient) -> Result<Cluster, SourceError> {
        Ok(Cluster {
            connection: Connection::open(config, client)?,
        })
    }

    /// The indices of the cluster that are none of its own.
    pub(crate) async fn discover(
        &self,
        config: &SourceConfig,
    ) -> Result<Vec<IndexConfig>, SourceError> {
        let call = Call::get(["_mapping"]);
        let answer = self.connection.call(config, &call).await?;
        let indices = answer.as_object();
        let indices = indices.ok_or_else(|| self.connection.unreadable())?;
        let own = |name: &String| name.starts_with('.');
        let mut names: Vec<(&String, &Value)> =
            indices.iter().filter(|(name, _)| !own(name)).collect();
        names.sort_by_key(|(name, _)| *name);
        let found = names.into_iter().take(MOST_FOUND);
        Ok(found.map(|(name, body)| discovered(name, body)).collect())
    }

    /// The indices as they are mapped now. One that the cluster does not have is left out, unless
    /// it has none of them.
    pub(crate) async fn indices(
        &self,
        config: &SourceConfig,
    ) -> Result<Vec<IndexDescription>, SourceError> {
        let mut indices = Vec::new();
        let mut missing = None;
        for index in &config.indices {
            let call = Call::get([&index.name, "_mapping"]);
            match self.connection.call(config, &call).await {
                Ok(body) => match mapping::index_of(config, index, &body) {
                    Some(described) => indices.push(described),
                    None => return Err(self.connection.unreadable()),
                },
                Err(error @ SourceError::Failed { .. }) => {
                    tracing::warn!(
                        source = config.name,
                        index = index.name,
                        "the index cannot be described"
                    );
                    missing = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        match missing {
            Some(error) if indices.is_empty() => Err(error),
            _ => Ok(indices),
        }
    }

    /// Whether the engine accepts the query part; `true` if it does not say.
    pub(crate) async fn validate(&self, asked: &Asked<'_>) -> Result<bool, SourceError> {
        let body = json!({"query": asked.filter()});
        let call = Call::post([&asked.index.name, "_validate", "query"], &body);
        match self.connection.call(asked.config, &call).await {
            Ok(answer) => Ok(answer.get("valid") != Some(&Value::Bool(false))),
            // Some hosted clusters do not offer it.
            Err(SourceError::Failed { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Number of records that fit.
    pub(crate) async fn count(&self, asked: &Asked<'_>) -> Result<u64, SourceError> {
        let body = json!({"query": asked.filter()});
        let call = Call::post([&asked.index.name, "_count"], &body);
        let answer = self.connection.call(asked.config, &call).await?;
        let count = answer.get("count").and_then(Value::as_u64);
        count.ok_or_else(|| self.connection.unreadable())
    }

    /// A number that the cluster increases with each change of an index; `None` if the cluster does
    /// not report one.
    pub(crate) async fn changes(&self, config: &SourceConfig, index: &str) -> Option<String> {
        let call = Call::get([index, "_stats", "indexing"]);
        let answer = self.connection.call(config, &call).await.ok()?;
        let indexing = answer.pointer("/_all/primaries/indexing")?;
        let number = |name: &str| indexing.get(name)?.as_u64();
        Some(format!(
            "{}-{}",
            number("index_total")?,
            number("delete_total")?
        ))
    }

    /// One search.
    pub(crate) async fn run(&self, asked: &Asked<'_>) -> Result<SourceResult, SourceError> {
        let body = render(asked.structure, asked.zone(), asked.tenant());
        let response = self.search(asked, &body).await?;
        let total = response.total;
        Ok(SourceResult {
            total: total.ok_or_else(|| self.connection.unreadable())?,
            rows: response.rows,
            took_ms: response.took_ms,
            partial: response.partial,
        })
    }

    /// The records of a query, page after page, up to `max_rows` of them.
    pub(crate) async fn scan(
        &self,
        asked: &Asked<'_>,
        max_rows: u32,
    ) -> Result<SourceResult, SourceError> {
        let has_ties = !is_ordered_by_id(asked);
        let most = if has_ties {
            max_rows.min(WINDOW)
        } else {
            max_rows
        };
        let page_size = if has_ties { most } else { most.min(PAGE) };
        let mut page = asked.structure.clone();
        page.limit = Some(page_size);
        let mut answer = SourceResult {
            rows: Vec::new(),
            total: Total {
                value: 0,
                relation: TotalRelation::Eq,
            },
            took_ms: 0,
            partial: None,
        };
        let mut after: Option<Vec<Value>> = None;
        loop {
            let came = u32::try_from(answer.rows.len()).unwrap_or(u32::MAX);
            page.limit = Some(page_size.min(most.saturating_sub(came)));
            let mut body = render(&page, asked.zone(), asked.tenant());
            if let Some(after) = &after {
                // Counted once.
                body["track_total_hits"] = false.into();
                body["search_after"] = after.clone().into();
            }
            let response = self.search(asked, &body).await?;
            if after.is_none() {
                answer.total = response.total.ok_or_else(|| self.connection.unreadable())?;
            }
            answer.took_ms += response.took_ms;
            answer.partial = answer.partial.or(response.partial);
            let rows = response.rows.len();
            answer.rows.extend(response.rows);
            after = response.last_sort;
            let full = rows == page.limit.unwrap_or(0) as usize;
            if has_ties || !full || after.is_none() || answer.rows.len() >= most as usize {
                return Ok(answer);
            }
        }
    }

    async fn search(&self, asked: &Asked<'_>, body: &Value) -> Result<Response, SourceError> {
        let timeout = format!("{}ms", asked.config.limits.timeout_ms);
        let call = Call::post([&asked.index.name, "_search"], body).with("timeout", &timeout);
        let answer = self.connection.call(asked.config, &call).await?;
        let groups = asked.config.limits.max_groups;
        read_response(&answer, asked.structure, asked.index, asked.zone(), groups)
            .ok_or_else(|| self.connection.unreadable())
    }
}

impl Asked<'_> {
    fn zone(&self) -> Tz {
        self.config.zone()
    }

    fn tenant(&self) -> Option<Tenant<'_>> {
        let field = self.config.tenant_field.as_deref()?;
        Some(Tenant {
            field,
            name: self.tenant,
        })
    }

    fn filter(&self) -> Value {
        filter_of(self.structure, self.zone(), self.tenant())
    }
}

/// An index with its only date, if it has one.
fn discovered(name: &str, body: &Value) -> IndexConfig {
    let fields = body.pointer("/mappings/properties");
    let fields = fields.and_then(Value::as_object).into_iter().flatten();
    let mut dates = fields.filter(|(_, field)| field["type"] == "date");
    let date_field = match (dates.next(), dates.next()) {
        (Some((date, _)), None) => Some(date.clone()),
        _ => None,
    };
    IndexConfig {
        name: name.to_owned(),
        nouns: vec![name.replace(['_', '-'], " ")],
        date_field,
        ..IndexConfig::default()
    }
}

/// Whether the order has no ties, so that a page can begin after the last one.
fn is_ordered_by_id(asked: &Asked<'_>) -> bool {
    let Some(id) = asked.index.id_field.as_deref() else {
        return false;
    };
    let fields = search::Fields::of(asked.index);
    let exact = fields.find(id).and_then(search::Field::exact);
    let mut sort = asked.structure.sort.iter();
    exact.is_some_and(|id| sort.any(|sort| sort.by == id.name))
}
