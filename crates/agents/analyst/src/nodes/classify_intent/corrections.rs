//! Corrections: an earlier answer or choice is taken back, and the request is made again with its
//! replacement.

use contracts::{
    todo::{AskedClarification, TodoList},
    tools::{
        choices::RememberedChoice,
        clarification::{Clarification, ClarificationAnswer},
        meanings::{EntityResolution, EntityResolutionArguments, MatchedBy, ResolvedEntity, names},
        search::{Filter, QueryStructure},
    },
};
use graph::Command;

use super::{Sure, follow_up, follow_up_with, gives_way, kind_of, new_request, over, routed};
use crate::{
    language::{self, Correction, Remembering},
    state::{AnalystState, Ending, IntentKind, IntentRoute, Next, Request},
    step::Step,
    words,
};
use contracts::todo::TodoListState;

/// Between what is wanted and what was said before, in the value of a correction.
const INSTEAD: &str = " instead of ";

/// Does what a correction asks for.
pub(super) async fn apply(
    step: Step,
    correction: Correction,
    text: String,
    sure: Sure,
) -> Command<AnalystState> {
    let said = match correction {
        Correction::Forget => return forget(step).await,
        Correction::Undo => return undo(step, text, sure).await,
        Correction::Other => None,
        Correction::Value(said) => Some(said),
    };
    if let Some(newest) = newest_list(&step) {
        // "The terminal instead of the port" names the thing that is chosen now first.
        let now = said.as_deref().and_then(|said| said.split(INSTEAD).next());
        if let Some(chosen) = rechosen(&step, &newest, now) {
            return again(step, newest, chosen, sure).await;
        }
        if let Some(remembered) = remembered(&step)
            && now.is_none_or(|now| is_of_kind(now, &remembered))
        {
            let now = now.map(str::to_owned);
            return ask_again(step, newest, &remembered, now, sure).await;
        }
    }
    match said {
        Some(said) if step.work.recalled.newest_query.is_some() => {
            let change = as_change(&step, &said);
            follow_up(step, IntentKind::EditQuery, change, sure).await
        }
        Some(_) => new_request(step, None, text, sure).await,
        None => {
            let nothing = "I know of no choice that was made before this. Tell me which one you mean by its name.";
            over(step, "exact_answer", Ending::Answered(nothing.to_owned())).await
        }
    }
}

/// The query before the newest again.
async fn undo(step: Step, text: String, sure: Sure) -> Command<AnalystState> {
    let before = match step.run().queries(QUERIES).await {
        Ok(ids) => ids.len() > 1,
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "earlier queries cannot be read"
            );
            return over(step, "edit_query", Ending::MemoryAway).await;
        }
    };
    if !before {
        let nothing = "There is no query before the last one, so there is nothing to take back.";
        return over(step, "edit_query", Ending::Answered(nothing.to_owned())).await;
    }
    let request = Request {
        original: "back".to_owned(),
        rewritten: text,
        back: true,
        ..Request::default()
    };
    follow_up_with(step, IntentKind::EditQuery, request, sure).await
}

/// User turns in which the query before is looked for.
const QUERIES: u32 = 50;

/// A short answer to a question that was not asked this time, because its answer is remembered:
/// "the port".
pub(super) fn answers_remembered(step: &Step, text: &str) -> bool {
    let short = text.split_whitespace().count() <= 4;
    let known = |entity: ResolvedEntity| {
        let name = words_of(&entity.name);
        let said = words_of(text);
        !said.is_empty() && said.iter().all(|word| name.contains(word)) || is_of_kind(text, &entity)
    };
    let remembered = remembered(step);
    short && remembered.is_some_and(|one| one.matched_by == MatchedBy::Remembered && known(one))
}

/// Whether words say only "the terminal", "the other": they choose among things of a name.
fn is_of_kind(text: &str, entity: &ResolvedEntity) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let the = first.eq_ignore_ascii_case("the");
    let mention = words_of(&entity.mention);
    let named = words_of(text).iter().any(|word| mention.contains(word));
    the && text.split_whitespace().count() <= 3 || named
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .map(str::to_lowercase)
        .filter(|word| !["", "the", "a", "one", "of", "please", "i", "mean"].contains(&&**word))
        .collect()
}

/// The list of the newest attempt.
fn newest_list(step: &Step) -> Option<TodoList> {
    let entry = step.work.recalled.entries.last()?;
    serde_json::from_value(entry.active_todo_list_snapshot.clone()).ok()
}

/// A choice: the label of the option before, and the answer now.
struct Chosen {
    before: Option<String>,
    now: ClarificationAnswer,
}

/// The option that takes the place of the one that was chosen for words of the newest request.
fn rechosen(step: &Step, newest: &TodoList, said: Option<&str>) -> Option<Chosen> {
    let lists = step.work.recalled.entries.iter().rev().filter_map(|entry| {
        serde_json::from_value::<TodoList>(entry.active_todo_list_snapshot.clone()).ok()
    });
    let asked = lists.flat_map(|list| {
        let tasks = list.tasks.into_values();
        tasks
            .flat_map(|task| task.clarifications)
            .collect::<Vec<_>>()
    });
    let parts = asked.flat_map(|asked| {
        let answers = asked.answers;
        let parts = asked.clarification.parts.into_iter();
        parts
            .map(|part| {
                let mut own = answers.iter().filter(|answer| answer.about == part.about);
                let chosen = own.find_map(|answer| answer.option_id.clone());
                (part, chosen)
            })
            .collect::<Vec<_>>()
    });
    let request = newest.rewritten_request.to_lowercase();
    let mut of_request = parts.filter(|(part, _)| {
        !part.options.is_empty() && request.contains(&part.mention.to_lowercase())
    });
    let (part, first) = of_request.next()?;
    // What was chosen since is in the list that was made of it.
    let since = newest.tasks.values().find_map(|task| {
        let answers = task.params.get("answers")?;
        let answers: Vec<ClarificationAnswer> = serde_json::from_value(answers.clone()).ok()?;
        let own = answers
            .into_iter()
            .rfind(|answer| answer.about == part.about);
        own?.option_id
    });
    let before = since.or(first);
    let option = if let Some(said) = said {
        let asked = AskedClarification {
            id: String::new(),
            clarification: Clarification {
                question: String::new(),
                parts: vec![part.clone()],
            },
            answers: Vec::new(),
            answered_at: None,
        };
        let answers = language::chosen(said, &asked);
        let [answer] = answers.as_slice() else {
            return None;
        };
        part.options
            .iter()
            .find(|option| Some(&option.id) == answer.option_id.as_ref())?
    } else {
        let mut others = part
            .options
            .iter()
            .filter(|option| Some(&option.id) != before.as_ref());
        let other = others.next()?;
        others.next().is_none().then_some(other)?
    };
    let label = |id: &String| {
        let mut options = part.options.iter();
        options
            .find(|option| option.id == *id)
            .map(|option| option.label.clone())
    };
    Some(Chosen {
        before: before.as_ref().and_then(label),
        now: ClarificationAnswer {
            about: part.about.clone(),
            option_id: Some(option.id.clone()),
            text: option.label.clone(),
        },
    })
}

/// The newest request again, with another choice.
async fn again(
    mut step: Step,
    newest: TodoList,
    chosen: Chosen,
    sure: Sure,
) -> Command<AnalystState> {
    if kind_of(&newest) == IntentKind::EditQuery {
        let now = chosen.now.text;
        return match remembered(&step) {
            Some(before) => ask_again(step, newest, &before, Some(now), sure).await,
            None => follow_up(step, IntentKind::EditQuery, now, sure).await,
        };
    }
    let mut rewritten = newest.rewritten_request.clone();
    if let Some(before) = chosen
        .before
        .filter(|before| rewritten.contains(before.as_str()))
    {
        rewritten = rewritten.replace(&before, &chosen.now.text);
    }
    let request = Request {
        original: newest.original_request.clone(),
        rewritten,
        answers: vec![chosen.now],
        ..Request::default()
    };
    rerun(&mut step, request, sure).await;
    step.then(Next::Plan)
}

/// The newest request again, where what was chosen long ago is not taken for granted.
async fn ask_again(
    mut step: Step,
    newest: TodoList,
    remembered: &ResolvedEntity,
    said: Option<String>,
    sure: Sure,
) -> Command<AnalystState> {
    // A query that was changed since keeps its changes.
    let edits = kind_of(&newest) == IntentKind::EditQuery;
    let (original, rewritten) = if edits {
        (remembered.mention.clone(), remembered.mention.clone())
    } else {
        (
            newest.original_request.clone(),
            newest.rewritten_request.clone(),
        )
    };
    let request = Request {
        original,
        rewritten,
        forget: vec![remembered.mention.clone()],
        rechoose: Some((remembered.name.clone(), said)),
        ..Request::default()
    };
    if edits {
        return follow_up_with(step, IntentKind::EditQuery, request, sure).await;
    }
    rerun(&mut step, request, sure).await;
    step.then(Next::Plan)
}

async fn rerun(step: &mut Step, request: Request, sure: Sure) {
    step.state.intent.route = IntentRoute::NewRequest;
    step.state.intent.kind = IntentKind::DataRetrieval;
    routed(step, IntentKind::DataRetrieval.as_str(), sure).await;
    if let Some(list) = step.work.plan.list.clone() {
        gives_way(step, list, TodoListState::Superseded, &[]);
    }
    step.state.intent.rewritten_question = Some(request.rewritten.clone());
    step.work.request = request;
}

/// The earlier choice that the newest request used.
fn remembered(step: &Step) -> Option<ResolvedEntity> {
    let mut resolved = step.state.resolution.resolved.values().flatten();
    let now = resolved.find(|entity| entity.matched_by == MatchedBy::Remembered);
    now.or_else(|| {
        // A turn later the query still has it.
        let query = step
            .work
            .recalled
            .newest_query
            .as_ref()?
            .query_structure
            .as_ref()?;
        let choice = step.state.choice.as_ref()?;
        let has = |filter: &Filter| {
            let mut values = filter.values.iter();
            values.any(|value| *value == choice.id || *value == choice.name)
        };
        query.filters.iter().any(has).then_some(choice)
    })
    .cloned()
}

/// Whether there is a choice that could be forgotten.
pub(super) fn has_choice(step: &Step) -> bool {
    !step.work.recalled.listed.is_empty() || !in_use(step).is_empty()
}

fn is_chosen(entity: &ResolvedEntity) -> bool {
    matches!(entity.matched_by, MatchedBy::Remembered | MatchedBy::Answer)
}

/// The choices of the newest request, or the one that its query still has.
fn in_use(step: &Step) -> Vec<ResolvedEntity> {
    let resolved = step.state.resolution.resolved.values().flatten();
    let now: Vec<ResolvedEntity> = resolved.filter(|one| is_chosen(one)).cloned().collect();
    if now.is_empty() {
        return remembered(step).into_iter().collect();
    }
    now
}

/// Forgets the choice that was listed before, or what was chosen for the words of the newest
/// request.
pub(super) async fn forget(mut step: Step) -> Command<AnalystState> {
    match step.work.recalled.listed.as_slice() {
        [] => {}
        [only] => {
            let only = Remembering::Forget(only.clone());
            match Box::pin(remembering(step, only)).await {
                Ok(done) => return done,
                Err(other) => step = *other,
            }
        }
        [first, ..] => {
            let which = format!(
                "Which one? Say \u{201c}forget {first}\u{201d} or \u{201c}forget all my choices\u{201d}."
            );
            return over(step, "cancel", Ending::Answered(which)).await;
        }
    }
    let chosen = in_use(&step);
    if chosen.is_empty() {
        let nothing = "There is no choice of yours in the last request that I could forget.";
        return over(step, "cancel", Ending::Answered(nothing.to_owned())).await;
    }
    let mentions: Vec<String> = chosen.iter().map(|entity| entity.mention.clone()).collect();
    let arguments = EntityResolutionArguments {
        text: mentions.join(", "),
        forget: mentions,
        ..EntityResolutionArguments::default()
    };
    let called = step
        .node
        .call_quietly(names::ENTITY_RESOLUTION, &arguments)
        .await;
    if called.any_result::<serde_json::Value>().is_none() {
        let away = format!("I could not forget it: {}", called.message());
        return over(step, "cancel", Ending::Answered(away)).await;
    }
    let each = chosen.iter().map(|entity| {
        format!(
            "\u{201c}{}\u{201d} stands for {}",
            entity.mention, entity.name
        )
    });
    let text = format!(
        "I no longer remember that {}. Next time I'll ask again.",
        words::list(each)
    );
    step.state.choice = None;
    over(step, "cancel", Ending::Answered(text)).await
}

/// Lists earlier choices, or forgets them; returns the step if the words are not about choices.
pub(super) async fn remembering(
    mut step: Step,
    wanted: Remembering,
) -> Result<Command<AnalystState>, Box<Step>> {
    let known = choices(&step, Vec::new()).await;
    let (gone, all) = match (&wanted, &known) {
        (Remembering::Forget(_), Err(_)) => return Err(Box::new(step)),
        (_, Err(away)) => {
            let text = format!("What you chose before can't be read at the moment: {away}");
            return Ok(over(step, "exact_answer", Ending::Answered(text)).await);
        }
        (Remembering::List, Ok(known)) => {
            let text = told(known);
            let listed = known.iter().map(|choice| choice.mention.clone());
            step.state.listed = listed.collect();
            return Ok(over(step, "exact_answer", Ending::Answered(text)).await);
        }
        (Remembering::Forget(words), Ok(known)) => {
            let of_words =
                |choice: &&RememberedChoice| words_of(&choice.mention) == words_of(words);
            let Some(choice) = known.iter().find(of_words) else {
                return Err(Box::new(step));
            };
            (vec![choice.clone()], false)
        }
        (Remembering::ForgetAll, Ok(known)) => (known.clone(), true),
    };
    if gone.is_empty() {
        let nothing = "I remember no choice of yours, so there is nothing to forget.".to_owned();
        return Ok(over(step, "cancel", Ending::Answered(nothing)).await);
    }
    // The tool accepts this number at a time.
    for some in gone.chunks(32) {
        let mentions = some.iter().map(|choice| choice.mention.clone()).collect();
        if let Err(away) = choices(&step, mentions).await {
            let text = format!("I could not forget it: {away}");
            return Ok(over(step, "cancel", Ending::Answered(text)).await);
        }
    }
    let chosen = step.state.choice.as_ref();
    let of_choice = |one: &RememberedChoice| {
        chosen.is_some_and(|chosen| words_of(&one.mention) == words_of(&chosen.mention))
    };
    if gone.iter().any(of_choice) {
        step.state.choice = None;
    }
    let each = gone.iter().take(TOLD).map(meaning);
    let text = format!("I no longer remember that {}.", words::list(each));
    let text = match gone.len() {
        _ if !all => format!("{text} Next time I'll ask again."),
        count => {
            format!("{text} All {count} of your choices are forgotten; next time I'll ask again.")
        }
    };
    Ok(over(step, "cancel", Ending::Answered(text)).await)
}

/// Maximum number of choices in an answer.
const TOLD: usize = 20;

/// The person's earlier choices, once these are forgotten; or the reason why they are not known.
async fn choices(step: &Step, forget: Vec<String>) -> Result<Vec<RememberedChoice>, String> {
    let arguments = EntityResolutionArguments {
        text: "choices".to_owned(),
        forget,
        remembered: true,
        ..EntityResolutionArguments::default()
    };
    let called = step
        .node
        .call_quietly(names::ENTITY_RESOLUTION, &arguments)
        .await;
    match called.any_result::<EntityResolution>() {
        Some(resolution) => Ok(resolution.remembered),
        None => Err(called.message().to_owned()),
    }
}

/// The remembered choices in words.
fn told(known: &[RememberedChoice]) -> String {
    if known.is_empty() {
        return "I remember no choice of yours. When words can mean several things I ask, and remember what you choose.".to_owned();
    }
    let each = known.iter().take(TOLD).map(meaning);
    let more = match known.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    format!(
        "I remember that {}{more}. Say \u{201c}forget {}\u{201d} or \u{201c}forget all my choices\u{201d}, and I'll ask again.",
        words::list(each),
        known[0].mention
    )
}

/// The sentence for a choice: the words, and the name of the thing.
fn meaning(choice: &RememberedChoice) -> String {
    let name = choice.name.as_ref().unwrap_or(&choice.id);
    format!("\u{201c}{}\u{201d} stands for {name}", choice.mention)
}

/// The words as a change of the newest query.
fn as_change(step: &Step, said: &str) -> String {
    let today = step.today(said);
    let structure: Option<&QueryStructure> = step
        .work
        .recalled
        .newest_query
        .as_ref()
        .and_then(|query| query.query_structure.as_ref());
    language::correction(said, structure, today)
}
