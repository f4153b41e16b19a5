//! The router: which route the message takes. Rules first; a model only for what no rule is sure
//! of.

use std::sync::Arc;

use agent_kit::{
    PastMessage, PastRole, Unusable, UserInput,
    approval::{self, PlanAnswer},
    warn_once,
};
use contracts::run::Source;
use graph::NodeResult;
use llm::{AnswerSize, ChatRequest};
use serde_json::{Value, json};

use super::choose_target::TargetOption;
use crate::{
    draft::{CallFailed, Draft},
    language::{
        about_tables::{self, AboutTables},
        names::named,
        phrases,
        route::{self, Guess, Known, MIN_CONFIDENCE},
        statement::{self, Pasted},
        variants,
    },
    prompt,
    run::Context,
    sentences, simple,
    state::{DataState, Ending, Origin, Route, Task, Update},
    targeting,
};

const PROMPT: &str = include_str!("../../prompts/route.md");

/// Messages before the one in question that the model gets, and how much of each, in characters.
const RECENT: usize = 4;
const RECENT_CHARS: usize = 200;

/// Maximum number of tables in the model's prompt.
const TOLD_TABLES: usize = 40;

/// Confidence of a single word of the model.
const ONE_WORD: f64 = 0.8;

/// Decides the route.
pub(crate) async fn classify(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    let message = draft.node.run().message.words();
    if matches!(draft.node.run().message, UserInput::SelectionOutput { .. }) {
        draft.work.asked.task = Task::NothingOpen;
        let sure = (Route::General, 1.0, Source::Rules);
        return Ok(routed(draft, sure).await);
    }
    if phrases::asks_to_remember(&message) || phrases::remembered_as(&message).is_some() {
        draft.work.asked.task = Task::Remember;
        return Ok(routed(draft, (Route::Sql, 1.0, Source::Rules)).await);
    }
    if phrases::asks_to_forget(&message) {
        draft.work.asked.task = Task::Forget;
        return Ok(routed(draft, (Route::Sql, 1.0, Source::Rules)).await);
    }
    let offered = state.offered.clone();
    let message = match offered.filter(|_| approval::read(&message) == PlanAnswer::Run) {
        Some(offered) => offered,
        None => message,
    };
    match phrases::without_wish_for_approval(&message) {
        Some(rest) if !rest.is_empty() => {
            draft.work.asked.question = rest;
            draft.work.asked.wants_approval = true;
        }
        _ => draft.work.asked.question = message,
    }
    let around = targeting::look_around(&mut draft, &state).await;
    if draft.work.ending.is_some() {
        return Ok(routed(draft, (Route::Sql, 1.0, Source::Rules)).await);
    }
    if let Some(whole) = continued(&draft, &state) {
        draft.work.asked.question = whole;
        draft.found.past.clear();
    } else if let Some(question) = unanswered(&draft, &state) {
        draft.work.ending = Some(Ending::NotAnswered(question));
        return Ok(routed(draft, (Route::Sql, 1.0, Source::Rules)).await);
    }
    if read_as_written(&mut draft, &state) {
        let around = around.map(|choices| take_choices(&mut draft, choices));
        if draft.work.ending.is_none() {
            prepare(&mut draft, around);
        }
        return Ok(routed(draft, (Route::Sql, 1.0, Source::Rules)).await);
    }
    let guess = guess(&draft, &state);
    let decided = if guess.confidence >= MIN_CONFIDENCE {
        (guess.route, guess.confidence, Source::Rules)
    } else {
        match ask(&draft).await {
            Some((route, confidence)) if confidence >= MIN_CONFIDENCE => {
                (route, confidence, Source::Model)
            }
            _ => (guess.route, guess.confidence, Source::Rules),
        }
    };
    let follows = guess.follow_up || route::is_follow_up(&draft.work.asked.question);
    draft.work.asked.follow_up = follows && !state.queries.is_empty();
    if decided.0 == Route::Sql {
        let around = around.map(|choices| take_choices(&mut draft, choices));
        prepare(&mut draft, around);
    }
    Ok(routed(draft, decided).await)
}

/// The targets to choose among, and a picker for them.
fn take_choices(draft: &mut Draft, choices: Vec<TargetOption>) {
    if !choices.is_empty() {
        draft.work.place.choice_call = draft.node.services().new_id("call");
    }
    draft.work.place.choices = choices;
}

/// A simple question that continues the one before it: "and crews?", "list them".
fn continued(draft: &Draft, state: &DataState) -> Option<String> {
    let before = state.queries.last().filter(|query| !query.pasted)?;
    let tables = draft.found.candidates.iter().map(|table| &*table.name);
    // What was asked last is continued, also where it has no answer.
    let newest = state.question_of_thread().unwrap_or(&before.question);
    let question = &draft.work.asked.question;
    let narrowed = || {
        // A model reads more conditions than the rules do.
        let by_rules = (!draft.node.has_model()).then_some(question)?;
        simple::narrowed(by_rules, newest, tables.clone())
    };
    simple::continued(question, newest, tables.clone()).or_else(narrowed)
}

/// The question without an answer that the message would continue, if rules could continue the one
/// before it: its rows are not those that are asked for.
fn unanswered(draft: &Draft, state: &DataState) -> Option<String> {
    let before = state.queries.last().filter(|query| !query.pasted)?;
    let newest = state.question_of_thread()?;
    if newest == before.question || draft.node.has_model() {
        return None;
    }
    let tables = draft.found.candidates.iter().map(|table| &*table.name);
    let question = &draft.work.asked.question;
    simple::continued(question, &before.question, tables.clone())
        .or_else(|| simple::narrowed(question, &before.question, tables))?;
    Some(newest.to_owned())
}

/// The SQL that the message is.
fn pasted(draft: &Draft) -> Option<Pasted> {
    statement::pasted(&draft.work.asked.question, |name| {
        let mut tables = draft.found.candidates.iter();
        tables.any(|table| table.name.eq_ignore_ascii_case(name))
    })
}

/// Whether the message is SQL, a wish to change the data, or a question about the tables
/// themselves; the work is ready for it then.
fn read_as_written(draft: &mut Draft, state: &DataState) -> bool {
    if !draft.settings().sql_enabled || draft.found.past.iter().any(|past| past.same) {
        return false;
    }
    if let Some(about) = asked_about_tables(draft) {
        draft.work.asked.about_tables = Some(about);
        draft.work.asked.task = Task::AboutTables;
        return true;
    }
    match pasted(draft) {
        Some(Pasted::Query(sql)) => {
            sentences::OWN_QUERY.clone_into(&mut draft.work.asked.question);
            draft.work.query.sql = Some(sql);
            draft.work.query.origin = Origin::Person;
            draft.found.past.clear();
            return true;
        }
        Some(Pasted::Several) => {
            draft.work.ending = Some(Ending::Several);
            return true;
        }
        Some(Pasted::Change(change)) => {
            draft.work.ending = Some(Ending::WouldChange(change));
            return true;
        }
        Some(Pasted::Other(other)) => {
            draft.work.ending = Some(Ending::NotRun(other));
            return true;
        }
        None => {}
    }
    let tables = draft.found.candidates.iter().map(|table| &*table.name);
    let goes_on = state.route == Some(Route::Sql) && !state.queries.is_empty();
    let change = statement::wishes_change(&draft.work.asked.question, tables, goes_on);
    draft.work.ending = change.map(Ending::WouldChange);
    change.is_some()
}

/// A question about the tables; not where the words are a table's own name, so that rows are asked
/// for.
fn asked_about_tables(draft: &Draft) -> Option<AboutTables> {
    let names = || draft.found.candidates.iter().map(|table| &*table.name);
    let is_table = |name: &str| named(name, names()).is_some();
    match about_tables::asked(&draft.work.asked.question)? {
        AboutTables::Tables | AboutTables::TablesOf(_) | AboutTables::Having(_)
            if is_table("tables") =>
        {
            None
        }
        AboutTables::Databases if is_table("databases") => None,
        AboutTables::Describe(name) => is_table(&name).then_some(AboutTables::Columns(name)),
        about => Some(about),
    }
}

/// The next node after the router.
pub(crate) fn after(state: &DataState) -> &'static str {
    match (state.route, state.work.asked.task) {
        (_, Task::Remember) => "remember",
        (_, Task::Forget) => "forget",
        (Some(Route::Rag), _) => "rag_agent",
        (Some(Route::Sql), _) if state.work.ending.is_some() => "finalize",
        (Some(Route::Sql), Task::AboutTables) => "tell_tables",
        (Some(Route::Sql), _) if !state.work.place.choices.is_empty() => "choose_target",
        (Some(Route::Sql), _) if state.work.query.sql.is_some() => "validate_sql",
        (Some(Route::Sql), _) => "select_tables",
        (Some(Route::General) | None, _) => "general_agent",
    }
}

async fn routed(draft: Draft, decided: (Route, f64, Source)) -> graph::Command<DataState> {
    let (route, confidence, source) = decided;
    draft.node.route(route.as_str(), confidence, source).await;
    draft.node.update(Update::Routed(route));
    draft.done()
}

fn guess(draft: &Draft, state: &DataState) -> Guess {
    if draft.work.place.held_by.is_some() {
        // A message that names a database and a table is a question to a database.
        return Guess {
            route: Route::Sql,
            confidence: 1.0,
            follow_up: false,
        };
    }
    let tables: Vec<_> = draft
        .found
        .candidates
        .iter()
        .map(|table| (&*table.name, table.score.unwrap_or_default()))
        .collect();
    let known = Known {
        tables: &tables,
        confirmed: draft.found.past.iter().any(|past| past.same),
        previous: state.route.filter(|route| *route != Route::General),
    };
    route::guess(&draft.work.asked.question, known)
}

/// The lookups before the first node of the SQL graph.
pub(super) fn prepare(draft: &mut Draft, around: Result<(), CallFailed>) {
    if !draft.settings().sql_enabled {
        draft.work.ending = Some(Ending::Disabled);
        return;
    }
    if let Err(failed) = around {
        draft.work.ending = Some(if failed.nothing_there {
            Ending::NoTarget(failed.message)
        } else {
            Ending::Unavailable(failed.message)
        });
        return;
    }
    if draft.found.candidates.is_empty() && draft.work.place.choices.is_empty() {
        let target = draft.work.place.target.clone().unwrap_or_default();
        draft.work.ending = Some(Ending::NoTables(target));
        return;
    }
    if draft.work.query.origin == Origin::Person {
        return;
    }
    if let Some(past) = draft.found.past.iter().find(|past| past.same).cloned() {
        draft.work.query.sql = Some(past.sql.clone());
        draft.work.query.standalone = Some(past.question.clone());
        draft.work.query.origin = Origin::Past;
        draft.work.query.confirmed = Some(Box::new(past));
        return;
    }
    let question = draft.work.asked.question.clone();
    if draft.work.asked.follow_up {
        return;
    }
    let mut past = draft.found.past.iter();
    if let Some(sql) = past.find_map(|past| variants::variant(&question, past)) {
        draft.work.query.sql = Some(sql);
        draft.work.query.origin = Origin::Rules;
    }
}

/// The model's opinion; `None` when there is no model, or it says nothing that can be used.
async fn ask(draft: &Draft) -> Option<(Route, f64)> {
    if !draft.settings().model_routing || !draft.node.has_model() {
        return None;
    }
    draft.node.hint("Working out what you need").await;
    let history = &draft.node.run().history;
    let recent: Vec<_> = history[history.len().saturating_sub(RECENT)..]
        .iter()
        .map(told)
        .collect();
    let tables: Vec<_> = draft
        .found
        .candidates
        .iter()
        .take(TOLD_TABLES)
        .map(|table| &*table.name)
        .collect();
    let system = prompt::fill(PROMPT, "tables", &json!(tables).to_string());
    let format = prompt::object(
        "route",
        &[
            (
                "route",
                json!({ "type": "string", "enum": ["sql", "rag", "general"] }),
            ),
            ("confidence", json!({ "type": "number" })),
        ],
    );
    let request = prompt::within(
        draft.settings().max_context_tokens,
        &system,
        format,
        |_| json!({ "recent": recent, "message": draft.work.asked.question }),
    );
    let request = ChatRequest {
        size: AnswerSize::Brief,
        ..request
    };
    let answer = draft
        .node
        .ask(request, draft.settings().routing_timeout)
        .await?;
    let read = read(&answer);
    if read.is_none() {
        tracing::warn!("the model's classification cannot be read");
        warn_once(&draft.node, Unusable::classification(&answer)).await;
    }
    read
}

fn told(message: &PastMessage) -> Value {
    let role = match message.role {
        PastRole::User => "user",
        PastRole::Assistant => "assistant",
    };
    json!({ "role": role, "text": message.text.chars().take(RECENT_CHARS).collect::<String>() })
}

/// An object, or one word.
fn read(answer: &str) -> Option<(Route, f64)> {
    let route = |word: &str| match word.to_lowercase().as_str() {
        "sql" => Some(Route::Sql),
        "rag" => Some(Route::Rag),
        "general" => Some(Route::General),
        _ => None,
    };
    if let Some(object) = prompt::object_in(answer) {
        let confidence = object
            .get("confidence")
            .map_or(Some(ONE_WORD), Value::as_f64)?;
        let route = route(object.get("route")?.as_str()?)?;
        return (0.0..=1.0)
            .contains(&confidence)
            .then_some((route, confidence));
    }
    let word = answer.trim().trim_matches(|c: char| !c.is_alphanumeric());
    Some((route(word)?, ONE_WORD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_or_one_word_is_read_and_nothing_else() {
        for (answer, expected) in [
            (
                r#"{"route": "sql", "confidence": 0.9}"#,
                Some((Route::Sql, 0.9)),
            ),
            (
                "```json\n{\"route\": \"RAG\"}\n```",
                Some((Route::Rag, ONE_WORD)),
            ),
            ("GENERAL", Some((Route::General, ONE_WORD))),
            (" sql.\n", Some((Route::Sql, ONE_WORD))),
            ("SQL, I think", None),
            (r#"{"route": "dance", "confidence": 0.9}"#, None),
            (r#"{"route": "sql", "confidence": 9}"#, None),
            ("", None),
        ] {
            assert_eq!(read(answer), expected, "{answer}");
        }
    }
}
