//! Known facts about a source: its indices and its day, kept for a minute.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, NaiveDate};
use contracts::tools::search::{
    IndexDescription, Measure, MeasureOp, QueryStructure, QueryType, SourceDescription, TodayFrom,
};
use search::sql::Table;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{Engine, Source};
use crate::{SourceError, Today};

/// Time that a schema and a day are taken for true.
const FRESH: Duration = Duration::from_mins(1);

/// The kept facts.
#[derive(Default)]
pub(super) struct Known {
    schema: Mutex<Loaded>,
    /// By tenant: each sees its own day.
    descriptions: Mutex<Descriptions>,
}

#[derive(Default)]
struct Loaded {
    schema: Option<(Instant, Arc<Schema>)>,
    /// The time and error of the last failed read. Waiting callers get this error instead of
    /// another attempt.
    failure: Option<(Instant, SourceError)>,
}

/// The indices, and the tables that they are in PostgreSQL.
pub(super) struct Schema {
    pub(super) indices: Vec<IndexDescription>,
    tables: HashMap<String, Table>,
}

impl Schema {
    pub(super) fn table(&self, index: &str) -> Option<&Table> {
        self.tables.get(index)
    }
}

type Descriptions = HashMap<String, (Instant, Arc<SourceDescription>)>;

/// Keeps a description, and none that is old.
fn keep(descriptions: &mut Descriptions, tenant: &str, description: &Arc<SourceDescription>) {
    descriptions.retain(|_, (made, _)| made.elapsed() < FRESH);
    let kept = (Instant::now(), Arc::clone(description));
    descriptions.insert(tenant.to_owned(), kept);
}

impl Source {
    /// Its indices and fields, and its day, as they were within the last minute.
    pub async fn describe(&self, tenant: &str) -> Result<Arc<SourceDescription>, SourceError> {
        if !self.is_for(tenant) {
            return Err(SourceError::refused(search::problem(
                "",
                "not_allowed",
                format!("There is no source '{}'.", self.name()),
            )));
        }
        let schema = self.schema().await?;
        let mut descriptions = self.known.descriptions.lock().await;
        if let Some((made, description)) = descriptions.get(tenant)
            && made.elapsed() < FRESH
        {
            return Ok(Arc::clone(description));
        }
        let description = self.described(tenant, &schema).await?;
        keep(&mut descriptions, tenant, &description);
        Ok(description)
    }

    async fn described(
        &self,
        tenant: &str,
        schema: &Schema,
    ) -> Result<Arc<SourceDescription>, SourceError> {
        let (today, today_from) = self.today(tenant, schema).await?;
        let mut description = self.without_indices(today, today_from);
        description.indices.clone_from(&schema.indices);
        Ok(Arc::new(description))
    }

    /// Forgets what is kept, so that [`Source::describe`] asks the source itself.
    pub async fn forget(&self) {
        *self.known.schema.lock().await = Loaded::default();
        self.known.descriptions.lock().await.clear();
    }

    /// Reads its schema and its day again, so that [`Source::describe`] finds them fresh and no
    /// request waits for them.
    pub async fn refresh(&self, tenant: &str) -> Result<(), SourceError> {
        if !self.is_for(tenant) {
            return Ok(());
        }
        let schema = Arc::new(self.read_schema().await?);
        self.known.schema.lock().await.schema = Some((Instant::now(), Arc::clone(&schema)));
        let description = self.described(tenant, &schema).await?;
        keep(
            &mut *self.known.descriptions.lock().await,
            tenant,
            &description,
        );
        Ok(())
    }

    /// [`Source::describe`], and of a source that is away at least what is configured, with the
    /// reason under `unavailable`.
    pub async fn overview(&self, tenant: &str) -> Arc<SourceDescription> {
        match self.describe(tenant).await {
            Ok(description) => description,
            Err(error) => {
                let (today, today_from) = match self.config.today {
                    Today::Day(day) => (day, TodayFrom::Configuration),
                    _ => (self.clock_day(), TodayFrom::Clock),
                };
                Arc::new(SourceDescription {
                    unavailable: Some(error.sentence(self.name())),
                    ..self.without_indices(today, today_from)
                })
            }
        }
    }

    fn without_indices(&self, today: NaiveDate, today_from: TodayFrom) -> SourceDescription {
        SourceDescription {
            name: self.config.name.clone(),
            description: self.config.description.clone(),
            kind: self.config.kind,
            query_types: self.query_types().to_vec(),
            time_zone: self.config.zone().name().to_owned(),
            today,
            today_from,
            unavailable: None,
            indices: Vec::new(),
        }
    }

    /// The schema, read when it is first needed and when it is old. Callers at the same time share
    /// one attempt.
    pub(super) async fn schema(&self) -> Result<Arc<Schema>, SourceError> {
        let asked = Instant::now();
        let mut loaded = self.known.schema.lock().await;
        if let Some((read, schema)) = &loaded.schema
            && read.elapsed() < FRESH
        {
            return Ok(Arc::clone(schema));
        }
        if let Some((failed, error)) = &loaded.failure
            && *failed >= asked
        {
            return Err(error.clone());
        }
        match self.read_schema().await {
            Ok(schema) => {
                let schema = Arc::new(schema);
                loaded.schema = Some((Instant::now(), Arc::clone(&schema)));
                Ok(schema)
            }
            Err(error) => {
                loaded.failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn read_schema(&self) -> Result<Schema, SourceError> {
        let mut tables = HashMap::new();
        let indices = match &self.engine {
            Engine::Postgres(database) => {
                let mut indices = Vec::new();
                for (index, table) in database.introspect(&self.config).await? {
                    tables.insert(index.name.clone(), table);
                    indices.push(index);
                }
                indices
            }
            Engine::Elastic(cluster) => cluster.indices(&self.config).await?,
            Engine::Graphql(endpoint) => endpoint.indices(&self.config).await?,
        };
        Ok(Schema { indices, tables })
    }

    fn clock_day(&self) -> NaiveDate {
        let zone = self.config.zone();
        self.clock.now().with_timezone(&zone).date_naive()
    }

    async fn today(
        &self,
        tenant: &str,
        schema: &Schema,
    ) -> Result<(NaiveDate, TodayFrom), SourceError> {
        let clock = self.clock_day();
        match self.config.today {
            Today::Clock => return Ok((clock, TodayFrom::Clock)),
            Today::Day(day) => return Ok((day, TodayFrom::Configuration)),
            Today::Data => {}
        }
        let mut newest: Option<NaiveDate> = None;
        for index in &schema.indices {
            if let Some(date_field) = &index.date_field {
                newest = newest.max(self.newest_day(tenant, schema, index, date_field).await?);
            }
        }
        Ok(match newest.filter(|newest| *newest < clock) {
            Some(newest) => (newest, TodayFrom::Data),
            None => (clock, TodayFrom::Clock),
        })
    }

    async fn newest_day(
        &self,
        tenant: &str,
        schema: &Schema,
        index: &IndexDescription,
        date_field: &str,
    ) -> Result<Option<NaiveDate>, SourceError> {
        let newest = Measure {
            op: MeasureOp::Maximum,
            field: Some(date_field.to_owned()),
        };
        let name = newest.name();
        let structure = QueryStructure {
            index: index.name.clone(),
            measures: vec![newest],
            ..QueryStructure::default()
        };
        let checked = search::check(&structure, index, &self.search_limits())
            .map_err(|problems| SourceError::Refused { problems })?;
        let kind = QueryType::Elasticsearch;
        let run = self
            .ask(tenant, schema, index, &checked.structure, kind, None)
            .await?;
        let value = run.rows.first().and_then(|row| row.get(&name)?.as_str());
        Ok(value.and_then(|text| self.day_of(&Value::from(text))))
    }

    /// The day of a date, in the source's zone.
    fn day_of(&self, value: &Value) -> Option<NaiveDate> {
        let text = value.as_str()?;
        let moment = DateTime::parse_from_rfc3339(text).ok();
        match moment {
            Some(moment) => Some(moment.with_timezone(&self.config.zone()).date_naive()),
            None => text.parse().ok(),
        }
    }
}
