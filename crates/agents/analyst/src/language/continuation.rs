//! Whether a message continues from the query before: "how many of them were late?", "and in
//! Rotterdam?", "by carrier".
//!
//! Such a message names no records of its own. It is a change of the query that was executed, so
//! that nothing of that is lost.

use chrono::{Datelike, Days, Months, NaiveDate};
use contracts::tools::search::{MeasureOp, QueryStructure, SourceList};

use super::dates::{OPEN_END, OPEN_START};
use super::edit::read_edit;
use super::request::read_request;
use super::text::{Token, tokens};

/// Maximum number of words of a message that leaves the rest out.
const LONGEST: usize = 14;

/// Words that represent the records of the query before.
const THEM: &[&str] = &["them", "they", "their", "these", "those"];
/// Words that begin a message that continues.
const ON: &[&str] = &["and", "but", "also", "plus"];
/// Words that a fragment begins with.
const PREPOSITIONS: &[&str] = &[
    "in", "to", "from", "by", "per", "for", "of", "with", "without", "at", "via", "on", "only",
    "just", "not",
];
const VERBS: &[&str] = &[
    "show", "list", "find", "get", "give", "retrieve", "fetch", "display", "count", "what",
    "which", "who", "where", "when", "tell", "search", "compare", "is", "are", "do", "does", "did",
    "how", "analyze", "analyse",
];
/// The other end of the same question: read with the words of the question before.
const ENDS: &[&str] = &[
    "most", "least", "fewest", "highest", "lowest", "longest", "shortest", "largest", "biggest",
    "smallest", "newest", "oldest", "latest", "earliest", "heaviest", "lightest", "slowest",
    "fastest", "busiest", "worst", "best",
];

/// Whether `text` continues from the query `old`.
pub fn continues(text: &str, old: &QueryStructure, sources: &SourceList, today: NaiveDate) -> bool {
    let all = tokens(text);
    let words: Vec<&Token> = all
        .iter()
        .filter(|token| token.is_word() || token.number().is_some())
        .collect();
    if words.is_empty() || words.len() > LONGEST {
        return false;
    }
    let read = read_request(text, sources, today);
    let noun = read.indices.first().filter(|index| !index.noun.is_empty());
    let has = |wanted: &[&str]| words.iter().any(|token| token.is(wanted));
    let first = words
        .iter()
        .position(|token| !token.is(&["ok", "okay", "so", "now", "please", "then"]));
    let Some(first) = first else { return false };
    let removes = || !read_edit(text, old, sources, today).removals.is_empty();
    if let Some(noun) = noun {
        // "For all ports": the ports are a condition of the query before.
        let all = words
            .get(first + 1)
            .is_some_and(|next| next.is(&["all", "any", "every"]));
        if words[first].is(PREPOSITIONS) && all && words.len() <= first + 4 && removes() {
            return true;
        }
        // "How many of these shipments are late?"
        let said = noun.noun.to_lowercase();
        let pointed = words
            .windows(2)
            .any(|pair| pair[0].is(&["these", "those"]) && pair[1].text == said);
        return pointed
            && noun.index == old.index
            && has(&["many", "much", "which", "of", "their"]);
    }
    let pointed = words.iter().enumerate().any(|(at, token)| {
        // "Those days" are days.
        let of_time = words
            .get(at + 1)
            .is_some_and(|next| next.is(&["day", "days", "week", "weeks", "month", "months"]));
        (token.is(THEM) || token.is(&["ones"])) && !of_time
    });
    if pointed {
        return true;
    }
    let on = words[first].is(ON);
    let begin = first + usize::from(on);
    let Some(word) = words.get(begin) else {
        return false;
    };
    let ends = words
        .iter()
        .filter(|token| !token.is(&["and", "the", "one", "now"]))
        .count()
        <= 2
        && has(ENDS);
    if ends {
        return false;
    }
    // "How many are there?", "and how many were late?"
    if word.is(&["how"]) && words.get(begin + 1).is_some_and(|next| next.is(&["many"])) {
        let counts = read
            .measures
            .iter()
            .all(|measure| measure.op == MeasureOp::Count);
        let next = words.get(begin + 2);
        let bare = next.is_none_or(|next| {
            next.is(&[
                "are", "were", "is", "was", "of", "have", "had", "has", "there", "did", "will",
                "by", "per",
            ])
        });
        return counts && (bare || on);
    }
    // "Which carrier has the most?", "total weight?": of what was found.
    let ends = words
        .last()
        .is_some_and(|last| last.is(&["most", "least", "fewest"]));
    if word.is(&["which", "who", "what"]) && ends {
        return true;
    }
    let figure = read
        .measures
        .iter()
        .any(|measure| measure.op != MeasureOp::Count);
    let known = read
        .terms
        .iter()
        .all(|term| is_of_index(&term.text, old, sources));
    if figure && known && words.len() <= 3 && read.group_by.is_empty() && read.time_range.is_none()
    {
        return true;
    }
    let asks = word.is(VERBS);
    if on {
        return !asks || word.is(&["which"]);
    }
    let short = words.len() <= 8;
    let fragment =
        word.is(PREPOSITIONS) && short && !words[begin..].iter().any(|token| token.is(VERBS));
    fragment || !asks && short && removes()
}

/// Whether the index of the query has a field of this name.
fn is_of_index(name: &str, old: &QueryStructure, sources: &SourceList) -> bool {
    let name = name.to_lowercase();
    let mut indices = sources.sources.iter().flat_map(|source| &source.indices);
    let index = indices.find(|index| index.name == old.index);
    index.is_some_and(|index| {
        index.fields.iter().any(|field| {
            let own = field.name.replace(['_', '.'], " ").to_lowercase();
            own.starts_with(&name)
                || field
                    .synonyms
                    .iter()
                    .any(|word| word.to_lowercase() == name)
        })
    })
}

/// "What about the week before?", "and the month after that": the days of the query before moved by
/// its own length or by the unit, as a change.
pub fn moved_days(text: &str, old: &QueryStructure) -> Option<String> {
    let range = old.time_range.as_ref()?;
    let all = tokens(text);
    let words: Vec<&Token> = all
        .iter()
        .filter(|token| {
            token.is_word()
                && !token.is(&[
                    "and", "what", "how", "about", "the", "for", "in", "that", "please", "now",
                    "one",
                ])
        })
        .collect();
    let (unit, back) = match words.as_slice() {
        [unit, way] if way.is(&["before", "earlier", "prior"]) => (unit, true),
        [unit, way] if way.is(&["after", "later"]) => (unit, false),
        [way, unit] if way.is(&["previous", "preceding"]) => (unit, true),
        [way, unit] if way.is(&["following"]) => (unit, false),
        _ => return None,
    };
    if all.len() > 12 || range.start <= OPEN_START || range.end >= OPEN_END {
        return None;
    }
    let whole_month = range.start.day() == 1 && range.end.succ_opt()?.day() == 1;
    let (start, end) = match unit.text.as_str() {
        "day" => (moved(range.start, 1, back)?, moved(range.end, 1, back)?),
        "week" => (moved(range.start, 7, back)?, moved(range.end, 7, back)?),
        "month" if whole_month => {
            let start = if back {
                range.start.checked_sub_months(Months::new(1))?
            } else {
                range.end.succ_opt()?
            };
            (start, start.checked_add_months(Months::new(1))?.pred_opt()?)
        }
        "month" if back => (
            range.start.checked_sub_months(Months::new(1))?,
            range.end.checked_sub_months(Months::new(1))?,
        ),
        "month" => (
            range.start.checked_add_months(Months::new(1))?,
            range.end.checked_add_months(Months::new(1))?,
        ),
        "year" if back => (
            range.start.checked_sub_months(Months::new(12))?,
            range.end.checked_sub_months(Months::new(12))?,
        ),
        "year" => (
            range.start.checked_add_months(Months::new(12))?,
            range.end.checked_add_months(Months::new(12))?,
        ),
        _ => return None,
    };
    Some(format!("between {start} and {end}"))
}

fn moved(day: NaiveDate, days: u64, back: bool) -> Option<NaiveDate> {
    if back {
        day.checked_sub_days(Days::new(days))
    } else {
        day.checked_add_days(Days::new(days))
    }
}
