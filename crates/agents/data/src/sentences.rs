//! Sentences of the rules.

use std::fmt::Write;

use contracts::tools::sql::ForgottenQuestion;
use contracts::tools::sql::{
    ConfirmedQuestion, PastQuestion, SqlRun, TableDescription, TableList, TargetSummary,
};

use crate::{
    answer::values::cut,
    language::{
        contradicted::Contradiction,
        names::{bare, how_many, mentions, spoken_among, spoken_plural, stems, words},
        statement::{Change, OtherStatement},
    },
    nodes::choose_target::TargetOption,
    run::Findings,
    settings::DataSettings,
    state::{Ending, Work},
};

/// Characters of a question that are quoted.
const QUOTED: usize = 120;

/// Questions that are suggested at once.
const EXAMPLES: usize = 3;

/// The remark below an answer with a list that the database cut.
pub(crate) const CUT_LIST: &str =
    "A list in this answer is not complete: it was longer than a list may be, and was cut.";

/// A query returned nothing, not even an empty result.
pub(crate) const NOTHING_CAME: &str = "There was no answer to that. Please ask again.";

/// The picker that was answered is not open.
pub(crate) const NOTHING_OPEN: &str =
    "That question is not open any more. What would you like to know?";

/// The name of the person's own query.
pub(crate) const OWN_QUERY: &str = "Your query";

/// The query was not accepted, and the tools do not say why.
pub(crate) const DOES_NOT_FIT: &str = "The query does not fit what the database holds.";

/// A model's query states its values itself.
pub(crate) const NOT_FROM_TABLES: &str =
    "The language model's query states values itself instead of reading them from the tables.";

/// A model's query counts the rows of other tables than the question's.
pub(crate) fn counts_another(table: &str) -> String {
    format!(
        "The language model's query does not read the {} that the question counts.",
        spoken_plural(table)
    )
}

/// The model wrote none.
pub(crate) const NO_QUERY_CAME: &str = "The language model wrote no query.";

/// It would read too much, and the tools do not say how much.
pub(crate) const TOO_MUCH: &str = "The database would have to read too much for this.";

/// Nothing to remember.
pub(crate) const NOTHING_TO_REMEMBER: &str = "There is no answer from the data right before this that I could remember. Ask the question first, and tell me when its answer is right.";

/// The person's own query answers no question yet.
pub(crate) const WHICH_QUESTION: &str = "I can remember your query together with the question that it answers. Which one is it? Say, for example: remember it as \u{201c}How many customers have no email?\u{201d}";

/// Nothing to forget.
pub(crate) const NOTHING_TO_FORGET: &str = "There is no answer from the data right before this, so nothing is forgotten. Say \u{201c}forget that\u{201d} below the answer whose query you want withdrawn.";

/// The answer's query was written for the question alone.
pub(crate) fn nothing_remembered_for(question: &str) -> String {
    format!(
        "The query for \u{201c}{}\u{201d} was written for that question and is not remembered, so there is nothing to forget. Tell me what is \
         wrong with the answer, and I will try again.",
        cut(question, QUOTED)
    )
}

/// The confirmation that a question is remembered, for whom, and until when.
pub(crate) fn remembered(question: &str, kept: &ConfirmedQuestion) -> String {
    let how = if kept.created {
        "I will remember"
    } else {
        "I have replaced what I remembered for"
    };
    let mut text =
        format!("{how} \u{201c}{question}\u{201d} for you. Asked again, it gets the same query");
    match kept.periods.as_slice() {
        [] => text.push('.'),
        periods => {
            let quoted: Vec<_> = periods
                .iter()
                .map(|words| format!("\u{201c}{words}\u{201d}"))
                .collect();
            let _ = write!(
                text,
                ", with {} counted from the day on which you ask.",
                quoted.join(" and ")
            );
        }
    }
    match &kept.standing {
        None => text.push_str(
            " It answers your colleagues once someone with the scope questions:approve has released it.",
        ),
        Some(standing) => {
            let whose = match (standing.own, &standing.confirmed_by) {
                (true, _) => "the query that you confirmed before".to_owned(),
                (false, Some(name)) => format!("the query that {name} confirmed"),
                (false, None) => "the query that a colleague confirmed".to_owned(),
            };
            let _ = write!(text, " Your colleagues keep {whose}, which is released for everyone.");
        }
    }
    text
}

/// The confirmation that a question was forgotten, and for whom.
pub(crate) fn forgotten(forgotten: &ForgottenQuestion) -> String {
    let question = cut(&forgotten.question, QUOTED);
    let whom = match (forgotten.was_released, forgotten.was_own) {
        (true, true) => {
            "The query that you confirmed for it was released for everyone and answers no one any more."
        }
        (true, false) => {
            "The query that a colleague confirmed for it was released for everyone and answers no one any more."
        }
        (false, true) => "The query that you confirmed for it is withdrawn.",
        (false, false) => "The query that a colleague confirmed for it is withdrawn.",
    };
    format!(
        "I have forgotten \u{201c}{question}\u{201d}. {whom} Asked again, the question is worked out anew."
    )
}

/// Why there are no rows, and what to do about it.
pub(crate) fn ending(
    ending: &Ending,
    work: &Work,
    found: &Findings,
    settings: &DataSettings,
) -> String {
    match ending {
        Ending::Disabled => {
            "Questions about the data are turned off here: ENABLE_SQL_AGENT is false. I can still answer from documents, and general questions."
                .to_owned()
        }
        Ending::NoTarget(message) => format!(
            "There is no database that I could ask for you. {message} An operator connects one in the tools service, under [[targets]] or with \
             DB_HOST, DB_USER and DB_NAME."
        ),
        Ending::Unavailable(message) => away(message),
        Ending::NeedsModel => needs_model(work, found, settings),
        Ending::NoQuery => format!(
            "The language model wrote no query for \u{201c}{}\u{201d}. Please put the question in other words.{}",
            cut(&work.asked.question, QUOTED),
            offer(work, found, settings)
        ),
        Ending::NotAccepted(why) => {
            let lacks_table = why.starts_with("No database has ");
            let unasked = if lacks_table { unasked(work) } else { String::new() };
            format!("I did not run your query. {why}{unasked}")
        }
        Ending::Several => {
            "I did not run that: it is more than one statement, and I run one query at a time. Please send the one whose result you want."
                .to_owned()
        }
        Ending::NotRun(statement) => not_run(statement),
        Ending::WouldChange(change) => would_change(*change, work, found),
        Ending::NoTables(target) => format!(
            "There is no table in the database \u{201c}{target}\u{201d} that you may see: it is empty, or its policy hides all of its tables. \
             Its operator finds the reason in the log of the tools service."
        ),
        Ending::NothingFits => elsewhere(work).unwrap_or_else(|| {
            format!(
                "I found no table that holds what you ask for.{}{}",
                unasked(work),
                offer(work, found, settings)
            )
        }),
        Ending::GaveUp => gave_up(work, found),
        Ending::TooMuch(told) => too_much(told, work),
        Ending::TooManySteps => format!(
            "I stopped after {} steps without a query that answers this (the limit is SQL_AGENT_MAX_ITERATIONS).{}",
            work.repair.iterations,
            last_error(work)
        ),
        Ending::Declined => "Nothing was run.".to_owned(),
    }
}

/// The database or the service is unavailable; if only an operator can help, waiting is not
/// advised.
pub(crate) fn away(message: &str) -> String {
    if message.contains(" operator ") {
        return format!(
            "I can't answer that: {message} That is not about your question; until it is put right, asking again does not help."
        );
    }
    format!(
        "I can't answer that right now: {message} That is not about your question; please ask again in a while."
    )
}

/// The message with advice on asking for less: by the query's subject.
fn too_much(told: &str, work: &Work) -> String {
    let tables = if work.query.reads.is_empty() {
        &work.plan.tables
    } else {
        &work.query.reads
    };
    let less = match tables.as_slice() {
        [] => "only a part of it".to_owned(),
        [table] => format!("only some of the {}", spoken_plural(table)),
        [table, .., last] => format!(
            "only some of the {}, or {} and {} one at a time",
            spoken_plural(table),
            spoken_plural(table),
            spoken_plural(last)
        ),
    };
    format!("{told} Please ask for less at once: a shorter period, or {less}.")
}

/// A statement other than a query, and what to send instead.
fn not_run(statement: &OtherStatement) -> String {
    let why = match statement {
        OtherStatement::Explain => {
            "EXPLAIN shows how the database would run a query. Send the query itself, without EXPLAIN, for its rows."
        }
        OtherStatement::Copy => {
            "that would write rows to a file or to a program. Send a SELECT: its rows are shown here."
        }
        OtherStatement::Show => {
            "SHOW asks the server about itself. I can say which tables there are, and which columns a table has."
        }
        OtherStatement::Call => {
            "a procedure may do anything, so I run none. Send the SELECT that reads what you need."
        }
        OtherStatement::Session => {
            "it steers a session or a transaction. I run one query at a time, SELECT or WITH, each by itself."
        }
    };
    format!("I did not run that: {why}")
}

/// The data are only read.
fn would_change(change: Change, work: &Work, found: &Findings) -> String {
    let never = match change {
        Change::Delete => "I do not delete anything: that would delete data, and I only read them.",
        Change::Update => "I do not change anything: that would change data, and I only read them.",
        Change::Insert => "I do not add anything: that would add data, and I only read them.",
        Change::Structure => {
            "I do not create, change or drop tables: that would change the database, and I only read it."
        }
        Change::Settings => {
            "I do not change rights or settings: that would change the database, and I only read it."
        }
    };
    let words = stems(&work.asked.question);
    let named = found
        .candidates
        .iter()
        .find(|table| mentions(&words, &table.name));
    let instead = match named {
        Some(table) => {
            let what = spoken(&table.name, found);
            let count = addressed(work, &how_many(&what));
            let list = addressed(work, &format!("List all {what}."));
            format!(" You could ask: \u{201c}{count}\u{201d} \u{201c}{list}\u{201d}")
        }
        None => could_ask(work, found),
    };
    format!("{never} Nothing was run.{instead}")
}

/// Which target is intended.
pub(crate) fn which_target(targets: &[TargetOption], named_several: bool) -> String {
    let named = targets.iter().map(|target| match &target.about {
        Some(about) => format!("- {}: {about}", target.name),
        None => format!("- {}", target.name),
    });
    let begin = if named_several {
        "A question is put to one database at a time. Which one first?"
    } else {
        "There are several databases that this could be about:"
    };
    format!("{begin}\n{}", named.collect::<Vec<_>>().join("\n"))
}

/// The question names a table that only another target has.
fn elsewhere(work: &Work) -> Option<String> {
    let ((table, others), target) = (work.place.held_by.as_ref()?, work.place.target.as_ref()?);
    let what = spoken_plural(bare(table));
    let quoted = others
        .iter()
        .map(|other| format!("\u{201c}{other}\u{201d}"));
    let quoted: Vec<String> = quoted.collect();
    let have = match quoted.as_slice() {
        [other] => format!("{other} has one"),
        [first @ .., last] => format!("{} and {last} have one", first.join(", ")),
        [] => return None,
    };
    let asked = others
        .iter()
        .map(|other| format!("\u{201c}{other}: how many {what} are there?\u{201d}"));
    Some(format!(
        "The database \u{201c}{target}\u{201d} has no table \u{201c}{}\u{201d} that you may see; {have}. You could ask: {}",
        bare(table),
        asked.collect::<Vec<_>>().join(" ")
    ))
}

/// The databases that were left out, as they cannot be asked.
fn unasked(work: &Work) -> String {
    let named: Vec<String> = work
        .place
        .unasked
        .iter()
        .map(|name| format!("\u{201c}{name}\u{201d}"))
        .collect();
    match named.as_slice() {
        [] => String::new(),
        [name] => format!(
            " The database {name} cannot be asked at the moment, so it is not known whether it has this."
        ),
        names => format!(
            " The databases {} cannot be asked at the moment, so it is not known whether they have this.",
            names.join(", ")
        ),
    }
}

/// The databases that there are.
pub(crate) fn databases(targets: &[TargetSummary]) -> String {
    const AWAY: &str = "it cannot be asked at the moment";
    let one = |target: &TargetSummary| {
        let problem = target.problem.as_ref().map(|_| AWAY);
        let told: Vec<&str> = target
            .description
            .as_deref()
            .into_iter()
            .chain(problem)
            .collect();
        match told.as_slice() {
            [] => format!("\u{201c}{}\u{201d}", target.name),
            told => format!("\u{201c}{}\u{201d} ({})", target.name, told.join("; ")),
        }
    };
    match targets {
        [] => "There is no database that I could ask for you.".to_owned(),
        [target] => format!("I can ask one database: {}.", one(target)),
        targets => format!(
            "I can ask {} databases: {}.",
            targets.len(),
            targets.iter().map(one).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Maximum number of names in a sentence; the rest is beside it.
const NAMED: usize = 12;

fn first_of(names: &[&str]) -> String {
    let (first, rest) = names.split_at(names.len().min(NAMED));
    match rest.len() {
        0 => first.join(", "),
        more => format!("{}, and {more} more", first.join(", ")),
    }
}

/// The tables, each with its target, that have a column.
pub(crate) fn having(column: &str, found: &[(String, String)], several: bool) -> String {
    let said: Vec<String> = found
        .iter()
        .map(|(table, target)| {
            if several {
                format!("{table} (\u{201c}{target}\u{201d})")
            } else {
                table.clone()
            }
        })
        .collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    match said.as_slice() {
        [] => format!("No table that you may see has a column \u{201c}{column}\u{201d}."),
        [one] => format!("One table has a column \u{201c}{column}\u{201d}: {one}."),
        all => format!(
            "{} tables have a column \u{201c}{column}\u{201d}: {}.",
            all.len(),
            first_of(all)
        ),
    }
}

/// The tables of a target.
pub(crate) fn tables(list: &TableList, several: bool) -> String {
    let of = if several {
        format!(" of the database \u{201c}{}\u{201d}", list.target)
    } else {
        String::new()
    };
    let names: Vec<&str> = list.tables.iter().map(|table| &*table.name).collect();
    match names.as_slice() {
        [] => format!("There is no table{of} that you may see."),
        [name] => format!("You may ask about one table{of}: {name}."),
        names => format!(
            "You may ask about {} tables{of}: {}.",
            list.total,
            first_of(names)
        ),
    }
}

/// There is no such schema and no such database.
pub(crate) fn no_such_place(place: &str) -> String {
    format!(
        "There is no database and no schema \u{201c}{}\u{201d} that you may see.",
        cut(place, QUOTED)
    )
}

/// The columns of a table.
pub(crate) fn columns(table: &TableDescription, target: Option<&str>) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    let of = target.map_or_else(String::new, |target| {
        format!(" of the database \u{201c}{target}\u{201d}")
    });
    let about = table
        .description
        .as_deref()
        .filter(|about| !about.trim().is_empty());
    let about = about.map_or_else(String::new, |about| {
        format!(" ({})", about.trim().trim_end_matches('.'))
    });
    let count = match names.len() {
        1 => "one column".to_owned(),
        count => format!("{count} columns"),
    };
    format!(
        "The table {}{of}{about} has {count}: {}.",
        table.name,
        first_of(&names)
    )
}

/// There is no such table.
pub(crate) fn no_such_table(name: &str, near: &[String]) -> String {
    let near = match near {
        [] => " \u{201c}Which tables do you have?\u{201d} lists them.".to_owned(),
        near => format!(" Near to it: {}.", near.join(", ")),
    };
    format!(
        "There is no table \u{201c}{}\u{201d} that you may see.{near}",
        cut(name, QUOTED)
    )
}

fn gave_up(work: &Work, found: &Findings) -> String {
    let tries = match work.repair.corrections {
        0 => String::new(),
        1 => ", also after one correction".to_owned(),
        more => format!(", also after {more} corrections"),
    };
    format!(
        "I could not find a query for this that is accepted{tries}.{} Please put the question in other words.{}",
        last_error(work),
        could_ask(work, found)
    )
}

fn last_error(work: &Work) -> String {
    work.repair
        .attempts
        .last()
        .map(|attempt| format!(" What was wrong at last: {}", cut(&attempt.told, 400)))
        .unwrap_or_default()
}

/// The confirmed question that is near enough to be offered.
pub(crate) fn offered<'w>(
    found: &'w Findings,
    settings: &DataSettings,
) -> Option<&'w PastQuestion> {
    let mut past = found.past.iter();
    past.find(|past| past.score >= settings.similar_from)
}

fn needs_model(work: &Work, found: &Findings, settings: &DataSettings) -> String {
    if let Some(elsewhere) = elsewhere(work) {
        return elsewhere;
    }
    if offered(found, settings).is_some() {
        let offer = offer(work, found, settings);
        return format!("I can't work this question out by fixed rules alone.{offer}");
    }
    format!(
        "I can't work this question out by fixed rules alone; that takes a language model.{}{}",
        unasked(work),
        could_ask(work, found)
    )
}

/// The confirmed question that is near enough, which a "yes" asks; otherwise what could be asked.
fn offer(work: &Work, found: &Findings, settings: &DataSettings) -> String {
    match offered(found, settings) {
        Some(past) => format!(
            " {OFFERS}\u{201c}{}\u{201d}. Say yes and I will, or ask it in these words.",
            cut(&addressed(work, &past.question), QUOTED)
        ),
        None => could_ask(work, found),
    }
}

/// The words before a question that a "yes" asks.
pub(crate) const OFFERS: &str = "I can answer: ";

fn could_ask(work: &Work, found: &Findings) -> String {
    let examples = examples(work, found);
    if examples.is_empty() {
        return String::new();
    }
    let quoted: Vec<_> = examples
        .iter()
        .map(|example| format!("\u{201c}{example}\u{201d}"))
        .collect();
    format!(" You could ask: {}", quoted.join(" "))
}

/// Up to three questions that can be answered here: confirmed ones first, then simple ones of the
/// catalogue.
/// Each names its database where there are several.
fn examples(work: &Work, found: &Findings) -> Vec<String> {
    let past = found.past.iter().map(|past| past.question.clone());
    let simple = found.candidates.iter().enumerate().map(|(at, table)| {
        let what = spoken(&table.name, found);
        if at % 2 == 0 {
            how_many(&what)
        } else {
            format!("List all {what}.")
        }
    });
    let mut examples: Vec<String> = Vec::new();
    for example in past.take(2).chain(simple) {
        let is_new = |one: &String| !one.eq_ignore_ascii_case(&example);
        if examples.len() < EXAMPLES && examples.iter().all(is_new) {
            examples.push(example);
        }
    }
    let examples = examples.into_iter();
    examples
        .map(|example| cut(&addressed(work, &example), QUOTED))
        .collect()
}

/// A question as it is asked of the database at work: with its name where there are several.
pub(crate) fn addressed(work: &Work, question: &str) -> String {
    match &work.place.target {
        Some(target) if work.place.several_targets => format!("in {target}: {question}"),
        _ => question.to_owned(),
    }
}

/// A table as people say it, among those of its database.
fn spoken(table: &str, found: &Findings) -> String {
    spoken_among(table, found.candidates.iter().map(|one| &*one.name))
}

/// The query has no condition for these words of the question.
pub(crate) fn untested(words: &[String]) -> String {
    let quoted = words.iter().map(|word| format!("\u{201c}{word}\u{201d}"));
    let mut quoted: Vec<String> = quoted.collect();
    let last = quoted.pop().unwrap_or_default();
    let all = if quoted.is_empty() {
        last
    } else {
        format!("{} or {last}", quoted.join(", "))
    };
    format!("The query has no condition for {all}: the result is not limited to that.")
}

/// The contradictions between the query and the question.
pub(crate) fn contradicted(found: &[Contradiction]) -> String {
    let said = found.iter().filter_map(Contradiction::said);
    let quoted: Vec<String> = said.map(|said| format!("\u{201c}{said}\u{201d}")).collect();
    let mut told = Vec::new();
    if let Some((last, others)) = quoted.split_last() {
        let all = if others.is_empty() {
            last.clone()
        } else {
            format!("{} and {last}", others.join(", "))
        };
        told.push(format!(
            "The query contradicts {all}: the result is not what you asked for."
        ));
    }
    for one in found {
        match one {
            Contradiction::Words { .. } => {}
            Contradiction::PartOfKey { from, to, .. } => told.push(format!(
                "The query joins {} and {} by a part of their key only: rows may be counted several times.",
                spoken_plural(from),
                spoken_plural(to)
            )),
            Contradiction::Doubled { of, by } => told.push(format!(
                "The query counts or adds {} once for each of their {}: the result is too large.",
                spoken_plural(of),
                spoken_plural(by)
            )),
            Contradiction::Currencies { amount, .. } => told.push(format!(
                "The query does not separate currencies: it may add values of {} in different ones.",
                words(amount).join(" ")
            )),
        }
    }
    told.join(" ")
}

/// The query ran and found nothing.
pub(crate) fn empty(work: &Work, run: &SqlRun) -> String {
    let tables = if run.tables.is_empty() {
        &work.plan.tables
    } else {
        &run.tables
    };
    let tables: Vec<_> = tables.iter().map(|table| spoken_plural(table)).collect();
    let place = if tables.is_empty() {
        String::new()
    } else {
        format!(" I looked at {}.", tables.join(", "))
    };
    let twice = if work.repair.empty_once {
        " A second look brought nothing either."
    } else {
        ""
    };
    format!(
        "Nothing was found for \u{201c}{}\u{201d}.{place}{twice} If you expected something, check how names are spelled and whether the period is right.",
        cut(&work.asked.question, QUOTED)
    )
}

/// The assistant's abilities here.
pub(crate) fn abilities(work: &Work, found: &Findings, settings: &DataSettings) -> String {
    let mut can = Vec::new();
    if settings.sql_enabled {
        can.push("answer questions about your data, with figures and lists");
    }
    if settings.rag_enabled {
        can.push("look up how things are done in your documents");
    }
    let can = if can.is_empty() {
        "Both questions about data and about documents are turned off here.".to_owned()
    } else {
        format!("I can {}.", can.join(", and "))
    };
    format!("{can}{}", could_ask(work, found))
}

#[cfg(test)]
mod tests;
