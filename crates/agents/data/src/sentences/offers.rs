//! Questions that can be asked instead.

use contracts::tools::sql::PastQuestion;

use super::QUOTED;
use crate::{
    answer::values::cut,
    language::names::{how_many, spoken_among},
    run::Findings,
    settings::DataSettings,
    state::Work,
};

/// Questions that are suggested at once.
const EXAMPLES: usize = 3;

/// The words before a question that a "yes" asks.
pub(crate) const OFFERS: &str = "I can answer: ";

/// The confirmed question that is near enough to be offered.
pub(crate) fn offered<'w>(
    found: &'w Findings,
    settings: &DataSettings,
) -> Option<&'w PastQuestion> {
    let mut past = found.past.iter();
    past.find(|past| past.score >= settings.similar_from)
}

/// The confirmed question that is near enough, which a "yes" asks; otherwise what could be asked.
pub(super) fn offer(work: &Work, found: &Findings, settings: &DataSettings) -> String {
    match offered(found, settings) {
        Some(past) => format!(
            " {OFFERS}\u{201c}{}\u{201d}. Say yes and I will, or ask it in these words.",
            cut(&addressed(work, &past.question), QUOTED)
        ),
        None => could_ask(work, found),
    }
}

pub(super) fn could_ask(work: &Work, found: &Findings) -> String {
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
pub(super) fn spoken(table: &str, found: &Findings) -> String {
    spoken_among(table, found.candidates.iter().map(|one| &*one.name))
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
