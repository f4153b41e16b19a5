//! Every turn begins here: what the message is to what stands open. Rules first; a model only for what no rule understands.

mod approval;
mod begun_before;
mod corrections;
mod model;
mod standing;

pub(crate) use standing::{has_picker, of_task};

use std::sync::Arc;

use agent_kit::{Called, UserInput};
use contracts::{
    run::{RunEvent, Source},
    todo::{TodoList, TodoListState},
    tools::{
        ToolStatus,
        clarification::{Clarification, ClarificationAnswer},
        search::{ListSourcesArguments, SourceList, names},
    },
};
use graph::{Command, Context, NodeResult};
use serde_json::{Value, json};

use super::plan_todos::address;
use crate::{
    MemoryError, Record,
    language::{self, Correction, Reply},
    plan::{
        self,
        change::{self, PlanAnswer},
    },
    scene::Scene,
    state::{
        AnalystState, Ending, IntentContext, IntentKind, IntentRoute, Next, OpenQuestion, Phase,
        QuestionAbout, Request,
    },
};

/// Below, the person is told that it may have been meant otherwise.
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
    context: Context<AnalystState>,
) -> NodeResult<AnalystState> {
    let mut scene = Scene::new(&state, context)?;
    scene.state.current_phase = Phase::Intent;
    scene.state.intent = IntentContext::default();
    let message = scene.turn.message.words();
    scene.state.user_input.clone_from(&message);
    let everything = ListSourcesArguments::default();
    let (recalled, sources) = tokio::join!(
        scene.turn.recall(),
        scene.call_quietly(names::LIST_SOURCES, &everything),
    );
    let recalled = match recalled {
        Ok(recalled) => recalled,
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a thread's memory can not be read"
            );
            let ending = match error {
                MemoryError::Lost => Ending::Lost,
                MemoryError::Unavailable(_) | MemoryError::Failed(_) => Ending::MemoryAway,
            };
            return Ok(over(scene, "error", ending).await);
        }
    };
    scene.state.current_turn_id = recalled.turn;
    let work = &mut scene.state.work;
    work.sources = known_sources(&sources).map(Arc::new);
    work.list = recalled.active;
    work.entries = recalled.entries;
    work.newest_query = recalled.newest_query;
    if let Some(begun) = begun_before::look(&scene) {
        return Ok(begun_before::go_on(scene, begun).await);
    }
    let open = scene.state.work.list.as_ref().and_then(standing::question);
    if let UserInput::SelectionOutput { call_id, .. } = &scene.turn.message
        && open.as_ref().is_none_or(|open| open.call_id != *call_id)
    {
        return Ok(over(scene, "answer", Ending::NothingOpen).await);
    }
    // A value that was picked is an answer, whatever it says.
    let text = match &scene.turn.message {
        UserInput::SelectionOutput { .. } => format!("Selected: {message}"),
        UserInput::Text(_) => message,
    };
    let command = match open {
        Some(open) if open.about != QuestionAbout::Clarification => {
            approval::read(scene, open, &text).await
        }
        open => read(scene, open, text).await,
    };
    Ok(command)
}

/// How sure a decision is, and whose it is.
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
async fn over(mut scene: Scene, flow: &str, ending: Ending) -> Command<AnalystState> {
    routed(&mut scene, flow, CERTAIN).await;
    scene.ends(ending)
}

/// Tells the route; it comes before everything else that is told.
async fn routed(scene: &mut Scene, flow: &str, sure: Sure) {
    flow.clone_into(&mut scene.state.work.flow);
    scene.state.intent.confidence = sure.confidence;
    scene.route(flow, sure.confidence, sure.source).await;
    if sure.confidence < MIN_CONFIDENCE {
        scene
            .warn(
                "low_confidence",
                "I'm not sure that I understood this message as it is meant.",
            )
            .await;
    }
}

/// The picker of the earlier message got its answer, or none. It gets one only, also where more is said about it.
async fn answered(scene: &mut Scene, open: Option<&OpenQuestion>, selection: Value) {
    let Some(open) = open.filter(|open| standing::has_picker(open)) else {
        return;
    };
    if scene.state.answered_call.as_ref() == Some(&open.call_id) {
        return;
    }
    let id = open.call_id.clone();
    scene.state.answered_call = Some(id.clone());
    let output = json!({ "selection": selection });
    scene.emit(RunEvent::ToolAnswered { id, output }).await;
}

/// A message without a plan that waits.
async fn read(mut scene: Scene, open: Option<OpenQuestion>, text: String) -> Command<AnalystState> {
    let list = scene.state.work.list.clone();
    scene.state.intent.todo_list_valid = list.is_some();
    let text = match change::without_wish(&text) {
        Some(rest) if !rest.is_empty() => {
            scene.state.work.wants_approval = true;
            rest
        }
        _ => text,
    };
    if change::picked(&text).is_empty() {
        return over(scene, "data_retrieval", Ending::NothingAsked(Vec::new())).await;
    }
    let has_results = scene.state.work.newest_query.is_some() || list.is_some();
    if let Some(refused) = language::command(change::picked(&text), &scene.sources(), has_results) {
        return over(scene, "data_retrieval", Ending::Answered(refused)).await;
    }
    if open.is_some() && change::leaves_choice(change::picked(&text)) {
        routed(&mut scene, "exact_answer", CERTAIN).await;
        answered(&mut scene, open.as_ref(), json!(change::picked(&text))).await;
        scene.state.work.best_guess = true;
        return answer(scene, Vec::new());
    }
    // A run that was approved and then cut off is begun again with the approval.
    let was_approved = list
        .as_ref()
        .is_some_and(|list| list.approved == Some(true));
    if was_approved && open.is_none() && change::read(&text) == PlanAnswer::Run {
        return go_on(scene, None, CERTAIN).await;
    }
    if let Some(wanted) = language::remembering(&text).filter(|_| open.is_none()) {
        match corrections::remembering(scene, wanted).await {
            Ok(told) => return told,
            Err(other) => scene = *other,
        }
    }
    if let Some(change) = moved_days(&scene, &text).filter(|_| open.is_none()) {
        return follow_up(scene, IntentKind::EditQuery, change, CERTAIN).await;
    }
    let asked = list.as_ref().and_then(standing::asked).cloned();
    let (reply, sure) = {
        let standing = standing::of(&scene.state.work, asked.as_ref());
        let read = language::read_reply(&text, &standing);
        let sure = Sure {
            confidence: read.confidence,
            source: Source::Rules,
        };
        match read.reply {
            // Where nothing stands there is nothing else that it could be.
            Reply::Unclear(_) if standing.has_nothing() => {
                (Reply::NewRequest { text: text.clone() }, CERTAIN)
            }
            request @ Reply::NewRequest { .. } if standing.has_nothing() => (request, CERTAIN),
            Reply::Unclear(otherwise) => {
                let decided = model::decide(&scene, &text, asked.as_ref(), &otherwise).await;
                decided.unwrap_or((*otherwise, sure))
            }
            reply => (reply, sure),
        }
    };
    let reply = match reply {
        Reply::NewRequest { .. }
            if open.is_none()
                && list.is_none()
                && corrections::answers_remembered(&scene, &text) =>
        {
            Reply::Correct(Correction::Value(text.clone()))
        }
        Reply::NewRequest { .. } if analyses_earlier(&scene, &text) => Reply::Analysis,
        Reply::NewRequest { .. } if open.is_none() && goes_on(&scene, &text) => Reply::Edit,
        reply => reply,
    };
    let reply = standing::corrected(
        reply,
        &scene.state.work,
        asked.as_ref(),
        open.is_some(),
        &text,
    );
    decided(scene, open, reply, text, sure).await
}

/// Whether it wants results analysed that it names by their place or their words: "the first query", "the Shanghai results".
fn analyses_earlier(scene: &Scene, text: &str) -> bool {
    scene.state.work.newest_query.is_some()
        && address::points(scene, text)
        && (text.to_lowercase().contains("analy")
            || !language::read_analysis(text).kinds.is_empty())
}

/// Whether it goes on from a query that was executed: from the newest where it names no records of its own, or from the one that it returns to.
fn goes_on(scene: &Scene, text: &str) -> bool {
    let work = &scene.state.work;
    let Some(newest) = work.newest_query.as_ref().filter(|_| work.list.is_none()) else {
        return false;
    };
    let today = scene.today(text);
    let structure = newest.query_structure.as_ref();
    structure.is_some_and(|old| language::continues(text, old, &scene.sources(), today))
        || address::returns(scene, text)
}

/// "What about the week before?": the change of the days of the newest query.
fn moved_days(scene: &Scene, text: &str) -> Option<String> {
    let work = &scene.state.work;
    let newest = work.newest_query.as_ref().filter(|_| work.list.is_none())?;
    language::moved_days(text, newest.query_structure.as_ref()?)
}

async fn decided(
    mut scene: Scene,
    open: Option<OpenQuestion>,
    reply: Reply,
    text: String,
    sure: Sure,
) -> Command<AnalystState> {
    match reply {
        Reply::Exact(answers) | Reply::FreeAnswer(answers) => {
            routed(&mut scene, "exact_answer", sure).await;
            answered(&mut scene, open.as_ref(), json!(change::picked(&text))).await;
            answer(scene, answers)
        }
        Reply::Modification { answers, addition } => {
            let selection = if answers.is_empty() {
                Value::Null
            } else {
                json!(change::picked(&text))
            };
            answered(&mut scene, open.as_ref(), selection).await;
            modification(scene, open, answers, addition, sure).await
        }
        Reply::Continue => go_on(scene, open, sure).await,
        Reply::Cancel
            if scene.state.work.list.is_none()
                && text.to_lowercase().contains("forget")
                && corrections::has_choice(&scene) =>
        {
            corrections::forget(scene).await
        }
        Reply::NoneOfThem => none_of_them(scene, open).await,
        Reply::Correct(correction) => corrections::apply(scene, correction, text, sure).await,
        Reply::Cancel => {
            routed(&mut scene, "cancel", sure).await;
            answered(&mut scene, open.as_ref(), Value::Null).await;
            match scene.state.work.list.clone() {
                Some(list) => give_up(scene, list, Ending::Cancelled).await,
                None => scene.ends(Ending::NothingToCancel),
            }
        }
        Reply::Analysis => {
            answered(&mut scene, open.as_ref(), Value::Null).await;
            follow_up(scene, IntentKind::Analysis, text, sure).await
        }
        Reply::Edit => {
            answered(&mut scene, open.as_ref(), Value::Null).await;
            follow_up(scene, IntentKind::EditQuery, text, sure).await
        }
        Reply::NewRequest { text } => {
            answered(&mut scene, open.as_ref(), Value::Null).await;
            new_request(scene, open, text, sure).await
        }
        // Not certain of being not certain: what it is otherwise was taken above.
        Reply::Unclear(_) => new_request(scene, open, text, sure).await,
    }
}

/// No option fits: the question stays open for a name.
async fn none_of_them(mut scene: Scene, open: Option<OpenQuestion>) -> Command<AnalystState> {
    answered_later(&mut scene, open.as_ref()).await;
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
    scene.ends(Ending::Answered(text))
}

/// The route of a message that refuses every option, and the picker's answer: none.
async fn answered_later(scene: &mut Scene, open: Option<&OpenQuestion>) {
    routed(scene, "exact_answer", CERTAIN).await;
    answered(scene, open, Value::Null).await;
}

/// The task that asked runs again, with the answers.
fn answer(mut scene: Scene, answers: Vec<ClarificationAnswer>) -> Command<AnalystState> {
    scene.state.intent.route = IntentRoute::ExactAnswer;
    let now = scene.turn.now();
    if let Some(list) = &mut scene.state.work.list
        && let Some(asked) = standing::asked_mut(list)
    {
        asked.answers = answers;
        asked.answered_at = Some(now);
    }
    scene.then(Next::Execute)
}

/// The work goes on where it stands. A question that is open is asked again, as nobody has answered it.
async fn go_on(mut scene: Scene, open: Option<OpenQuestion>, sure: Sure) -> Command<AnalystState> {
    routed(&mut scene, "continue", sure).await;
    answered(&mut scene, open.as_ref(), Value::Null).await;
    scene.state.intent.route = IntentRoute::Continue;
    if scene.state.work.list.is_none() {
        return scene.ends(Ending::NothingToContinue);
    }
    let now = scene.turn.now();
    if let Some(list) = &mut scene.state.work.list
        && let Some(asked) = standing::asked_mut(list)
        && asked.answered_at.is_none()
    {
        asked.answered_at = Some(now);
    }
    scene.then(Next::Execute)
}

/// The list is given up, and none takes its place.
async fn give_up(mut scene: Scene, mut list: TodoList, ending: Ending) -> Command<AnalystState> {
    plan::close(&mut list, TodoListState::Aborted);
    let record = Record {
        lists: vec![list.clone()],
        ..Record::default()
    };
    if let Err(ending) = scene.record(record).await {
        return scene.ends(ending);
    }
    scene.show_plan(&list).await;
    scene.state.work.list = None;
    scene.ends(ending)
}

/// The list makes room for the one that will be planned; that is recorded together.
fn gives_way(
    scene: &mut Scene,
    mut list: TodoList,
    state: TodoListState,
    answers: &[ClarificationAnswer],
) {
    let now = scene.turn.now();
    if let Some(asked) = standing::asked_mut(&mut list)
        && asked.answered_at.is_none()
    {
        asked.answers = answers.to_vec();
        asked.answered_at = Some(now);
    }
    plan::close(&mut list, state);
    scene.state.work.gives_way = Some(list);
    scene.state.work.list = None;
}

async fn new_request(
    mut scene: Scene,
    _open: Option<OpenQuestion>,
    text: String,
    sure: Sure,
) -> Command<AnalystState> {
    scene.state.intent.route = IntentRoute::NewRequest;
    scene.state.intent.kind = IntentKind::DataRetrieval;
    routed(&mut scene, IntentKind::DataRetrieval.as_str(), sure).await;
    if let Some(list) = scene.state.work.list.clone() {
        gives_way(&mut scene, list, TodoListState::Aborted, &[]);
    }
    scene.state.work.request.original = text;
    scene.then(Next::Reiterate)
}

async fn modification(
    mut scene: Scene,
    open: Option<OpenQuestion>,
    answers: Vec<ClarificationAnswer>,
    addition: String,
    sure: Sure,
) -> Command<AnalystState> {
    let Some(list) = scene.state.work.list.clone() else {
        return new_request(scene, open, addition, sure).await;
    };
    scene.state.intent.route = IntentRoute::Modification;
    scene.state.intent.kind = kind_of(&list);
    let kind = scene.state.intent.kind;
    routed(&mut scene, kind.as_str(), sure).await;
    let unclear = standing::asked(&list).map_or_else(
        || Clarification {
            question: String::new(),
            parts: Vec::new(),
        },
        |asked| asked.clarification.clone(),
    );
    let before = &list.rewritten_request;
    let today = scene.today(before);
    scene.state.work.request = Request {
        original: format!("{}, {addition}", list.original_request),
        rewritten: language::rewrite_modification(before, &unclear, &answers, &addition, today),
        answers: answers.clone(),
        ..Request::default()
    };
    gives_way(&mut scene, list, TodoListState::Superseded, &answers);
    scene.then(Next::Reiterate)
}

/// Earlier results are looked at again: they need no rewriting.
async fn follow_up(
    mut scene: Scene,
    kind: IntentKind,
    text: String,
    sure: Sure,
) -> Command<AnalystState> {
    scene.state.intent.route = IntentRoute::NewRequest;
    scene.state.intent.kind = kind;
    routed(&mut scene, kind.as_str(), sure).await;
    if let Some(list) = scene.state.work.list.clone() {
        gives_way(&mut scene, list, TodoListState::Aborted, &[]);
    }
    scene.state.work.request = Request {
        original: text.clone(),
        rewritten: text,
        ..Request::default()
    };
    scene.then(Next::Plan)
}

/// What a list is for.
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
