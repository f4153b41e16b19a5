//! Why there are no rows, and what to do about it.

use agent_kit::is_other_language;

use super::{
    QUOTED,
    offers::{addressed, could_ask, offer, offered, spoken},
};
use crate::{
    answer::values::cut,
    language::{
        names::{bare, how_many, mentions, spoken_plural, stems},
        statement::{Change, OtherStatement},
    },
    run::Findings,
    settings::DataSettings,
    simple::Known,
    state::{Ending, Work},
};

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
        Ending::UnknownDatabase(name, known) => unknown_database(name, known),
        Ending::Unavailable(message) => away(message),
        Ending::NeedsModel => needs_model(work, found, settings),
        Ending::NotAnswered(question) => format!(
            "The question before, \u{201c}{}\u{201d}, has no answer, so that I have no rows of it. Please ask for the rows in one question.{}",
            cut(question, QUOTED),
            could_ask(work, found)
        ),
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

/// No database has the name that the person gave.
fn unknown_database(name: &str, known: &[String]) -> String {
    let known: Vec<String> = known
        .iter()
        .map(|one| format!("\u{201c}{one}\u{201d}"))
        .collect();
    let exist = match known.as_slice() {
        [] => "There is none that you may ask.".to_owned(),
        [only] => format!("The only one that you may ask is {only}."),
        [first @ .., last] => format!(
            "Those that you may ask are {} and {last}.",
            first.join(", ")
        ),
    };
    format!("There is no database \u{201c}{name}\u{201d}. {exist} Nothing was asked.")
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

/// The rules read English, and no model reads another language here.
pub(crate) fn only_english(work: &Work, found: &Findings) -> String {
    format!(
        "I only understand English so far.{}",
        could_ask(work, found)
    )
}

fn needs_model(work: &Work, found: &Findings, settings: &DataSettings) -> String {
    if is_other_language(&work.asked.question) {
        return only_english(work, found);
    }
    if let Some(elsewhere) = elsewhere(work) {
        return elsewhere;
    }
    let known = Known::of(&found.schemas, &work.plan.steps);
    let ways = found.shape.as_ref().map(|shape| shape.ways(&known));
    if let Some(ways) = ways.filter(|ways| !ways.is_empty()) {
        let asked = ways
            .iter()
            .map(|way| format!("\u{201c}{}\u{201d}", addressed(work, way)));
        let asked: Vec<String> = asked.collect();
        return format!(
            "There are several ways to read this question. You could ask: {}",
            asked.join(" ")
        );
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
