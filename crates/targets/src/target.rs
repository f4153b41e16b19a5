//! A target database, and all of them by name.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use join_graph::{Document, Graph, Relationship};
use serde_json::{Map, Value};
use sql_guard::{Checked, Dialect, Finding, Kind};
use tokio::sync::Mutex;
use tokio_util::task::TaskTracker;

mod all;
mod asked;
mod refresh;
mod role;

use crate::catalogue::{Catalogue, Given, build};
use crate::connection::Pool;
use crate::fingerprint;
use crate::own_rows::OwnRows;
use crate::policy::PolicyFile;
use crate::questions;
use crate::queue::{Asker, Bounds, Queue};
use crate::run::Limits;
use crate::standing::{Nothing, State, TargetStatus};
use crate::weigh::Scales;
use crate::{TargetConfig, TargetError};
pub use all::{KeptTarget, Targets};
use refresh::Refreshed;
use role::RoleSeen;

/// When to ask a target again that had no turn to give.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// One database that questions are put to.
#[derive(Debug)]
pub struct Target {
    config: TargetConfig,
    dialect: Dialect,
    pool: Pool,
    catalogue: Mutex<Loaded>,
    /// Reading the catalogue again on demand, one at a time.
    refreshing: Mutex<Refreshed>,
    /// Number of times that it was read.
    readings: AtomicU64,
    queue: Queue,
    /// Statements that hold a turn, whether their callers are still there or not.
    running: TaskTracker,
    own_rows: OwnRows,
    role: Mutex<RoleSeen>,
    /// How it stood when its catalogue was last read, or was to be.
    standing: std::sync::Mutex<Option<TargetStatus>>,
}

#[derive(Debug, Default)]
struct Loaded {
    catalogue: Option<(Instant, Arc<Catalogue>)>,
    /// The time and error of the last failed load. Waiting callers get this error instead of
    /// another attempt.
    failure: Option<(Instant, TargetError)>,
}

impl Target {
    /// A target that connects when it is first used. Fails if its address is none.
    pub fn new(config: TargetConfig) -> Result<Target, TargetError> {
        let pool = Pool::new(&config)?;
        let dialect = config.dialect().ok_or_else(|| TargetError::Policy {
            message: format!(
                "The url of the target '{}' is no database URL.",
                config.name
            ),
        })?;
        Ok(Target {
            queue: Queue::new(Bounds::of(&config)),
            config,
            dialect,
            pool,
            catalogue: Mutex::default(),
            refreshing: Mutex::default(),
            readings: AtomicU64::new(0),
            running: TaskTracker::new(),
            own_rows: OwnRows::default(),
            role: Mutex::default(),
            standing: std::sync::Mutex::default(),
        })
    }

    /// The configured name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// A name that no other target has: two tenants may keep targets of one name.
    pub fn key(&self) -> String {
        match &self.config.kept.tenant {
            // No name of a target has a space.
            Some(tenant) => format!("{} {tenant}", self.name()),
            None => self.name().to_owned(),
        }
    }

    /// Whether it is kept in a database, for one tenant.
    pub fn is_kept(&self) -> bool {
        self.config.kept.tenant.is_some()
    }

    /// The operator's description of its contents.
    pub fn description(&self) -> Option<&str> {
        self.config.description.as_deref()
    }

    /// How it writes SQL.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether a tenant may ask it.
    pub fn is_for(&self, tenant: &str) -> bool {
        self.config.is_for(tenant)
    }

    /// A tenant that may ask it: one that is named, if there is one.
    pub fn any_tenant(&self) -> String {
        self.config.any_tenant()
    }

    /// Its limits; take fewer rows with [`Limits::with_max_rows`].
    pub fn limits(&self) -> Limits {
        Limits::of(&self.config)
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), TargetError> {
        self.pool.ping().await
    }

    /// What may be asked of it. Read from the database when it is first needed and when it is old;
    /// while that fails, the old one is given, or the failure if there is none. Callers at the same
    /// time share one attempt. Fails while the role that it is read with may do more than read.
    pub async fn catalogue(&self) -> Result<Arc<Catalogue>, TargetError> {
        let catalogue = self.known_catalogue().await?;
        self.still_reads(&catalogue).await?;
        Ok(catalogue)
    }

    /// Looks at it without a question: one that could not be asked, or had nothing to ask for, is
    /// read again.
    pub async fn look_over(&self) -> Result<Arc<Catalogue>, TargetError> {
        let state = self.standing().map(|standing| standing.state);
        if matches!(
            state,
            Some(State::Away | State::LoginRefused | State::RoleRefused | State::Misconfigured)
        ) {
            return self.refresh().await;
        }
        let catalogue = self.catalogue().await?;
        let lacks = catalogue.nothing.is_some() || !catalogue.withheld.is_empty();
        let read = if lacks {
            self.look_again(&catalogue).await
        } else {
            None
        };
        Ok(read.unwrap_or(catalogue))
    }

    async fn known_catalogue(&self) -> Result<Arc<Catalogue>, TargetError> {
        let asked = Instant::now();
        let mut loaded = self.catalogue.lock().await;
        let lasts = Duration::from_secs(self.config.catalogue_seconds);
        let old = match &loaded.catalogue {
            Some((read, catalogue)) if lasts.is_zero() || read.elapsed() < lasts => {
                return Ok(Arc::clone(catalogue));
            }
            Some((_, catalogue)) => Some(Arc::clone(catalogue)),
            None => None,
        };
        match &loaded.failure {
            Some((failed, error)) if *failed >= asked => return old.ok_or_else(|| error.clone()),
            _ => {}
        }
        match self.load().await {
            Ok(catalogue) => Ok(loaded.keep(catalogue)),
            Err(error) => {
                loaded.failure = Some((Instant::now(), error.clone()));
                old.ok_or(error)
            }
        }
    }

    /// Number of times that the catalogue was read, or was tried to be.
    pub fn readings(&self) -> u64 {
        self.readings.load(Ordering::Relaxed)
    }

    /// Checks a statement of a tenant, for at most `max_rows` rows: what may run, or everything
    /// that is wrong with it. One row more is let through, by which [`Target::run`] notices that
    /// there are more. A statement that names a table or a column which the catalogue does not have
    /// is checked again if the catalogue is another once it is read again.
    pub async fn check(
        &self,
        sql: &str,
        tenant: &str,
        max_rows: u64,
    ) -> Result<Result<Checked, Vec<Finding>>, TargetError> {
        let catalogue = self.catalogue().await?;
        let checked = self.check_with(&catalogue, sql, tenant, max_rows)?;
        let is_unknown =
            |finding: &Finding| matches!(finding.kind, Kind::UnknownTable | Kind::UnknownColumn);
        if !matches!(&checked, Err(found) if found.iter().any(is_unknown)) {
            return Ok(checked);
        }
        match self.look_again(&catalogue).await {
            Some(catalogue) => self.check_with(&catalogue, sql, tenant, max_rows),
            None => Ok(checked),
        }
    }

    /// As [`Target::check`], by the catalogue as it was read last.
    pub async fn check_as_known(
        &self,
        sql: &str,
        tenant: &str,
        max_rows: u64,
    ) -> Result<Result<Checked, Vec<Finding>>, TargetError> {
        let catalogue = self.catalogue().await?;
        self.check_with(&catalogue, sql, tenant, max_rows)
    }

    fn check_with(
        &self,
        catalogue: &Catalogue,
        sql: &str,
        tenant: &str,
        max_rows: u64,
    ) -> Result<Result<Checked, Vec<Finding>>, TargetError> {
        self.check_within(catalogue, sql, tenant, max_rows.min(self.config.max_rows))
    }

    fn check_within(
        &self,
        catalogue: &Catalogue,
        sql: &str,
        tenant: &str,
        max_rows: u64,
    ) -> Result<Result<Checked, Vec<Finding>>, TargetError> {
        if !self.is_for(tenant) {
            return Err(TargetError::Policy {
                message: format!("The tenant '{tenant}' may not ask '{}'.", self.name()),
            });
        }
        catalogue.check(sql, tenant, max_rows)
    }

    /// As [`Target::samples`] for the asker's tenant, when it is the asker's turn.
    pub async fn samples_for(
        self: &Arc<Self>,
        asker: &Asker,
        table: &str,
        rows: u64,
    ) -> Result<Vec<Map<String, Value>>, TargetError> {
        let (target, tenant) = (Arc::clone(self), asker.tenant.clone());
        let table = table.to_owned();
        self.in_turn(asker, async move {
            Box::pin(target.samples(&table, &tenant, rows)).await
        })
        .await
    }

    /// Time that a statement may wait for its turn.
    pub fn longest_wait(&self) -> Duration {
        Duration::from_millis(self.config.queue_timeout_ms)
    }

    /// At most `rows` rows of a table that the tenant may see, long values cut; none if there is no
    /// such table.
    pub async fn samples(
        &self,
        table: &str,
        tenant: &str,
        rows: u64,
    ) -> Result<Vec<Map<String, Value>>, TargetError> {
        let catalogue = self.catalogue().await?;
        let rows = rows.min(self.config.sample_rows);
        let Some(table) = catalogue.table(table).filter(|_| rows > 0) else {
            return Ok(Vec::new());
        };
        let quote = if self.dialect == Dialect::MySql {
            '`'
        } else {
            '"'
        };
        let quoted = |name: &str| format!("{quote}{name}{quote}");
        let name = match &table.schema {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(table.bare_name())),
            None => quoted(&table.name),
        };
        let sql = format!("SELECT * FROM {name}");
        let checked = match self.check_as_known(&sql, tenant, rows).await? {
            Ok(checked) => checked,
            Err(findings) => {
                let why = findings
                    .first()
                    .map_or_else(String::new, ToString::to_string);
                return Err(TargetError::Policy { message: why });
            }
        };
        let found = self
            .run(&checked, &self.limits().with_max_rows(rows))
            .await?;
        let cut = |row: Map<String, Value>| {
            row.into_iter()
                .map(|(name, value)| (name, self.cut(value)))
                .collect()
        };
        Ok(found.rows.into_iter().map(cut).collect())
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// How it stood when its catalogue was last read, or was to be; nothing before that.
    pub fn standing(&self) -> Option<TargetStatus> {
        self.last_standing().clone()
    }

    /// From which confidence on relationships are joined over.
    pub fn confidence_threshold(&self) -> f64 {
        self.config.confidence_threshold
    }

    /// Proposed joins, each `[from table, from column, to table, to column]`: those whose columns
    /// exist, are of one kind, and hold the same values as far as the data may be looked at.
    pub async fn proposed(&self, wanted: &[[&str; 4]]) -> Result<Vec<Relationship>, TargetError> {
        let catalogue = self.catalogue().await?;
        Ok(self.scales().proposed(&catalogue, wanted).await)
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    fn scales(&self) -> Scales<'_> {
        Scales {
            pool: &self.pool,
            config: &self.config,
            dialect: self.dialect,
        }
    }

    fn last_standing(&self) -> std::sync::MutexGuard<'_, Option<TargetStatus>> {
        self.standing
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    async fn load(&self) -> Result<Catalogue, TargetError> {
        let outcome = self.read().await;
        let standing = TargetStatus::of(outcome.as_ref());
        if let Some(problem) = &standing.problem {
            tracing::warn!(
                target_database = self.name(),
                "the target cannot be asked: {problem}"
            );
        }
        *self.last_standing() = Some(standing);
        outcome
    }

    async fn read(&self) -> Result<Catalogue, TargetError> {
        let started = Instant::now();
        self.readings.fetch_add(1, Ordering::Relaxed);
        let policy = self
            .config
            .policy_file
            .as_deref()
            .map(PolicyFile::load)
            .transpose()?
            .unwrap_or_default();
        let graph = self
            .config
            .graph_file
            .as_deref()
            .map(Document::load)
            .transpose()
            .map_err(|error| TargetError::Policy {
                message: format!(
                    "The graph file of the target '{}' cannot be used: {error}.",
                    self.name()
                ),
            })?;
        let mut questions = self
            .config
            .questions_file
            .as_deref()
            .map(questions::load)
            .transpose()?
            .unwrap_or_default();
        let kept = &self.config.kept;
        let policy = match &self.config.policy_file {
            Some(_) => policy,
            None => kept.policy_file().map_err(|error| TargetError::Policy {
                message: format!(
                    "The rules of the target '{}' are not valid: {error}.",
                    self.name()
                ),
            })?,
        };
        questions.extend(kept.questions.iter().cloned());
        self.check_role().await?;
        if kept.refuse_own && self.pool.is_own().await? {
            return Err(TargetError::Policy {
                message: format!(
                    "The target '{}' is a database of this product, which cannot be a target.",
                    self.name()
                ),
            });
        }
        let found = self.pool.introspect().await?;
        let guesses = graph.is_none();
        let mut catalogue = build(
            &found,
            Given {
                config: &self.config,
                policy,
                graph,
            },
        )?;
        catalogue.questions = questions;
        catalogue.nothing = Nothing::of(&catalogue, self.name(), &found);
        if guesses {
            self.scales().weigh(&mut catalogue).await?;
        }
        if !kept.joins.is_empty() {
            catalogue.document = kept.judged(&catalogue.document);
            let threshold = self.config.confidence_threshold;
            catalogue.graph = Graph::new(&catalogue.document, threshold).map_err(|error| {
                TargetError::Policy {
                    message: format!("The join graph cannot be used: {error}."),
                }
            })?;
        }
        kept.describe(&mut catalogue);
        if let Some(path) = self.config.policy_file.as_deref() {
            catalogue.rules = fingerprint::rules(path)?;
        } else {
            catalogue.rules = kept.policy.clone();
        }
        tracing::info!(
            target_database = self.name(),
            tables = catalogue.tables.len(),
            relationships = catalogue.graph.relationships().len(),
            elapsed_ms = started.elapsed().as_secs_f64() * 1000.0,
            "a target database was looked at"
        );
        for note in &catalogue.notes {
            tracing::warn!(target_database = self.name(), "{note}");
        }
        Ok(catalogue)
    }

    fn cut(&self, value: Value) -> Value {
        let most = self.config.sample_value_chars;
        let text = match value {
            Value::String(text) => text,
            Value::Array(_) | Value::Object(_) => value.to_string(),
            short => return short,
        };
        if text.chars().count() <= most {
            return text.into();
        }
        let start: String = text.chars().take(most).collect();
        format!("{start}…").into()
    }
}

impl Loaded {
    fn keep(&mut self, catalogue: Catalogue) -> Arc<Catalogue> {
        let catalogue = Arc::new(catalogue);
        self.failure = None;
        self.catalogue = Some((Instant::now(), Arc::clone(&catalogue)));
        catalogue
    }
}
