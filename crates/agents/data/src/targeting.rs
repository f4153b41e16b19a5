//! Which of several targets a question is about.
//!
//! What counts, in this order: a target that the question names as such; the one that came with the
//! request; a confirmed question that only one has, unless the person named the thread's, which has
//! the tables; the thread's, as long as the words do not clearly speak of another; the one whose
//! tables, columns or description the words speak of. A query that the person pasted goes to the
//! target that has its tables. If none of this decides, the person is asked to choose among the
//! targets that may have an answer.

mod by_columns;
mod pasted;

use std::collections::HashSet;

use contracts::tools::sql::{
    FindPastQuestionsArguments, ListTablesArguments, PastQuestion, PastQuestions, TableList,
    TargetSummary, names,
};
use futures::future::join_all;

use crate::{
    draft::{CallFailed, Draft},
    language::{
        addressed::{Addressed, Several, addressed, leading, several, unknown},
        names::{bare, mentions, singular, stems, words},
        route::{self, Known},
        statement::{self, Pasted},
    },
    nodes::choose_target::TargetOption,
    state::{DataState, Ending, Route},
};

/// The longest text that the tools take, in bytes.
const LONGEST: usize = 16_384;

/// How the ids of questions begin that the tools service made of a target's tables: no user
/// confirmed them.
const MADE: &str = "made:";

/// Targets that are looked at for one question.
const LOOKED_AT: usize = 16;

/// Weight of a table's name in the question, and maximum number of them that count.
const MENTIONED: f64 = 0.5;
const MENTIONS: usize = 3;
/// Weight of the description's words in the question.
const DESCRIBED: f64 = 0.5;
/// Minimum score of a target that a question is about.
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

/// The catalogue and the confirmed questions of the target that the message is about, as far as
/// they fit it. Otherwise the targets to choose among; the work then holds the one that fits best.
pub(crate) async fn look_around(
    draft: &mut Draft,
    state: &DataState,
) -> Result<Vec<TargetOption>, CallFailed> {
    if !draft.settings().sql_enabled {
        return Ok(Vec::new());
    }
    let question = draft.work.asked.question.clone();
    // A follow-up names what it is about in the question before it.
    let follows = state.route == Some(Route::Sql) && route::is_follow_up(&question);
    let about = match state.queries.last() {
        Some(last) if follows => format!("{} {question}", last.question),
        _ => question.clone(),
    };
    let of_request = draft.node.run().context.target().map(str::to_owned);
    let of_thread = state.target_of_thread();
    let configured = draft.settings().target.clone();
    let first = of_request.clone().or_else(|| configured.clone());
    let is_any = first.is_none();
    let mut seen = look(draft, first, &about, follows).await?;
    let default = seen.tables.targets.first().map(|target| &target.name);
    if is_any && default != Some(&seen.tables.target) {
        // The first of them is away: confirmed questions are those of the one that answers.
        let answers = Some(seen.tables.target.clone());
        seen = look(draft, answers, &about, follows).await?;
    }
    let targets = seen.tables.targets.clone();
    if configured.is_some() && of_request.is_none() || targets.len() < 2 {
        let all = [seen];
        // The only one may be named as well: its name does not belong to the question then.
        let spoken = named(leading, &question, &targets, &all);
        let spoken = spoken.or_else(|| named(addressed, &question, &targets, &all));
        if spoken.is_none() && is_unknown(draft, &question, &targets, &all) {
            let [seen] = all;
            keep(draft, seen);
            return Ok(Vec::new());
        }
        if let (Some(spoken), [_]) = (spoken, &*targets) {
            return look_at_named(draft, state, spoken, &all).await;
        }
        let [seen] = all;
        keep(draft, seen);
        return Ok(Vec::new());
    }
    let current = seen.tables.target.clone();
    // One that cannot be asked is none of those that may be meant, unless it is named: nothing
    // waits for it.
    let others = targets
        .iter()
        .filter(|target| target.name != current && target.problem.is_none())
        .take(LOOKED_AT);
    draft.work.place.unasked = targets
        .iter()
        .filter(|target| target.problem.is_some() && target.name != current)
        .map(|target| target.name.clone())
        .collect();
    let others = others.map(|target| look(draft, Some(target.name.clone()), &about, follows));
    let mut all = vec![seen];
    all.extend(join_all(others).await.into_iter().filter_map(Result::ok));
    // In the order of the configuration.
    all.sort_by_key(|seen| {
        let mut names = targets.iter();
        names.position(|target| target.name == seen.tables.target)
    });

    let (of_thread, is_addressed) = of_thread.unzip();
    let is_addressed = is_addressed.unwrap_or_default();
    if let Some(named) = named(leading, &question, &targets, &all) {
        return look_at_named(draft, state, named, &all).await;
    }
    if is_unknown(draft, &question, &targets, &all) {
        return take(draft, all, &current, &question).await;
    }
    if let Some(sql) = pasted(&question, &all) {
        return match of_request {
            Some(wanted) => take(draft, all, &wanted, &question).await,
            None => pasted::choose(draft, all, &sql, of_thread).await,
        };
    }
    if let Some(side_by_side) = named_several(&question, &targets, &all) {
        return one_of(draft, all, side_by_side).await;
    }
    if let Some(named) = named(addressed, &question, &targets, &all) {
        return look_at_named(draft, state, named, &all).await;
    }
    if let Some(wanted) = of_request {
        return take(draft, all, &wanted, &question).await;
    }
    let is_settled = is_addressed
        && all
            .iter()
            .any(|seen| Some(&*seen.tables.target) == of_thread && fit(&question, seen).1 > 0);
    // What was made of the tables of one says nothing of what another has, and the database that
    // the person named answers what it can.
    let confirmed = |past: &PastQuestion| !is_settled && past.same && !past.id.starts_with(MADE);
    if let Some(only) = only(&all, |seen| seen.past.iter().any(confirmed)) {
        return take(draft, all, &only, &question).await;
    }
    by_words(draft, all, &question, of_thread, is_addressed, follows).await
}

/// Whether the message names a database that does not exist, which ends the turn.
fn is_unknown(draft: &mut Draft, question: &str, targets: &[TargetSummary], all: &[Seen]) -> bool {
    let names: Vec<&str> = targets.iter().map(|target| &*target.name).collect();
    let tables = all.iter().flat_map(|seen| &seen.tables.tables);
    let tables: Vec<&str> = tables.map(|table| &*table.name).collect();
    let about = targets
        .iter()
        .filter_map(|target| target.description.as_deref());
    let about: Vec<&str> = about.collect();
    let Some(name) = unknown(question, &names, &tables, &about) else {
        return false;
    };
    let known = names.into_iter().map(str::to_owned).collect();
    draft.work.ending = Some(Ending::UnknownDatabase(name, known));
    true
}

/// The targets that the message names side by side, as it may name none alone.
fn named_several(question: &str, targets: &[TargetSummary], all: &[Seen]) -> Option<Several> {
    let names: Vec<&str> = targets.iter().map(|target| &*target.name).collect();
    let tables = all.iter().flat_map(|seen| &seen.tables.tables);
    let tables: Vec<&str> = tables.map(|table| &*table.name).collect();
    several(question, &names, &tables)
}

/// The targets of several to choose among: a query reads one.
async fn one_of(
    draft: &mut Draft,
    all: Vec<Seen>,
    named: Several,
) -> Result<Vec<TargetOption>, CallFailed> {
    let choices: Vec<TargetOption> = all
        .iter()
        .filter(|seen| named.targets.contains(&seen.tables.target))
        .map(option)
        .collect();
    if !named.rest.is_empty() {
        draft.work.asked.question = named.rest;
    }
    let question = draft.work.asked.question.clone();
    let first = match choices.first() {
        Some(first) => first.name.clone(),
        None => named.targets[0].clone(),
    };
    draft.work.place.named_several = choices.len() > 1;
    take(draft, all, &first, &question).await?;
    Ok(if choices.len() > 1 {
        choices
    } else {
        Vec::new()
    })
}

/// Looks at the target that the message names. The name has said what it had to say: it is no
/// condition. Where nothing else was said, the question before it is asked there.
async fn look_at_named(
    draft: &mut Draft,
    state: &DataState,
    named: Addressed,
    all: &[Seen],
) -> Result<Vec<TargetOption>, CallFailed> {
    let Addressed { target, rest } = named;
    draft.work.place.addressed = true;
    draft.work.place.unasked.clear();
    if rest.is_empty() {
        if let Some(last) = state.question_of_thread() {
            last.clone_into(&mut draft.work.asked.question);
        }
    } else {
        draft.work.asked.question = rest;
    }
    let question = draft.work.asked.question.clone();
    let seen = look(draft, Some(target.clone()), &question, false).await?;
    if fit(&question, &seen).1 == 0 {
        draft.work.place.held_by = elsewhere(&question, &target, all);
    }
    keep(draft, seen);
    Ok(Vec::new())
}

/// A table that the question names, and the other targets that have such a table.
fn elsewhere(question: &str, target: &str, all: &[Seen]) -> Option<(String, Vec<String>)> {
    let others = all.iter().filter(|seen| seen.tables.target != target);
    let named = others.map(|other| (mentioned(question, other), &other.tables.target));
    let named: Vec<(Vec<&str>, &String)> = named
        .map(|(tables, target)| (tables.collect(), target))
        .collect();
    let table = *named.iter().find_map(|(tables, _)| tables.first())?;
    let has = |tables: &[&str]| {
        let mut tables = tables.iter();
        tables.any(|other| stems(bare(other)) == stems(bare(table)))
    };
    let having = named.iter().filter(|(tables, _)| has(tables));
    let having = having.map(|(_, target)| (*target).clone()).collect();
    Some((table.to_owned(), having))
}

/// Whether the question is one to the tables of a target, by the rules.
fn asks_data(question: &str, seen: &Seen) -> bool {
    let tables = seen.tables.tables.iter();
    let tables: Vec<_> = tables
        .map(|table| (&*table.name, table.score.unwrap_or_default()))
        .collect();
    let known = Known {
        tables: &tables,
        ..Known::default()
    };
    route::guess(question, known).route == Route::Sql
}

/// The target that the words are about, or those that may be meant. A target that the person named
/// stays the thread's until another is named; another one stays until the words speak of a table
/// that it does not have.
async fn by_words(
    draft: &mut Draft,
    all: Vec<Seen>,
    question: &str,
    of_thread: Option<&str>,
    is_addressed: bool,
    follows: bool,
) -> Result<Vec<TargetOption>, CallFailed> {
    let scored: Vec<(f64, usize)> = all.iter().map(|seen| fit(question, seen)).collect();
    if scored.iter().any(|(_, mentioned)| *mentioned > 0) {
        draft.work.place.unasked.clear();
    }
    let at_thread = all
        .iter()
        .position(|seen| Some(&*seen.tables.target) == of_thread);
    let mut ranked: Vec<usize> = (0..all.len()).collect();
    ranked.sort_by(|a, b| scored[*b].0.total_cmp(&scored[*a].0));
    let best = ranked[0];
    let fits = scored[best].0 >= FITS_FROM;
    let clearest = || match by_tables(question, &all) {
        ByTables::One(at) => Some(at),
        ByTables::Several => None,
        ByTables::Unnamed if by_columns::only(question, &all).is_some() => {
            by_columns::only(question, &all)
        }
        ByTables::Unnamed => {
            let second = ranked.get(1).map(|second| scored[*second].0);
            let is_clear = fits && second.is_none_or(|second| scored[best].0 >= second + CLEARLY);
            is_clear.then_some(best)
        }
    };
    let settled = match (at_thread, ranked.get(1)) {
        (_, None) => Some(best),
        (Some(thread), _) if follows => Some(thread),
        (Some(thread), _) if is_addressed => Some(thread),
        (Some(thread), _)
            if fits
                && scored[best].0 >= scored[thread].0 + CLEARLY
                && (scored[thread].1 == 0 || scored[best].1 > scored[thread].1) =>
        {
            clearest()
        }
        (Some(thread), _) => Some(thread),
        (None, Some(_)) => clearest(),
    };
    let is_named = scored.iter().any(|(_, mentioned)| *mentioned > 0);
    let may_answer = |at: &&usize| {
        let (score, mentioned) = scored[**at];
        mentioned > 0 || !is_named && score >= FITS_FROM
    };
    let able: Vec<usize> = ranked.iter().filter(may_answer).copied().collect();
    // Where the words fit one alone, the others are not offered beside it.
    let settled = settled.or(match able.as_slice() {
        [only] if !is_named => Some(*only),
        _ => None,
    });
    let name = all[settled.unwrap_or(best)].tables.target.clone();
    if let (Some(thread), true) = (at_thread, is_addressed) {
        draft.work.place.addressed = true;
        let has_none = scored[thread].1 == 0 && !follows;
        if has_none && scored[best].1 > 0 && asks_data(question, &all[best]) {
            draft.work.place.held_by = elsewhere(question, &name, &all);
        }
    }
    let choices = if settled.is_some() {
        Vec::new()
    } else {
        // There is nothing to choose with one.
        let offered = if able.len() < 2 { &ranked } else { &able };
        offered.iter().map(|at| option(&all[*at])).collect()
    };
    take(draft, all, &name, question).await?;
    Ok(choices)
}

/// The targets whose tables a question names.
enum ByTables {
    /// The only one whose tables say all that tables of any say of the question.
    One(usize),
    /// Several say the same, or each a part.
    Several,
    /// The question names no table.
    Unnamed,
}

fn by_tables(question: &str, all: &[Seen]) -> ByTables {
    let said = stems(question);
    let explained = |seen: &Seen| {
        let words = mentioned(question, seen).flat_map(stems);
        words
            .filter(|word| said.contains(word))
            .collect::<HashSet<String>>()
    };
    let explained: Vec<HashSet<String>> = all.iter().map(explained).collect();
    if explained.iter().all(HashSet::is_empty) {
        return ByTables::Unnamed;
    }
    let is_ahead = |at: &usize| {
        let mut others = explained
            .iter()
            .enumerate()
            .filter(|(other, _)| other != at);
        others.all(|(_, words)| words.is_subset(&explained[*at]) && *words != explained[*at])
    };
    (0..all.len())
        .find(is_ahead)
        .map_or(ByTables::Several, ByTables::One)
}

/// The query that is the whole message.
fn pasted(question: &str, all: &[Seen]) -> Option<String> {
    let has = |name: &str| {
        let mut tables = all.iter().flat_map(|seen| &seen.tables.tables);
        tables.any(|table| table.name.eq_ignore_ascii_case(name))
    };
    match statement::pasted(question, has)? {
        Pasted::Query(sql) => Some(sql),
        Pasted::Several | Pasted::Change(_) | Pasted::Other(_) => None,
    }
}

/// Looks at a target that was chosen.
pub(crate) async fn look_at(draft: &mut Draft, target: String) -> Result<(), CallFailed> {
    let question = draft.work.asked.question.clone();
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

/// Keeps the parts of a catalogue that the rest of the turn needs.
pub(crate) fn keep_tables(draft: &mut Draft, tables: TableList) {
    let work = &mut draft.work;
    work.place.several_targets = tables.targets.len() > 1;
    let mut targets = tables.targets.into_iter();
    work.place.target_about = targets
        .find(|target| target.name == tables.target)
        .and_then(|target| target.description);
    work.place.target = Some(tables.target);
    work.place.dialect = Some(tables.dialect);
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
        question: within(draft.work.asked.question.clone()),
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

/// The relevance of a target, and the number of its tables that the question names.
fn fit(question: &str, seen: &Seen) -> (f64, usize) {
    let said = stems(question);
    let tables = &seen.tables.tables;
    let mentioned = mentioned(question, seen).count();
    let best = tables.iter().filter_map(|table| table.score);
    let best = best.fold(0.0, f64::max);
    let described = seen.about().map_or(0, |about| shared(&said, about));
    let described = if described > 0 { DESCRIBED } else { 0.0 };
    #[expect(clippy::cast_precision_loss, reason = "at most three")]
    let counted = mentioned.min(MENTIONS) as f64;
    (counted * MENTIONED + best + described, mentioned)
}

/// The tables of a target that the question names.
fn mentioned<'s>(question: &str, seen: &'s Seen) -> impl Iterator<Item = &'s str> {
    let said = stems(question);
    let tables = seen.tables.tables.iter().map(|table| &*table.name);
    tables.filter(move |table| mentions(&said, table))
}

/// Number of words of a description that are in the question.
fn shared(said: &[String], about: &str) -> usize {
    let told = words(about);
    let told = told
        .iter()
        .map(|word| singular(word))
        .filter(|word| word.len() > 2 && !EMPTY.contains(&&**word));
    told.filter(|word| said.contains(word)).count()
}

/// The only target that the question names, as `read` finds it.
fn named(
    read: impl Fn(&str, &[&str], &[&str]) -> Option<Addressed>,
    question: &str,
    targets: &[TargetSummary],
    all: &[Seen],
) -> Option<Addressed> {
    let names: Vec<&str> = targets.iter().map(|target| &*target.name).collect();
    let tables = all.iter().flat_map(|seen| &seen.tables.tables);
    let tables: Vec<&str> = tables.map(|table| &*table.name).collect();
    read(question, &names, &tables)
}

/// A target to choose.
fn option(seen: &Seen) -> TargetOption {
    TargetOption {
        name: seen.tables.target.clone(),
        about: seen.about().map(str::to_owned),
    }
}

impl Seen {
    /// The operator's description of the target.
    fn about(&self) -> Option<&str> {
        let mut targets = self.tables.targets.iter();
        let own = targets.find(|target| target.name == self.tables.target)?;
        own.description.as_deref()
    }
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
    fn what_a_database_holds_is_told_by_its_description() {
        let said = stems("Which suppliers deliver stock?");
        assert_eq!(shared(&said, "Stock and suppliers"), 2);
        assert_eq!(shared(&said, "Jobs and crews"), 0);
    }
}
