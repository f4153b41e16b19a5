//! The tools as tasks: how each one's arguments are made of what earlier tasks found, what comes
//! back, and what that means for the list.
//!
//! Nothing here decides about the list: a task ends in an [`Outcome`], and the node that ran it
//! records the result of it.

mod analysis;
mod currencies;
mod entity_resolution;
mod executor;
mod field_mapping;
mod group_names;
mod language_model;
mod list_sources;
mod merge_results;
mod query_builder;
mod retrieve_query_metadata;
pub(crate) mod rows;
mod summary;
mod unread;
mod vectors;

pub(crate) use analysis::findings;
pub(crate) use retrieve_query_metadata::why_not as why_not_analysed;

use std::sync::Arc;

use agent_kit::Called;
use contracts::{
    todo::{TaskStatus, TodoList, TodoTask},
    tools::{
        analysis::names as analysis_names,
        clarification::{Clarification, ClarificationAnswer},
        meanings::{ResolvedEntity, names as meanings},
        search::{ListSourcesArguments, QueryType, SourceList, names as search},
        vectors::names as vector_names,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    NewQuery, language,
    plan::{
        catalogue::{self, LLM_SUMMARY, LLM_TOOL, MERGE_RESULTS, RETRIEVE_QUERY_METADATA},
        query_type,
    },
    step::Step,
    words,
};

/// How a task ended.
pub(crate) enum Outcome {
    /// It found something.
    Success(Box<Success>),
    /// It has to know something first.
    Question(Clarification),
    /// It failed.
    Failure(Failure),
    /// The sources cannot answer the request, for this reason.
    Refusal(String),
    /// The other of two kinds of query answers alone, for this reason.
    NotNeeded(&'static str),
}

/// The result of a task.
#[derive(Default)]
pub(crate) struct Success {
    /// For later tasks. Small; no rows.
    pub(crate) result: Value,
    /// A sentence about the action.
    pub(crate) action: String,
    /// The query that was executed.
    pub(crate) query: Option<NewQuery>,
}

/// Why a task found nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure {
    /// For the person.
    pub(crate) message: String,
    /// The source, or the service, is away or too slow: the same may work later.
    pub(crate) away: bool,
}

/// A task at work.
pub(crate) struct Job<'s> {
    pub(crate) step: &'s mut Step,
    pub(crate) list: TodoList,
    pub(crate) key: String,
    /// Take the likeliest instead of asking.
    pub(crate) best_guess: bool,
    /// The tools called, each as often as it was.
    pub(crate) called: Vec<String>,
    /// The queries executed.
    pub(crate) queries: Vec<Value>,
}

/// Runs the task within the step.
pub(crate) async fn run(job: &mut Job<'_>) -> Outcome {
    let tool = catalogue::find(&job.task().tool).map(|(tool, _)| tool.name);
    let reads_the_request = [
        meanings::ENTITY_RESOLUTION,
        meanings::FIELD_MAPPING,
        search::QUERY_BUILDER,
    ];
    if tool.is_some_and(|tool| reads_the_request.contains(&tool)) && !knows_sources(job).await {
        return Outcome::Failure(Failure {
            message: "The data service cannot be reached at the moment.".to_owned(),
            away: true,
        });
    }
    match tool {
        Some(search::LIST_SOURCES) => list_sources::run(job).await,
        Some(meanings::ENTITY_RESOLUTION) => entity_resolution::run(job).await,
        Some(meanings::FIELD_MAPPING) => field_mapping::run(job).await,
        Some(search::QUERY_BUILDER) => query_builder::run(job).await,
        Some(search::ES_EXECUTOR) => executor::run(job, QueryType::Elasticsearch).await,
        Some(search::GRAPHQL_EXECUTOR) => executor::run(job, QueryType::Graphql).await,
        Some(MERGE_RESULTS) => merge_results::run(job).await,
        Some(RETRIEVE_QUERY_METADATA) => retrieve_query_metadata::run(job).await,
        Some(analysis_names::STATS_ANALYSIS) => analysis::statistics(job).await,
        Some(analysis_names::PATTERN_RECOGNITION) => analysis::patterns(job).await,
        Some(vector_names::EMBEDDING_TOOL) => vectors::embed(job).await,
        Some(vector_names::VECTORDB_TOOL) => vectors::search(job).await,
        Some(LLM_TOOL) => language_model::run(job).await,
        Some(LLM_SUMMARY) => summary::run(job).await,
        _ => Outcome::Failure(Failure::because("There is no such tool.")),
    }
}

/// Whether it is known what can be asked, without which a request is read too poorly.
async fn knows_sources(job: &mut Job<'_>) -> bool {
    if job.step.work.sources.is_none() {
        let everything = ListSourcesArguments::default();
        let sources = job
            .step
            .look_up::<SourceList>(search::LIST_SOURCES, &everything);
        job.step.work.sources = sources.await.map(Arc::new);
    }
    job.step.work.sources.is_some()
}

impl Outcome {
    pub(crate) fn success(result: &impl Serialize, action: impl Into<String>) -> Self {
        Self::Success(Box::new(Success {
            result: serde_json::to_value(result).unwrap_or_default(),
            action: action.into(),
            query: None,
        }))
    }
}

impl Failure {
    pub(crate) fn because(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            away: false,
        }
    }

    /// The reason why a call failed.
    pub(crate) fn of(called: &Called) -> Self {
        use agent_kit::ToolsError::{Failed, TimedOut, Unavailable};
        Self {
            message: called.message().to_owned(),
            away: matches!(called.error, Some(Unavailable | TimedOut | Failed)),
        }
    }
}

impl Job<'_> {
    pub(crate) fn task(&self) -> &TodoTask {
        &self.list.tasks[&self.key]
    }

    pub(crate) fn query_type(&self) -> Option<QueryType> {
        query_type(self.task())
    }

    /// A parameter of the task.
    pub(crate) fn param<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        T::deserialize(self.task().params.get(name)?).ok()
    }

    /// Calls a remote tool, and notes that it was.
    pub(crate) async fn call(&mut self, tool: &str, arguments: &impl Serialize) -> Called {
        self.called.push(tool.to_owned());
        self.step.node.call(tool, arguments).await
    }

    /// Emits a call of one of the assistant's own tools, and records it.
    pub(crate) async fn tell(
        &mut self,
        tool: &str,
        arguments: &impl Serialize,
        result: &Result<Value, String>,
    ) {
        self.called.push(tool.to_owned());
        self.step.tell_call(tool, arguments, result).await;
    }

    /// The nearest complete task before this one that used the tool, for sources that are asked
    /// this way.
    pub(crate) fn earlier(&self, tool: &str, kind: Option<QueryType>) -> Option<(&str, &TodoTask)> {
        let at = self.list.tasks.get_index_of(&self.key)?;
        let before = self.list.tasks.iter().take(at);
        let mut fitting = before.rev().filter(|(_, task)| {
            let own = query_type(task);
            task.tool == tool
                && task.status == TaskStatus::Complete
                && task.result.is_some()
                && (kind.is_none() || own.is_none() || own == kind)
        });
        fitting.next().map(|(key, task)| (key.as_str(), task))
    }

    /// What that task found.
    pub(crate) fn found<T: DeserializeOwned>(
        &self,
        tool: &str,
        kind: Option<QueryType>,
    ) -> Option<T> {
        let (_, task) = self.earlier(tool, kind)?;
        T::deserialize(task.result.as_ref()?).ok()
    }

    /// The person's answers to the questions of this task, the newest answer to each part, and
    /// those carried over from another list.
    pub(crate) fn answers(&self) -> Vec<ClarificationAnswer> {
        let mut answers: Vec<ClarificationAnswer> = self.param("answers").unwrap_or_default();
        for asked in &self.task().clarifications {
            let newer = |about: &str| asked.answers.iter().any(|answer| answer.about == about);
            answers.retain(|answer| !newer(&answer.about));
            answers.extend(asked.answers.iter().cloned());
        }
        answers
    }

    /// The query that this list changes.
    pub(crate) fn previous(&self) -> Option<Previous> {
        let mut tasks = self.list.tasks.values();
        tasks.find_map(|task| Previous::deserialize(task.params.get("previous")?).ok())
    }

    /// The words that the tasks read: the request, or of a changed query the change.
    pub(crate) fn words(&self) -> &str {
        if self.previous().is_some() {
            &self.list.original_request
        } else {
            &self.list.rewritten_request
        }
    }

    /// The request, read from its words.
    pub(crate) fn request(&self) -> language::Request {
        let words = &self.list.rewritten_request;
        let today = self.step.today(words);
        language::read_named(words, &self.step.sources(), &self.names(), today)
    }

    /// The words that turned out to be names of things, the longest first.
    fn names(&self) -> Vec<String> {
        #[derive(Deserialize)]
        struct Resolved {
            resolved: Vec<ResolvedEntity>,
        }
        let found: Option<Resolved> = self.found(meanings::ENTITY_RESOLUTION, None);
        let resolved = found.map(|found| found.resolved).unwrap_or_default();
        let mut names: Vec<String> = resolved.into_iter().map(|known| known.mention).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names
    }

    /// Whether a word that names nothing known is a value in a change of the earlier query.
    pub(crate) fn takes_values(&self, previous: &Previous) -> bool {
        let sources = self.step.sources();
        let index = crate::step::index_of(&sources, &previous.source, &previous.structure.index);
        let Some((_, index)) = index else {
            return false;
        };
        let free = language::free_field(&previous.structure, index);
        let words = |term: &contracts::tools::meanings::FieldTerm| {
            free.is_some_and(|free| term.text == words::label(free))
        };
        self.change(previous).request.terms.iter().any(words)
    }

    /// The change of an earlier query, by its words.
    pub(crate) fn change(&self, previous: &Previous) -> language::EditRequest {
        let words = &self.list.original_request;
        let today = self.step.today(words);
        let sources = self.step.sources();
        language::read_edit(words, &previous.structure, &sources, &self.names(), today)
    }
}

/// The query that a list changes, as its first task's parameters have it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Previous {
    pub(crate) turn_id: u32,
    pub(crate) source: String,
    pub(crate) query_type: QueryType,
    pub(crate) structure: contracts::tools::search::QueryStructure,
    /// It is asked again as it was, to take the last change back.
    #[serde(default)]
    pub(crate) back: bool,
}

/// A result with what the person should know about it.
pub(crate) fn with_notes(result: &impl Serialize, notes: &[String]) -> Value {
    let mut result = serde_json::to_value(result).unwrap_or_default();
    if let Value::Object(members) = &mut result
        && !notes.is_empty()
    {
        members.insert("notes".to_owned(), json!(notes));
    }
    result
}

/// Notes for the person about the results of the tasks.
pub(crate) fn notes(list: &TodoList) -> Vec<String> {
    let (gaps, others) = told(list);
    gaps.into_iter().chain(others).collect()
}

/// The notes about what the answer leaves out of the request, which come before it, and the others.
pub(crate) fn told(list: &TodoList) -> (Vec<String>, Vec<String>) {
    let is_gap = |note: &String| GAPS.iter().any(|begin| note.starts_with(begin));
    all_notes(list).into_iter().partition(is_gap)
}

/// How a note begins that names words of the request that the query does not have.
const GAPS: &[&str] = &["I did not use", "I know nothing", "No field of"];

fn all_notes(list: &TodoList) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for task in list.tasks.values() {
        let Some(told) = task.result.as_ref().and_then(|result| result.get("notes")) else {
            continue;
        };
        let told: Vec<String> = Vec::deserialize(told).unwrap_or_default();
        for note in told {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
