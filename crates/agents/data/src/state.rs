//! The state of a thread, and the reducers that change it.
//!
//! What outlives a turn is small: the last queries (never their rows), the route, and, while a plan
//! waits for a person, the work that continues with the answer. What the tools said stays in
//! memory.

use agent_kit::ThreadState;
use chrono::{DateTime, Utc};
use contracts::{
    run::RunEvent,
    tools::sql::{JoinEdge, PastQuestion, PlannedJoin, SqlDialect},
};
use graph::State;
use serde::{Deserialize, Serialize};

use crate::{
    language::{
        about_tables::AboutTables,
        statement::{Change, OtherStatement},
    },
    nodes::choose_target::TargetOption,
};

/// Queries that a thread remembers for follow-ups.
pub const MAX_QUERIES: usize = 3;

/// The longest question and query that are remembered, in characters.
const LONGEST: usize = 4_000;

/// The state of a thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DataState {
    /// The newest queries with an answer, oldest first.
    pub queries: Vec<AnsweredQuery>,
    /// The route of the newest message.
    pub route: Option<Route>,
    /// Whether the newest answer is that of the newest query, so that a person may confirm it.
    pub confirmable: bool,
    /// The question that the newest message asked to remember, so that the next may take it back.
    pub remembered: Option<RememberedQuestion>,
    /// The confirmed question that was offered in place of the newest message; "yes" takes it.
    pub offered: Option<String>,
    /// The newest question to the data, and the target that the thread is about.
    pub(crate) thread: Subject,
    /// The current question.
    pub(crate) work: Work,
}

/// Who answers a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// Current data.
    Sql,
    /// How something is done, by the documents.
    Rag,
    /// Neither.
    General,
}

impl Route {
    /// As the documents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sql => "sql",
            Self::Rag => "rag",
            Self::General => "general",
        }
    }
}

/// A question that a person confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RememberedQuestion {
    /// Its id at the tools.
    pub id: String,
    /// The question.
    pub question: String,
}

/// The subject of a thread, whether its questions were answered or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Subject {
    /// The newest question that was not a query of the person.
    pub(crate) question: Option<String>,
    /// The target of the newest answer, or the one that the person named since.
    pub(crate) target: Option<String>,
    /// The person named the target.
    pub(crate) addressed: bool,
}

/// A query with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredQuery {
    /// The question, complete in itself as far as that is known.
    pub question: String,
    /// The query, with logical table names.
    pub sql: String,
    /// The tables it reads.
    pub tables: Vec<String>,
    /// The columns of its rows.
    pub columns: Vec<String>,
    /// The target it ran on.
    pub target: String,
    /// Number of rows of the result.
    pub rows: u32,
    /// When it was written: what "last week" meant in it.
    #[serde(default)]
    pub written_at: Option<DateTime<Utc>>,
    /// The confirmed question whose query it is; `None` when it was written for this question.
    #[serde(default)]
    pub confirmed: Option<String>,
    /// Whether the person wrote the query, so that there is no question that it answers.
    #[serde(default)]
    pub pasted: bool,
    /// Whether the person named the target, for this question or before in the thread.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub addressed: bool,
    /// The person's own words, where `question` has others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Whether the question is one about the answer before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows: bool,
    /// The conditions of the query that nothing in the conversation says, as the answer names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsaid: Vec<String>,
}

impl AnsweredQuery {
    /// The person's own words.
    pub(crate) fn own_words(&self) -> &str {
        self.said.as_deref().unwrap_or(&self.question)
    }
}

/// The current question.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Work {
    #[serde(flatten)]
    pub(crate) asked: Asked,
    #[serde(flatten)]
    pub(crate) place: Place,
    #[serde(flatten)]
    pub(crate) plan: Plan,
    #[serde(flatten)]
    pub(crate) query: Query,
    #[serde(flatten)]
    pub(crate) repair: Repair,
    #[serde(flatten)]
    pub(crate) review: Review,
    /// How it ends, when that is decided before there are rows.
    pub(crate) ending: Option<Ending>,
}

/// The request of the message.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    pub(crate) question: String,
    /// The question is one about the answer before it.
    pub(crate) follow_up: bool,
    /// The message asks for a person's approval.
    pub(crate) wants_approval: bool,
    /// The router's task, beside the route.
    pub(crate) task: Task,
    /// The question about the database itself.
    pub(crate) about_tables: Option<AboutTables>,
}

/// The database that is asked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    pub(crate) target: Option<String>,
    /// The operator's description of the target, where the person has several.
    pub(crate) target_about: Option<String>,
    /// Whether the person has several targets.
    pub(crate) several_targets: bool,
    /// The person named the target, now or for the thread.
    pub(crate) addressed: bool,
    /// The person named several targets, and a query reads one.
    pub(crate) named_several: bool,
    /// Targets that were not looked at, as they cannot be asked.
    pub(crate) unasked: Vec<String>,
    /// The targets to choose among, as neither words, context nor thread say which is intended.
    pub(crate) choices: Vec<TargetOption>,
    /// The picker for them.
    pub(crate) choice_call: String,
    /// A table that the question names and its target does not have, and the targets that have it.
    pub(crate) held_by: Option<(String, Vec<String>)>,
    pub(crate) dialect: Option<SqlDialect>,
}

/// The tables of the answer, and how they are joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Plan {
    /// Chosen, then bridges.
    pub(crate) tables: Vec<String>,
    pub(crate) bridges: Vec<String>,
    /// The joins of the plan.
    pub(crate) steps: Vec<PlannedJoin>,
    /// What can be joined with what; more than one group when something cannot be reached.
    pub(crate) groups: Vec<Vec<String>>,
    /// Relationships that a query may use.
    pub(crate) relationships: Vec<JoinEdge>,
}

/// The query to check and to run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Query {
    /// The query to check and to run, and who wrote it.
    pub(crate) sql: Option<String>,
    pub(crate) origin: Origin,
    /// When the turn began that wrote it.
    pub(crate) begun_at: Option<DateTime<Utc>>,
    /// The confirmed question that the query comes from.
    pub(crate) confirmed: Option<Box<PastQuestion>>,
    /// The question in words that need no conversation, by the author of the query.
    pub(crate) standalone: Option<String>,
    /// The tables that the query reads, by the check.
    pub(crate) reads: Vec<String>,
    /// Rows that the database expected to read for it.
    pub(crate) estimated_rows: Option<f64>,
    /// The query was made by rules from names that were out of date, and is made again.
    pub(crate) made_anew: bool,
}

/// What went wrong with queries, and what was done about it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is something that is done once"
)]
pub(crate) struct Repair {
    /// The faults of the query.
    pub(crate) trouble: Option<Trouble>,
    /// Corrections asked for.
    pub(crate) corrections: u32,
    /// Queries that failed, and why.
    pub(crate) attempts: Vec<Attempt>,
    /// The query returned no rows, and another was asked for; the empty result is the answer when
    /// that returns nothing else.
    pub(crate) empty_once: bool,
    /// The empty result is the answer.
    pub(crate) empty_stands: bool,
    /// A query was against the question, and another was asked for.
    pub(crate) contradicted: bool,
    /// A query was refused because it reads too much, or took too long.
    pub(crate) narrowed: bool,
    /// Supersteps of writing, checking, running, correcting.
    pub(crate) iterations: u32,
}

/// The answer of the person to the plan.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Review {
    /// The picker under the plan.
    pub(crate) plan_call: String,
    /// A person has said that this may run.
    pub(crate) approved: bool,
    /// The person's requested change of the query.
    pub(crate) change: Option<String>,
}

/// The router's task, beside the route.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    /// The route answers the question.
    #[default]
    Answer,
    /// The newest query is to be remembered as right.
    Remember,
    /// The question that is remembered for the newest answer is to be forgotten.
    Forget,
    /// A picker was answered that is not open.
    NothingOpen,
    /// The database itself is asked about.
    AboutTables,
}

/// Who wrote a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    #[default]
    Model,
    /// A person confirmed it for this question.
    Past,
    /// The question is simple enough.
    Rules,
    /// The person wrote it.
    Person,
}

/// The faults of a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trouble {
    /// For the model that is to correct it. Never shown to a person.
    pub(crate) message: String,
    /// For the person.
    #[serde(default)]
    pub(crate) told: String,
    /// The tables that it is about.
    #[serde(default)]
    pub(crate) tables: Vec<String>,
}

/// A query that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) sql: String,
    /// For the model. Never shown to a person.
    pub(crate) error: String,
    /// For the person.
    #[serde(default)]
    pub(crate) told: String,
}

/// The end of a question without rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ending {
    /// Questions about data are turned off.
    Disabled,
    /// There is no database to ask.
    NoTarget(String),
    /// The person named a database that does not exist; those that do.
    UnknownDatabase(String, Vec<String>),
    /// The database or the service is away.
    Unavailable(String),
    /// Writing the query needs a model, and none is available.
    NeedsModel,
    /// The message continues this question, which has no answer.
    NotAnswered(String),
    /// The model wrote no query.
    NoQuery,
    /// No table holds what is asked for.
    NothingFits,
    /// Nothing that the database accepts was found.
    GaveUp,
    /// It reads too much, or takes too long.
    TooMuch(String),
    /// The person's own query was not accepted, for this reason.
    NotAccepted(String),
    /// The person's own query is more than one statement.
    Several,
    /// The person's own statement is not a query.
    NotRun(OtherStatement),
    /// The data would be changed, which is never done.
    WouldChange(Change),
    /// There is no table that the person may see.
    NoTables(String),
    /// The limit of supersteps is reached.
    TooManySteps,
    /// The person declined to run it.
    Declined,
}

/// A change of the state.
#[derive(Clone, Serialize, Deserialize)]
pub struct DataUpdate(Update);

#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Update {
    /// A turn begins at this time.
    Begin(DateTime<Utc>),
    /// The router has decided.
    Routed(Route),
    /// The work continued.
    Worked(Box<Work>),
    /// A query has an answer.
    Answered(Box<AnsweredQuery>),
    /// The newest query was confirmed.
    Confirmed(RememberedQuestion),
    /// The confirmation is withdrawn.
    Forgotten,
    /// A confirmed question was offered in place of the one asked.
    Offered(String),
    /// The answer is complete: what it was made of is not kept.
    Done,
}

impl From<Update> for DataUpdate {
    fn from(update: Update) -> Self {
        Self(update)
    }
}

impl ThreadState for DataState {}

impl State for DataState {
    type Update = DataUpdate;
    type Event = RunEvent;

    fn apply(&mut self, update: DataUpdate) {
        match update.0 {
            Update::Begin(at) => {
                self.work = Work::default();
                self.work.query.begun_at = Some(at);
            }
            Update::Routed(route) => {
                self.route = Some(route);
                self.offered = None;
                if !matches!(self.work.asked.task, Task::Remember | Task::Forget) {
                    self.confirmable = false;
                    self.remembered = None;
                }
            }
            Update::Worked(work) => self.work = *work,
            Update::Answered(mut query) => {
                cut(&mut query.question);
                self.confirmable = query.sql.chars().count() <= LONGEST;
                cut(&mut query.sql);
                self.thread = Subject {
                    question: (!query.pasted).then(|| query.question.clone()),
                    target: Some(query.target.clone()),
                    addressed: query.addressed,
                };
                if self.queries.len() >= MAX_QUERIES {
                    self.queries.remove(0);
                }
                self.queries.push(*query);
            }
            Update::Confirmed(question) => {
                self.confirmable = false;
                self.remembered = Some(question);
            }
            Update::Forgotten => {
                self.remembered = None;
                if let Some(newest) = self.queries.last_mut() {
                    newest.confirmed = None;
                }
            }
            Update::Offered(question) => self.offered = Some(question),
            Update::Done => {
                let work = std::mem::take(&mut self.work);
                self.leave(work);
            }
        }
    }
}

impl DataState {
    /// Keeps what a question was about that ends.
    fn leave(&mut self, work: Work) {
        if work.place.addressed && work.place.target.is_some() {
            self.thread.target = work.place.target;
            self.thread.addressed = true;
        }
        let is_unanswered = self.route == Some(Route::Sql) && work.ending.is_some();
        let is_question = work.asked.task == Task::Answer && work.query.origin != Origin::Person;
        if is_unanswered && is_question {
            let mut question = work.asked.question;
            cut(&mut question);
            self.thread.question = Some(question).filter(|question| !question.is_empty());
        }
    }

    /// The target that the thread is about, and whether the person named it.
    pub(crate) fn target_of_thread(&self) -> Option<(&str, bool)> {
        let kept = self.thread.target.as_deref();
        let newest = self.queries.last();
        kept.map(|target| (target, self.thread.addressed))
            .or_else(|| newest.map(|query| (&*query.target, query.addressed)))
    }

    /// The question that a message continues which only names another target.
    pub(crate) fn question_of_thread(&self) -> Option<&str> {
        let newest = self.queries.last().filter(|query| !query.pasted);
        let newest = newest.map(|query| &*query.question);
        self.thread.question.as_deref().or(newest)
    }
}

fn cut(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(at);
    }
}
