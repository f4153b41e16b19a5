//! The eight tools over target databases. Each is a module with a `run`; the crate `targets` has
//! the guard, the connections and the limits, and `past_questions` the confirmed questions in the
//! service's own database.
//!
//! A tenant sees the targets that are configured for it and no answer reveals others. A target
//! that is away fails the calls that need it, by its name, and nothing else: nothing is connected
//! to before it is asked for.

mod check_sql;
mod confirm_question;
mod describe_tables;
mod find_join_paths;
mod find_past_questions;
mod forget_question;
mod list_tables;
mod run_sql;

mod administration;
mod catalogue_index;
pub mod config;
mod first;
mod keeping;
mod known_tables;
mod offered;
mod past_questions;
mod question;
mod ranking;
mod refresh;
pub(crate) mod words;

pub(crate) use run_sql::result_columns;
pub(crate) use words::words as identifier_words;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contracts::problem::Problem;
use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{
    ColumnPair, JoinEdge, RunSqlArguments, SqlDialect, SqlFinding, SqlRun,
};
use contracts::tools::{Descriptor, registry};
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use llm::Embedder;
use service_kit::clock::SharedClock;
use service_kit::identity::Identity;
use service_kit::problem::ApiError;
use sqlx::PgPool;
use targets::join_graph::{Cardinality, Relationship, RelationshipType};
use targets::{
    Asker, Away, Catalogue, Crowd, Dialect, Finding, Kind, Target, TargetConfig, TargetError,
    Targets,
};

use crate::added_targets::AddedTargets;
use crate::error::Error;
use crate::meaning::Meaning;
use crate::metrics;
use crate::toolbox::{Call, Family, dispatch};
use catalogue_index::{Indexed, Indexes};
use config::SqlConfig;
use first::FirstQuestions;

/// How the ids of questions begin that come with a target.
const OPERATORS: &str = "target:";

/// How the ids of questions begin that were made of the tables of a target.
const MADE: &str = "made:";

/// Time for the parts of a call beside the query: waiting for a connection, reading the catalogue,
/// writing the answer.
const BESIDES: Duration = Duration::from_secs(15);

/// The tools over target databases and what they work with.
pub struct SqlTools {
    targets: Targets,
    /// The targets that tenants added.
    added: Arc<AddedTargets>,
    /// The database of confirmed questions.
    pool: PgPool,
    settings: SqlConfig,
    clock: SharedClock,
    meaning: Meaning,
    indexes: Indexes,
    first: FirstQuestions,
}

impl SqlTools {
    /// Tools over these targets. Without an embedding model, words are compared.
    pub fn new(
        added: Arc<AddedTargets>,
        pool: PgPool,
        settings: SqlConfig,
        clock: SharedClock,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Self {
        Self {
            targets: added.targets().clone(),
            added,
            pool,
            settings,
            clock,
            meaning: Meaning::new(embedder),
            indexes: Indexes::default(),
            first: FirstQuestions::default(),
        }
    }

    /// Longer than the slowest call of a target takes.
    pub fn slowest(&self) -> Duration {
        let slowest = self
            .targets
            .iter()
            .map(|target| target.longest_wait() + target.limits().timeout)
            .max();
        // Those that are added have the defaults.
        let added = self.added.config().enabled.then(|| {
            let defaults = TargetConfig::default();
            Duration::from_millis(defaults.queue_timeout_ms + defaults.statement_timeout_ms)
        });
        let slowest = slowest.max(added);
        slowest.map_or(Duration::ZERO, |slowest| slowest + BESIDES)
    }

    async fn run(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        contracts::sql_tools!(dispatch [self, call, call.caller])
    }

    /// Runs a query for a caller who exports its rows.
    pub(crate) async fn rows(
        &self,
        caller: &Identity,
        arguments: RunSqlArguments,
    ) -> Result<ToolEnvelope<SqlRun>, Error> {
        Box::pin(run_sql::run(self, caller, arguments)).await
    }

    /// The target that a call is about: by its name, or the tenant's first.
    async fn target(&self, tenant: &str, wanted: Option<&str>) -> Result<Arc<Target>, Error> {
        self.added.find(wanted, tenant).await.ok_or_else(|| {
            let visible = self.targets.for_tenant(tenant);
            let names: Vec<&str> = visible.iter().map(|target| target.name()).collect();
            Error::no_data(match wanted {
                Some(wanted) if !names.is_empty() => {
                    format!("There is no database '{wanted}'. There is: {}.", names.join(", "))
                }
                _ => format!(
                    "No business database is connected for '{tenant}'. An administrator of the tenant adds one with `heliograph targets add`, \
                     or an operator in the tools service's configuration: a section [[targets]] with name, url, and '{tenant}' (or '*') among its tenants."
                ),
            })
        })
    }

    /// The catalogue of a target. Fails if it is empty, as no question to it has an answer.
    async fn catalogue(&self, target: &Target) -> Result<Arc<Catalogue>, Error> {
        let catalogue = target
            .catalogue()
            .await
            .map_err(|error| unanswered(target.name(), &error))?;
        match &catalogue.nothing {
            None => Ok(catalogue),
            Some(nothing) => Err(Error::impossible(format!(
                "{} Its operator can change that.",
                nothing.why()
            ))),
        }
    }

    /// The first target of a tenant of which nothing is known that keeps it from answering.
    fn first_to_ask(&self, tenant: &str) -> Option<Arc<Target>> {
        let targets = self.targets.for_tenant(tenant);
        let is_well = |target: &Arc<Target>| {
            let standing = target.standing();
            standing.is_none_or(|standing| standing.problem.is_none())
        };
        targets.into_iter().find(is_well)
    }

    /// Reads a target again whose policy hides a table of the question because of a name that was
    /// not there: it may be there by now.
    async fn look_for_withheld(&self, target: &Target, question: &str) {
        let Ok(catalogue) = target.catalogue().await else {
            return;
        };
        let said = words::stems(question);
        let is_named = |table: &String| {
            let name = words::stems(table);
            !name.is_empty() && name.iter().all(|word| said.contains(word))
        };
        if catalogue.withheld.iter().any(is_named) {
            target.look_again(&catalogue).await;
        }
    }

    /// The catalogue of a target, ready to be searched.
    async fn indexed(&self, target: &Target) -> Result<Arc<Indexed>, Error> {
        let catalogue = self.catalogue(target).await?;
        let key = target.key();
        Ok(self.indexes.of(&key, catalogue, self.first.of(&key)))
    }
}

#[async_trait]
impl Family for SqlTools {
    fn tools(&self) -> &'static [Descriptor] {
        registry::SQL
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        Box::pin(self.run(call)).await
    }
}

/// Who asks a target.
pub(crate) fn asker(caller: &Identity) -> Asker {
    Asker {
        tenant: caller.tenant.clone(),
        user: caller.subject.clone(),
    }
}

/// A target that has no turn for the caller.
pub(crate) fn busy(message: String, crowd: Crowd, retry_after: Duration) -> Error {
    let status = match crowd {
        Crowd::Own => StatusCode::TOO_MANY_REQUESTS,
        Crowd::Others => StatusCode::SERVICE_UNAVAILABLE,
    };
    let problem = Problem::new(status.as_u16(), "busy", "Busy");
    let seconds = HeaderValue::from(retry_after.as_secs());
    Error::Busy(
        ApiError::from(problem)
            .with_detail(message)
            .with_header(RETRY_AFTER, seconds),
    )
}

/// A call that its target did not answer, in words that name it.
fn unanswered(target: &str, error: &TargetError) -> Error {
    Error::impossible(message_of(target, error))
}

/// A failure in words for people. What only the operator can put right goes to the log: it may name
/// files and views.
pub(crate) fn message_of(target: &str, error: &TargetError) -> String {
    match error {
        TargetError::Policy { message } => {
            tracing::error!(
                target_database = target,
                message,
                "a target is not set up properly"
            );
            format!(
                "The database '{target}' is not set up properly. Its operator finds the reason in the tools service's log."
            )
        }
        TargetError::Role { .. }
        | TargetError::Unavailable {
            reason: Away::LoginRefused | Away::NoPrivilege,
            ..
        } => {
            format!("{error} Its operator finds what to do in the tools service's log.")
        }
        error => error.to_string(),
    }
}

/// The guard's findings in the contract's form. Suggested tables are a list of their own; columns
/// are in the message. Each is counted in the metrics.
fn findings(target: &str, catalogue: &Catalogue, found: Vec<Finding>) -> Vec<SqlFinding> {
    let findings: Vec<SqlFinding> = found
        .into_iter()
        .map(|finding| SqlFinding {
            kind: finding.kind.name().to_owned(),
            person: told_to_person(target, &finding),
            name: finding.named(),
            message: finding.message,
            tables: finding
                .suggestions
                .into_iter()
                .filter(|name| catalogue.table(name).is_some())
                .collect(),
        })
        .collect();
    metrics::guard_refused(&findings);
    findings
}

/// A finding for the person who asked. The name of the database before a table's is neither that of
/// a schema nor that of another database.
fn told_to_person(target: &str, finding: &Finding) -> String {
    match finding.named() {
        Some(name) if finding.kind == Kind::OtherSchema && name.eq_ignore_ascii_case(target) => {
            format!(
                "\u{201c}{name}\u{201d} is the name of the database here; its tables go by their own names, without it."
            )
        }
        _ => finding.for_person(),
    }
}

/// Findings as one text.
fn words_of(findings: &[SqlFinding]) -> String {
    let messages: Vec<&str> = findings
        .iter()
        .map(|finding| finding.message.as_str())
        .collect();
    messages.join(" ")
}

/// The same for the person who asked.
fn words_for_person(findings: &[SqlFinding]) -> String {
    let mut told: Vec<&str> = Vec::new();
    for finding in findings {
        if !told.contains(&finding.person.as_str()) {
            told.push(&finding.person);
        }
    }
    told.join(" ")
}

/// A failure in words for the person who asked. Faults that only the operator can mend are not
/// detailed, as in [`message_of`].
fn person_of(target: &str, error: &TargetError) -> String {
    match error {
        TargetError::Policy { .. } | TargetError::Role { .. } | TargetError::Unavailable { .. } => {
            message_of(target, error)
        }
        error => error.for_person(),
    }
}

/// How the tables of a catalogue join, each way once.
pub(crate) fn joins_of(catalogue: &Catalogue) -> Vec<JoinEdge> {
    let mut ways: Vec<Vec<Relationship>> = Vec::new();
    for relationship in catalogue.graph.relationships() {
        let same_key = |way: &&mut Vec<Relationship>| {
            relationship.key.is_some()
                && way.first().is_some_and(|first| {
                    first.key == relationship.key
                        && first.from_table == relationship.from_table
                        && first.to_table == relationship.to_table
                })
        };
        match ways.iter_mut().find(same_key) {
            Some(way) => way.push(relationship.clone()),
            None => ways.push(vec![relationship.clone()]),
        }
    }
    ways.iter().filter_map(|way| edge(way)).collect()
}

/// One way to join two tables: a pair of columns, or all pairs of a composite key.
fn edge(way: &[Relationship]) -> Option<JoinEdge> {
    let (relationship, more) = way.split_first()?;
    let guessed = matches!(
        relationship.kind,
        RelationshipType::Heuristic | RelationshipType::Other(_)
    );
    let why = guessed.then(|| relationship.evidence.join(", "));
    Some(JoinEdge {
        from_table: relationship.from_table.clone(),
        from_column: relationship.from_column.clone(),
        to_table: relationship.to_table.clone(),
        to_column: relationship.to_column.clone(),
        and: more
            .iter()
            .map(|pair| ColumnPair {
                from_column: pair.from_column.clone(),
                to_column: pair.to_column.clone(),
            })
            .collect(),
        kind: match &relationship.kind {
            RelationshipType::ForeignKey => "foreign_key".to_owned(),
            RelationshipType::Business => "business".to_owned(),
            RelationshipType::Manual => "manual".to_owned(),
            RelationshipType::Heuristic => "heuristic".to_owned(),
            RelationshipType::Other(kind) => kind.clone(),
        },
        confidence: relationship.confidence,
        cardinality: match relationship.cardinality {
            // A composite key that is declared refers to one row, though none of its columns does
            // alone.
            Cardinality::Unknown if !more.is_empty() => "N:1",
            Cardinality::OneToOne => "1:1",
            Cardinality::ManyToOne => "N:1",
            Cardinality::OneToMany => "1:N",
            Cardinality::Unknown => "unknown",
        }
        .to_owned(),
        guessed,
        why: why.filter(|why| !why.is_empty()),
    })
}

fn dialect(dialect: Dialect) -> SqlDialect {
    match dialect {
        Dialect::MySql => SqlDialect::Mysql,
        Dialect::PostgreSql => SqlDialect::Postgresql,
    }
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
