//! Every turn begins here: what the message is to what stands open. Rules first; a model only for
//! what no rule understands.

mod approval;
mod begun_before;
mod both;
mod corrections;
mod found_one;
mod model;
mod standing;

pub(crate) use standing::{has_picker, of_task};

use std::sync::Arc;

use agent_kit::{
    Called, UserInput,
    approval::{PlanAnswer, without_prefix},
};
use contracts::{
    run::{RunEvent, Source},
    todo::{TodoList, TodoListState},
    tools::{
        ToolStatus,
        clarification::{Clarification, ClarificationAnswer},
        search::{ListSourcesArguments, SourceList, names},
    },
};
use graph::{Command, NodeResult};
use serde_json::{Value, json};

use super::plan_todos::address;
use crate::{
    MemoryError, Record,
    language::{self, Correction, Reply},
    plan::{self, change},
    run::Context,
    state::{
        AnalystState, Ending, IntentContext, IntentKind, IntentRoute, Next, OpenQuestion, Phase,
        QuestionAbout, Request,
    },
    step::Step,
};

/// Confidence below which the person is warned of another possible meaning.
const MIN_CONFIDENCE: f64 = 0.6;

/// What can be asked: none where the tenant has no source, nothing where that is not known.
fn known_sources(answer: &Called) -> Option<SourceList> {
    if answer.envelope.status == ToolStatus::NoData {
        return Some(SourceList {
            sources: Vec::new(),
        });
    }
    answer.result()
}

/// Decides what the message is.
pub(crate) async fn classify_intent(
    state: Arc<AnalystState>,
    context: Context,
) -> NodeResult<AnalystState> {
    let mut step = Step::new(&state, context);
    step.state.current_phase = Phase::Intent;
    step.state.intent = IntentContext::default();
    let message = step.node.run().message.words();
    step.state.user_input.clone_from(&message);
    // They read, plan and word every message, so no model holds an answer up.
    step.node.rules_have_answer();
    let everything = ListSourcesArguments::default();
    let (recalled, sources) = tokio::join!(
        step.run().recall(),
        step.node.call_quietly(names::LIST_SOURCES, &everything),
    );
    let recalled = match recalled {
        Ok(recalled) => recalled,
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a thread's memory cannot be read"
            );
            let ending = match error {
                MemoryError::Lost => Ending::Lost,
                MemoryError::Unavailable(_) | MemoryError::Failed(_) => Ending::MemoryAway,
            };
            return Ok(over(step, "error", ending).await);
        }
    };
    step.state.current_turn_id = recalled.turn;
    let work = &mut step.work;
    work.sources = known_sources(&sources).map(Arc::new);
    work.plan.list = recalled.active;
    work.recalled.entries = recalled.entries;
    work.recalled.newest_query = recalled.newest_query;
    work.recalled.listed = std::mem::take(&mut step.state.listed);
    if let Some(begun) = begun_before::look(&step) {
        return Ok(begun_before::go_on(step, begun).await);
    }
    let open = step.work.plan.list.as_ref().and_then(standing::question);
    if let UserInput::SelectionOutput { call_id, .. } = &step.node.run().message
        && open.as_ref().is_none_or(|open| open.call_id != *call_id)
    {
        return Ok(over(step, "answer", Ending::NothingOpen).await);
    }
    // A value that was picked is an answer, whatever it says.
    let text = match &step.node.run().message {
        UserInput::SelectionOutput { .. } => format!("Selected: {message}"),
        UserInput::Text(_) => message,
    };
    let command = match open {
        Some(open) if open.about != QuestionAbout::Clarification => {
            approval::read(step, open, &text).await
        }
        open => read(step, open, text).await,
    };
    Ok(command)
}

/// The confidence of a decision, and its source.
#[derive(Clone, Copy)]
struct Sure {
    confidence: f64,
    source: Source,
}

const CERTAIN: Sure = Sure {
    confidence: 1.0,
    source: Source::Rules,
};

/// The turn is over before there is anything to do.
async fn over(mut step: Step, flow: &str, ending: Ending) -> Command<AnalystState> {
    routed(&mut step, flow, CERTAIN).await;
    step.ends(ending)
}

/// Emits the route; it comes before all other events.
async fn routed(step: &mut Step, flow: &str, sure: Sure) {
    flow.clone_into(&mut step.work.outcome.flow);
    step.state.intent.confidence = sure.confidence;
    step.node.route(flow, sure.confidence, sure.source).await;
    if sure.confidence < MIN_CONFIDENCE {
        step.node
            .warn(
                "low_confidence",
                "I'm not sure that I understood this message as it is meant.",
            )
            .await;
    }
}

/// The picker of the earlier message got its answer, or none. It gets one only, also where more is
/// said about it.
async fn answered(step: &mut Step, open: Option<&OpenQuestion>, selection: Value) {
    let Some(open) = open.filter(|open| standing::has_picker(open)) else {
        return;
    };
    if step.state.answered_call.as_ref() == Some(&open.call_id) {
        return;
    }
    let id = open.call_id.clone();
    step.state.answered_call = Some(id.clone());
    let output = json!({ "selection": selection });
    step.node.emit(RunEvent::ToolAnswered { id, output }).await;
}

/// A message without a plan that waits.
async fn read(mut step: Step, open: Option<OpenQuestion>, text: String) -> Command<AnalystState> {
    let list = step.work.plan.list.clone();
    step.state.intent.todo_list_valid = list.is_some();
    let text = match change::without_wish(&text) {
        Some(rest) if !rest.is_empty() => {
            step.work.plan.wants_approval = true;
            rest
        }
        _ => text,
    };
    if without_prefix(&text).is_empty() {
        return over(step, "data_retrieval", Ending::NothingAsked(Vec::new())).await;
    }
    let has_results = step.work.recalled.newest_query.is_some() || list.is_some();
    let refused = language::command(without_prefix(&text), &step.sources(), has_results);
    if let Some(refused) = refused.or_else(|| not_english(&step, open.as_ref(), &text)) {
        return over(step, "data_retrieval", Ending::Answered(refused)).await;
    }
    if open.is_some() && change::leaves_choice(without_prefix(&text)) {
        routed(&mut step, "exact_answer", CERTAIN).await;
        answered(&mut step, open.as_ref(), json!(without_prefix(&text))).await;
        step.work.plan.best_guess = true;
        return answer(step, Vec::new());
    }
    // A run that was approved and then cut off is begun again with the approval.
    let was_approved = list
        .as_ref()
        .is_some_and(|list| list.approved == Some(true));
    if was_approved && open.is_none() && agent_kit::approval::read(&text) == PlanAnswer::Run {
        return go_on(step, None, CERTAIN).await;
    }
    if let Some(wanted) = language::remembering(&text).filter(|_| open.is_none()) {
        match corrections::remembering(step, wanted).await {
            Ok(told) => return told,
            Err(other) => step = *other,
        }
    }
    if open.is_none() {
        let own = match found_one::of_the_record(&step, &text).await {
            Some(own) => Some(own),
            None => found_one::of_its_thing(&step, &text).await,
        };
        if let Some(text) = own {
            return new_request(step, open, text, CERTAIN).await;
        }
        if let Some(change) = found_one::of_the_group(&step, &text).await {
            return follow_up(step, IntentKind::EditQuery, change, CERTAIN).await;
        }
    }
    let text = match found_one::named(&step, &text).await {
        Some(text) if open.is_none() => text,
        _ => text,
    };
    if let Some(change) = moved_days(&step, &text).filter(|_| open.is_none()) {
        return follow_up(step, IntentKind::EditQuery, change, CERTAIN).await;
    }
    if open.is_none()
        && let Some(change) = both::of_the_last_two(&step, &text).await
    {
        return follow_up(step, IntentKind::EditQuery, change, CERTAIN).await;
    }
    let asked = list.as_ref().and_then(standing::asked).cloned();
    let (reply, sure) = {
        let standing = standing::of(&step.work, asked.as_ref());
        let read = language::read_reply(&text, &standing);
        let sure = Sure {
            confidence: read.confidence,
            source: Source::Rules,
        };
        match read.reply {
            // Where nothing is there is nothing else that it could be.
            Reply::Unclear(_) if standing.has_nothing() => {
                (Reply::NewRequest { text: text.clone() }, CERTAIN)
            }
            request @ Reply::NewRequest { .. } if standing.has_nothing() => (request, CERTAIN),
            Reply::Unclear(otherwise) => {
                let decided = model::decide(&step, &text, asked.as_ref(), &otherwise).await;
                decided.unwrap_or((*otherwise, sure))
            }
            reply => (reply, sure),
        }
    };
    let reply = match reply {
        Reply::FreeAnswer(_) if open.is_some() && asks_for_records(&step, &text) => {
            Reply::NewRequest { text: text.clone() }
        }
        Reply::NewRequest { .. }
            if open.is_none()
                && list.is_none()
                && corrections::answers_remembered(&step, &text) =>
        {
            Reply::Correct(Correction::Value(text.clone()))
        }
        Reply::NewRequest { .. } if analyses_earlier(&step, &text) => Reply::Analysis,
        Reply::NewRequest { .. } if open.is_none() && goes_on(&step, &text) => Reply::Edit,
        reply => reply,
    };
    let reply = standing::corrected(reply, &step.work, asked.as_ref(), open.is_some(), &text);
    decided(step, open, reply, text, sure).await
}

/// Why a message in another language is not read. A model may understand it, and an answer to an
/// open question may be a name.
fn not_english(step: &Step, open: Option<&OpenQuestion>, text: &str) -> Option<String> {
    let by_rules = open.is_none() && !step.node.has_model();
    by_rules.then(|| language::foreign(without_prefix(text), &step.sources()))?
}

/// Whether it needs results analysed that it names by their place or their words: "the first
/// query", "the Shanghai results".
fn analyses_earlier(step: &Step, text: &str) -> bool {
    step.work.recalled.newest_query.is_some()
        && address::points(step, text)
        && (text.to_lowercase().contains("analy")
            || !language::read_analysis(text).kinds.is_empty())
}

/// Whether words that name no option ask for records of their own: "shipments on the Titanic".
fn asks_for_records(step: &Step, text: &str) -> bool {
    let read = language::read_request(text, &step.sources(), step.today(text));
    let first = read.indices.first();
    let many = first.is_some_and(|index| index.noun.ends_with('s'));
    many && text.split_whitespace().count() > 2
}

/// Whether it continues from a query that was executed: from the newest where it names no records
/// of its own, or from the one that it returns to.
fn goes_on(step: &Step, text: &str) -> bool {
    let work = &step.work;
    let Some(newest) = work
        .recalled
        .newest_query
        .as_ref()
        .filter(|_| work.plan.list.is_none())
    else {
        return false;
    };
    let today = step.today(text);
    let structure = newest.query_structure.as_ref();
    structure.is_some_and(|old| language::continues(text, old, &step.sources(), today))
        || address::returns(step, text)
}

/// "What about the week before?": the change of the days of the newest query.
fn moved_days(step: &Step, text: &str) -> Option<String> {
    let work = &step.work;
    let newest = work
        .recalled
        .newest_query
        .as_ref()
        .filter(|_| work.plan.list.is_none())?;
    language::moved_days(text, newest.query_structure.as_ref()?)
}

async fn decided(
    mut step: Step,
    open: Option<OpenQuestion>,
    reply: Reply,
    text: String,
    sure: Sure,
) -> Command<AnalystState> {
    match reply {
        Reply::Exact(answers) | Reply::FreeAnswer(answers) => {
            routed(&mut step, "exact_answer", sure).await;
            answered(&mut step, open.as_ref(), json!(without_prefix(&text))).await;
            answer(step, answers)
        }
        Reply::Modification { answers, addition } => {
            let selection = if answers.is_empty() {
                Value::Null
            } else {
                json!(without_prefix(&text))
            };
            answered(&mut step, open.as_ref(), selection).await;
            modification(step, open, answers, addition, sure).await
        }
        Reply::Continue => go_on(step, open, sure).await,
        Reply::Cancel
            if step.work.plan.list.is_none()
                && text.to_lowercase().contains("forget")
                && corrections::has_choice(&step) =>
        {
            corrections::forget(step).await
        }
        Reply::NoneOfThem => none_of_them(step, open).await,
        Reply::Correct(correction) => corrections::apply(step, correction, text, sure).await,
        Reply::Cancel => {
            routed(&mut step, "cancel", sure).await;
            answered(&mut step, open.as_ref(), Value::Null).await;
            match step.work.plan.list.clone() {
                Some(list) => give_up(step, list, Ending::Cancelled).await,
                None => step.ends(Ending::NothingToCancel),
            }
        }
        Reply::Analysis => {
            answered(&mut step, open.as_ref(), Value::Null).await;
            follow_up(step, IntentKind::Analysis, text, sure).await
        }
        Reply::Edit => {
            answered(&mut step, open.as_ref(), Value::Null).await;
            follow_up(step, IntentKind::EditQuery, text, sure).await
        }
        Reply::NewRequest { text } => {
            answered(&mut step, open.as_ref(), Value::Null).await;
            new_request(step, open, text, sure).await
        }
        // Not certain of being not certain: what it is otherwise was taken above.
        Reply::Unclear(_) => new_request(step, open, text, sure).await,
    }
}

/// No option fits: the question stays open for a name.
async fn none_of_them(mut step: Step, open: Option<OpenQuestion>) -> Command<AnalystState> {
    answered_later(&mut step, open.as_ref()).await;
    let part = open.as_ref().and_then(|open| open.parts.first());
    let text = match part {
        Some(part) => format!(
            "All right, none of these. What do you mean by \u{201c}{}\u{201d}? Tell me its name or number, or say \u{201c}cancel\u{201d}.",
            part.mention
        ),
        None => {
            "All right. Tell me in your own words what you mean, or say \u{201c}cancel\u{201d}."
                .to_owned()
        }
    };
    step.ends(Ending::Answered(text))
}

/// The route of a message that refuses every option, and the picker's answer: none.
async fn answered_later(step: &mut Step, open: Option<&OpenQuestion>) {
    routed(step, "exact_answer", CERTAIN).await;
    answered(step, open, Value::Null).await;
}

/// The task that asked runs again, with the answers.
fn answer(mut step: Step, answers: Vec<ClarificationAnswer>) -> Command<AnalystState> {
    step.state.intent.route = IntentRoute::ExactAnswer;
    let now = step.run().now();
    if let Some(list) = &mut step.work.plan.list
        && let Some(asked) = standing::asked_mut(list)
    {
        asked.answers = answers;
        asked.answered_at = Some(now);
    }
    step.then(Next::Execute)
}

/// Continues the work. An open question is asked again, because it has no answer.
async fn go_on(mut step: Step, open: Option<OpenQuestion>, sure: Sure) -> Command<AnalystState> {
    routed(&mut step, "continue", sure).await;
    answered(&mut step, open.as_ref(), Value::Null).await;
    step.state.intent.route = IntentRoute::Continue;
    if step.work.plan.list.is_none() {
        return step.ends(Ending::NothingToContinue);
    }
    let now = step.run().now();
    if let Some(list) = &mut step.work.plan.list
        && let Some(asked) = standing::asked_mut(list)
        && asked.answered_at.is_none()
    {
        asked.answered_at = Some(now);
    }
    step.then(Next::Execute)
}

/// The list is given up, and none takes its place.
async fn give_up(mut step: Step, mut list: TodoList, ending: Ending) -> Command<AnalystState> {
    plan::close(&mut list, TodoListState::Aborted);
    let record = Record {
        lists: vec![list.clone()],
        ..Record::default()
    };
    if let Err(ending) = step.record(record).await {
        return step.ends(ending);
    }
    step.show_plan(&list).await;
    step.work.plan.list = None;
    step.ends(ending)
}

/// The list makes room for the one that will be planned; that is recorded together.
fn gives_way(
    step: &mut Step,
    mut list: TodoList,
    state: TodoListState,
    answers: &[ClarificationAnswer],
) {
    let now = step.run().now();
    if let Some(asked) = standing::asked_mut(&mut list)
        && asked.answered_at.is_none()
    {
        asked.answers = answers.to_vec();
        asked.answered_at = Some(now);
    }
    plan::close(&mut list, state);
    step.work.plan.gives_way = Some(list);
    step.work.plan.list = None;
}

async fn new_request(
    mut step: Step,
    _open: Option<OpenQuestion>,
    text: String,
    sure: Sure,
) -> Command<AnalystState> {
    step.state.intent.route = IntentRoute::NewRequest;
    step.state.intent.kind = IntentKind::DataRetrieval;
    routed(&mut step, IntentKind::DataRetrieval.as_str(), sure).await;
    if let Some(list) = step.work.plan.list.clone() {
        gives_way(&mut step, list, TodoListState::Aborted, &[]);
    }
    step.work.request.original = text;
    step.then(Next::Reiterate)
}

async fn modification(
    mut step: Step,
    open: Option<OpenQuestion>,
    answers: Vec<ClarificationAnswer>,
    addition: String,
    sure: Sure,
) -> Command<AnalystState> {
    let Some(list) = step.work.plan.list.clone() else {
        return new_request(step, open, addition, sure).await;
    };
    step.state.intent.route = IntentRoute::Modification;
    step.state.intent.kind = kind_of(&list);
    let kind = step.state.intent.kind;
    routed(&mut step, kind.as_str(), sure).await;
    let unclear = standing::asked(&list).map_or_else(
        || Clarification {
            question: String::new(),
            parts: Vec::new(),
        },
        |asked| asked.clarification.clone(),
    );
    let before = &list.rewritten_request;
    let today = step.today(before);
    step.work.request = Request {
        original: format!("{}, {addition}", list.original_request),
        rewritten: language::rewrite_modification(before, &unclear, &answers, &addition, today),
        answers: answers.clone(),
        ..Request::default()
    };
    gives_way(&mut step, list, TodoListState::Superseded, &answers);
    step.then(Next::Reiterate)
}

/// Earlier results are looked at again: they need no rewriting.
async fn follow_up(
    step: Step,
    kind: IntentKind,
    text: String,
    sure: Sure,
) -> Command<AnalystState> {
    let text = match kind {
        IntentKind::EditQuery => language::both_directions(&text),
        IntentKind::DataRetrieval | IntentKind::Analysis => text,
    };
    let request = Request {
        original: text.clone(),
        rewritten: text,
        ..Request::default()
    };
    follow_up_with(step, kind, request, sure).await
}

/// The same with more than words.
async fn follow_up_with(
    mut step: Step,
    kind: IntentKind,
    request: Request,
    sure: Sure,
) -> Command<AnalystState> {
    step.state.intent.route = IntentRoute::NewRequest;
    step.state.intent.kind = kind;
    routed(&mut step, kind.as_str(), sure).await;
    if let Some(list) = step.work.plan.list.clone() {
        gives_way(&mut step, list, TodoListState::Aborted, &[]);
    }
    step.work.request = request;
    step.then(Next::Plan)
}

/// The purpose of a list.
fn kind_of(list: &TodoList) -> IntentKind {
    use contracts::todo::QueryStrategy;
    let edits = |task: &contracts::todo::TodoTask| task.params.get("previous").is_some();
    if list.query_strategy == QueryStrategy::Analysis {
        IntentKind::Analysis
    } else if list.tasks.values().any(edits) {
        IntentKind::EditQuery
    } else {
        IntentKind::DataRetrieval
    }
}
