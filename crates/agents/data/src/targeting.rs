//! Which of several targets a question is about.
//!
//! What counts, in this order: a target that the question names as such; the one that came with the request; a confirmed question that
//! only one has; the thread's, as long as the words do not clearly speak of another; the one whose tables, columns or description the
//! words speak of. Where none of this tells, the person is asked.

use contracts::tools::sql::{
    FindPastQuestionsArguments, ListTablesArguments, PastQuestion, PastQuestions, TableList,
    TargetSummary, names,
};
use futures::future::join_all;
use regex::Regex;

use crate::{
    draft::{CallFailed, Draft},
    language::{
        names::{mentions, singular, stems, words},
        route,
    },
    nodes::choose_target::TargetOption,
    state::{DataState, Route},
};

/// The longest text that the tools take, in bytes.
const LONGEST: usize = 16_384;

/// Targets that are looked at for one question.
const LOOKED_AT: usize = 16;

/// A table's name in the question counts so much, and at most so many of them.
const MENTIONED: f64 = 0.5;
const MENTIONS: usize = 3;
/// What of the description is in the question counts so much.
const DESCRIBED: f64 = 0.5;
/// From so much on a target is what the question is about.
const FITS_FROM: f64 = 0.35;
/// A target is clearly the one when it fits so much better than the others.
const CLEARLY: f64 = 0.2;

/// Words that say nothing of what a database holds.
const EMPTY: [&str; 16] = [
    "and", "the", "of", "all", "our", "with", "for", "data", "database", "from", "in", "to", "a",
    "an", "company", "their",
];

/// A target as the question sees it.
struct Seen {
    tables: TableList,
    past: Vec<PastQuestion>,
}

/// The catalogue and the confirmed questions of the target that the message is about, as far as they fit it. The targets to choose among
/// where that is not told; the work holds the one that fits best then.
pub(crate) async fn look_around(
    draft: &mut Draft,
    state: &DataState,
) -> Result<Vec<TargetOption>, CallFailed> {
    if !draft.settings().sql_enabled {
        return Ok(Vec::new());
    }
    let question = draft.work.question.clone();
    // A follow-up names what it is about in the question before it.
    let follows = state.route == Some(Route::Sql) && route::is_follow_up(&question);
    let about = match state.queries.last() {
        Some(last) if follows => format!("{} {question}", last.question),
        _ => question.clone(),
    };
    let of_request = draft.node.run().target.clone();
    let of_thread = state.queries.last().map(|query| query.target.clone());
    let configured = draft.settings().target.clone();
    let first = of_request.clone().or_else(|| configured.clone());
    let seen = look(draft, first, &about, follows).await?;
    if configured.is_some() && of_request.is_none() || seen.tables.targets.len() < 2 {
        keep(draft, seen);
        return Ok(Vec::new());
    }
    let targets = seen.tables.targets.clone();
    let current = seen.tables.target.clone();
    let others = targets
        .iter()
        .filter(|target| target.name != current)
        .take(LOOKED_AT);
    let others = others.map(|target| look(draft, Some(target.name.clone()), &about, follows));
    // A target that is away is none of those that may be meant, unless it is the only one named.
    let mut all = vec![seen];
    all.extend(join_all(others).await.into_iter().filter_map(Result::ok));
    if let Some(named) = named(&question, &targets, &all) {
        // The name has said what it had to say.
        draft.work.question = without_name(&question, &named);
        let about = without_name(&about, &named);
        let seen = look(draft, Some(named), &about, follows).await?;
        keep(draft, seen);
        return Ok(Vec::new());
    }
    if let Some(wanted) = of_request {
        return take(draft, all, &wanted, &question).await;
    }
    if let Some(only) = only(&all, |seen| seen.past.iter().any(|past| past.same)) {
        return take(draft, all, &only, &question).await;
    }
    let scored: Vec<(f64, usize)> = all.iter().map(|seen| fit(&question, seen)).collect();
    let at_thread = all
        .iter()
        .position(|seen| Some(&seen.tables.target) == of_thread.as_ref());
    let mut ranked: Vec<usize> = (0..all.len()).collect();
    ranked.sort_by(|a, b| scored[*b].0.total_cmp(&scored[*a].0));
    let (best, second) = (ranked[0], ranked[1]);
    let fits = scored[best].0 >= FITS_FROM;
    let settled = match at_thread {
        Some(thread) if follows => Some(thread),
        Some(thread) if fits && scored[best].0 >= scored[thread].0 + CLEARLY => Some(best),
        Some(thread) => Some(thread),
        None if fits && scored[best].0 >= scored[second].0 + CLEARLY => Some(best),
        None if scored[best].1 > 0 && scored[second].1 == 0 => Some(best),
        None => None,
    };
    let name = all[settled.unwrap_or(best)].tables.target.clone();
    let taken = take(draft, all, &name, &question).await?;
    Ok(if settled.is_some() {
        taken
    } else {
        options(&targets)
    })
}

/// Looks at a target that was chosen.
pub(crate) async fn look_at(draft: &mut Draft, target: String) -> Result<(), CallFailed> {
    let question = draft.work.question.clone();
    let seen = look(draft, Some(target), &question, false).await?;
    keep(draft, seen);
    Ok(())
}

/// The tables of a target that there are, those that fit first.
pub(crate) async fn catalogue(
    draft: &Draft,
    target: Option<String>,
    about: String,
) -> Result<TableList, CallFailed> {
    let arguments = ListTablesArguments {
        target,
        question: Some(within(about)).filter(|about| !about.is_empty()),
        limit: draft.limits().max_tables_in_selection,
    };
    draft.look_up_quietly(names::LIST_TABLES, &arguments).await
}

/// What the rest of the turn needs of a catalogue.
pub(crate) fn keep_tables(draft: &mut Draft, tables: TableList) {
    let work = &mut draft.work;
    work.several_targets = tables.targets.len() > 1;
    let mut targets = tables.targets.into_iter();
    work.target_about = targets
        .find(|target| target.name == tables.target)
        .and_then(|target| target.description);
    work.target = Some(tables.target);
    work.dialect = Some(tables.dialect);
    draft.found.candidates = tables.tables;
}

async fn look(
    draft: &Draft,
    target: Option<String>,
    about: &str,
    follows: bool,
) -> Result<Seen, CallFailed> {
    let past = FindPastQuestionsArguments {
        target: target.clone(),
        question: within(draft.work.question.clone()),
        limit: draft.settings().examples.max(3),
    };
    let (tables, past) = tokio::join!(
        catalogue(draft, target, about.to_owned()),
        draft.look_up_quietly::<PastQuestions>(names::FIND_PAST_QUESTIONS, &past),
    );
    let mut past = past.map(|past| past.matches).unwrap_or_default();
    if follows {
        // "And last month?" is another question each time.
        for past in &mut past {
            past.same = false;
        }
    }
    let tables = tables?;
    Ok(Seen { tables, past })
}

fn keep(draft: &mut Draft, seen: Seen) {
    draft.found.past = seen.past;
    keep_tables(draft, seen.tables);
}

/// Keeps the target of this name; looked at once more where it did not answer before.
async fn take(
    draft: &mut Draft,
    all: Vec<Seen>,
    name: &str,
    question: &str,
) -> Result<Vec<TargetOption>, CallFailed> {
    let found = all.into_iter().find(|seen| seen.tables.target == name);
    let seen = match found {
        Some(seen) => seen,
        None => look(draft, Some(name.to_owned()), question, false).await?,
    };
    keep(draft, seen);
    Ok(Vec::new())
}

/// The only target of which something is true.
fn only(all: &[Seen], is: impl Fn(&Seen) -> bool) -> Option<String> {
    let mut found = all.iter().filter(|seen| is(seen));
    let first = found.next()?;
    found.next().is_none().then(|| first.tables.target.clone())
}

/// How well a target fits, and how many of its tables the question names.
fn fit(question: &str, seen: &Seen) -> (f64, usize) {
    let said = stems(question);
    let tables = &seen.tables.tables;
    let mentioned = tables
        .iter()
        .filter(|table| mentions(&said, &table.name))
        .count();
    let best = tables.iter().filter_map(|table| table.score);
    let best = best.fold(0.0, f64::max);
    let about = seen
        .tables
        .targets
        .iter()
        .find(|target| target.name == seen.tables.target);
    let about = about.and_then(|target| target.description.as_deref());
    let described = about.map_or(0, |about| shared(&said, about));
    let described = if described > 0 { DESCRIBED } else { 0.0 };
    #[expect(clippy::cast_precision_loss, reason = "at most three")]
    let counted = mentioned.min(MENTIONS) as f64;
    (counted * MENTIONED + best + described, mentioned)
}

/// How many words of a description the question has.
fn shared(said: &[String], about: &str) -> usize {
    let told = words(about);
    let told = told
        .iter()
        .map(|word| singular(word))
        .filter(|word| word.len() > 2 && !EMPTY.contains(&&**word));
    told.filter(|word| said.contains(word)).count()
}

/// Words beside which a name is a target's, and words after which it may be.
const KIND: [&str; 5] = ["database", "db", "target", "schema", "databases"];
const PLACE: [&str; 6] = ["in", "from", "on", "using", "within", "at"];

/// The one target that the question names: beside a word such as "database", or where nothing in the databases goes by that name.
fn named(question: &str, targets: &[TargetSummary], all: &[Seen]) -> Option<String> {
    let said = words(question);
    let is_thing = |name: &str| {
        let mut tables = all.iter().flat_map(|seen| &seen.tables.tables);
        tables.any(|table| mentions(&stems(name), &table.name))
    };
    let is_named = |target: &&TargetSummary| {
        let name = words(&target.name);
        if name.is_empty() {
            return false;
        }
        let places = said
            .windows(name.len())
            .enumerate()
            .filter(|(_, window)| **window == *name)
            .map(|(at, _)| at);
        let word = |at: Option<usize>| at.and_then(|at| said.get(at)).map_or("", String::as_str);
        places.into_iter().any(|at| {
            let (before, after) = (word(at.checked_sub(1)), word(Some(at + name.len())));
            KIND.contains(&after)
                || KIND.contains(&before)
                || PLACE.contains(&before) && !is_thing(&target.name)
        })
    };
    let mut found = targets.iter().filter(is_named);
    let first = found.next()?;
    found.next().is_none().then(|| first.name.clone())
}

/// The question without "in the … database".
fn without_name(question: &str, name: &str) -> String {
    let words: Vec<String> = words(name).iter().map(|word| regex::escape(word)).collect();
    let kind = KIND.join("|");
    let pattern = format!(
        r"(?i)[\s,]*\b(?:{})\s+(?:the\s+)?(?:(?:{kind})\s+)?{}(?:\s+(?:{kind}))?\b",
        PLACE.join("|") + "|of",
        words.join(r"[\W_]*")
    );
    let Ok(pattern) = Regex::new(&pattern) else {
        return question.to_owned();
    };
    let rest = pattern.replace_all(question, "").trim().to_owned();
    // "How many crews are" is what is left of "… are in the warehouse database".
    let rest = match rest.trim_end_matches(['?', '.', '!', ' ']) {
        begin if begin.ends_with(" are") || begin.ends_with(" is") => {
            format!("{begin} there{}", &rest[begin.len()..])
        }
        _ => rest,
    };
    if rest.chars().any(char::is_alphanumeric) {
        rest
    } else {
        question.to_owned()
    }
}

fn options(targets: &[TargetSummary]) -> Vec<TargetOption> {
    let targets = targets.iter().map(|target| TargetOption {
        name: target.name.clone(),
        about: target.description.clone(),
    });
    targets.collect()
}

fn within(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rfind(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_database_is_no_condition() {
        for (question, rest) in [
            (
                "How many crews are there in the warehouse database?",
                "How many crews are there?",
            ),
            ("List all parts from warehouse", "List all parts"),
            (
                "Which tables are in the database warehouse?",
                "Which tables are there?",
            ),
            ("in the warehouse database", "in the warehouse database"),
            (
                "How many warehouses are there?",
                "How many warehouses are there?",
            ),
        ] {
            assert_eq!(without_name(question, "warehouse"), rest, "{question}");
        }
        let field = without_name(
            "How many crews are in the field service db?",
            "field-service",
        );
        assert_eq!(field, "How many crews are there?");
    }

    #[test]
    fn what_a_database_holds_is_told_by_its_description() {
        let said = stems("Which suppliers deliver stock?");
        assert_eq!(shared(&said, "Stock and suppliers"), 2);
        assert_eq!(shared(&said, "Jobs and crews"), 0);
    }
}
