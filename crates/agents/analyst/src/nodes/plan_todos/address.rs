//! Which earlier query a message points at: "the first query", "the Shanghai results", otherwise
//! the newest.

use chrono::{Datelike, NaiveDate};
use contracts::tools::search::QueryStructure;
use serde_json::Value;

use crate::{
    KeptQuery, MemoryError,
    language::{self, dates},
    step::Step,
};

/// Maximum number of words of a message that only names an earlier query.
const ALONE: usize = 7;
/// User turns that are looked through.
const TURNS: u32 = 50;
/// Queries that are read.
const QUERIES: usize = 20;

/// The place of a query in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// From the oldest, from 0.
    FromFirst(usize),
    /// From the newest, from 0.
    FromLast(usize),
}

/// Which words of a message may name a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Every name in it: "analyze delays from Shanghai".
    Names,
    /// The name of a query's records: "only the late ones of the Hamburg shipments". Other
    /// names are for the change.
    Records,
}

/// The query; `None` when there is none at all.
pub(super) async fn find(
    step: &Step,
    text: &str,
    by: By,
) -> Result<Option<KeptQuery>, MemoryError> {
    let place = place(text);
    let today = step.today(text);
    let mut names = undated(about(text, &nouns(step)), text, today);
    if by == By::Names {
        names.extend(self::names(text));
    }
    let dated = returns(step, text) && !days_of(text, today).is_empty();
    if place.is_none() && names.is_empty() && !dated {
        return if by == By::Records && language::asks_for_an_end(text) {
            newest_of_an_order(step).await
        } else {
            step.run().query(None).await
        };
    }
    let ids = step.run().queries(TURNS).await?;
    let chosen = match place {
        Some(Place::FromFirst(at)) => ids.get(at).copied(),
        Some(Place::FromLast(at)) => ids.iter().rev().nth(at).copied(),
        None => None,
    };
    if chosen.is_some() {
        return step.run().query(chosen).await;
    }
    let mut best: Option<((usize, bool), KeptQuery)> = None;
    for id in ids.iter().rev().take(QUERIES) {
        let Some(kept) = step.run().query(Some(*id)).await? else {
            continue;
        };
        // What it asks now: a condition that was taken away is still in the words.
        let structure = kept.metadata.query_structure.as_ref();
        let held = match structure {
            Some(structure) => conditions(structure),
            None => kept.metadata.request.to_lowercase(),
        };
        let hits = names.iter().filter(|name| held.contains(*name));
        let of_days = dated && structure.is_some_and(|old| describes(text, old, today));
        let hits = (hits.count(), of_days);
        if hits > (0, false) && best.as_ref().is_none_or(|(most, _)| hits > *most) {
            best = Some((hits, kept));
        }
    }
    match best {
        Some((_, kept)) => Ok(Some(kept)),
        None => step.run().query(None).await,
    }
}

/// The newest query; behind records that were looked at one by one the query that found them:
/// "and the third oldest?".
async fn newest_of_an_order(step: &Step) -> Result<Option<KeptQuery>, MemoryError> {
    let is_looked_at = |kept: &KeptQuery| {
        let structure = kept.metadata.query_structure.as_ref()?;
        let sources = step.sources();
        let source = &kept.metadata.data_source;
        let (_, index) = crate::step::index_of(&sources, source, &structure.index)?;
        let looked_at = structure.limit != Some(1) && language::finds_one(structure, Some(index));
        Some((structure.index.clone(), looked_at))
    };
    let newest = step.run().query(None).await?;
    let Some((index, true)) = newest.as_ref().and_then(is_looked_at) else {
        return Ok(newest);
    };
    let ids = step.run().queries(TURNS).await?;
    for id in ids.iter().rev().skip(1).take(QUERIES) {
        let kept = step.run().query(Some(*id)).await?;
        match kept.as_ref().and_then(is_looked_at) {
            Some((_, true)) => {}
            Some((same, false)) if same == index => return Ok(kept),
            _ => break,
        }
    }
    Ok(newest)
}

/// The query before the newest; `None` where there is none.
pub(super) async fn before_last(step: &Step) -> Result<Option<KeptQuery>, MemoryError> {
    let ids = step.run().queries(TURNS).await?;
    match ids.iter().rev().nth(1) {
        Some(id) => step.run().query(Some(*id)).await,
        None => Ok(None),
    }
}

/// The text without the days that only name the query that it returns to: "the query about Hamburg
/// in December again" keeps the December that was asked about, whatever December is the newest now.
pub(super) fn without_its_days(text: &str, old: &QueryStructure, today: NaiveDate) -> String {
    let mut rest = text.to_owned();
    for mention in dates::find(text, today).iter().rev() {
        let is_its = mention.meaning.as_ref().is_ok_and(|days| is_of(days, old));
        if is_its {
            let span = mention.phrase.clone();
            rest.replace_range(span.clone(), &" ".repeat(span.len()));
        }
    }
    rest
}

/// The days that the text names.
fn days_of(text: &str, today: NaiveDate) -> Vec<dates::Days> {
    let found = dates::find(text, today).into_iter();
    found.filter_map(|mention| mention.meaning.ok()).collect()
}

/// Whether the text names the days of the query.
fn describes(text: &str, old: &QueryStructure, today: NaiveDate) -> bool {
    days_of(text, today).iter().any(|days| is_of(days, old))
}

/// Whether the words for these days may be for those of the query: without a year, of any year.
fn is_of(days: &dates::Days, old: &QueryStructure) -> bool {
    old.time_range
        .as_ref()
        .is_some_and(|range| same_days(days, range.start, range.end))
}

fn same_days(days: &dates::Days, start: NaiveDate, end: NaiveDate) -> bool {
    if (days.start, days.end) == (start, end) {
        return true;
    }
    let years = start.year() - days.start.year();
    let same = |one: NaiveDate, other: NaiveDate| {
        // The end of February is another day in a leap year.
        one.month() == other.month() && (one.day() == other.day() || one.month() == 2)
    };
    days.year_guessed
        && same(days.start, start)
        && same(days.end, end)
        && end.year() - days.end.year() == years
}

/// The names that are not words for days.
fn undated(names: Vec<String>, text: &str, today: NaiveDate) -> Vec<String> {
    let dated: Vec<String> = dates::find(text, today)
        .iter()
        .flat_map(|mention| {
            let words = mention.words.to_lowercase();
            let each = words.split(|c: char| !c.is_alphanumeric());
            each.map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    names
        .into_iter()
        .filter(|name| !dated.contains(name))
        .collect()
}

/// The fields that a query compares and groups by.
fn conditions(structure: &QueryStructure) -> String {
    let values = structure.filters.iter().flat_map(|filter| {
        let values = filter.values.iter().map(|value| match value {
            Value::String(text) => text.replace('_', " "),
            // "The late shipments".
            Value::Bool(true) => filter.field.replace('_', " "),
            other => other.to_string(),
        });
        values.chain(filter.label.clone())
    });
    let said = structure
        .time_range
        .iter()
        .filter_map(|range| range.kind.clone());
    let groups = structure
        .group_by
        .iter()
        .map(|group| group.field.replace('_', " "));
    let all: Vec<String> = values.chain(said).chain(groups).collect();
    all.join(" ").to_lowercase()
}

/// Whether the message names an earlier query, by its place or by what its records are called.
pub(crate) fn points(step: &Step, text: &str) -> bool {
    place(text).is_some() || !about(text, &nouns(step)).is_empty()
}

/// Whether the message returns to an earlier query by what its records are called: "now the Hamburg
/// shipments again", "how many of the Hamburg shipments were late?".
pub(crate) fn returns(step: &Step, text: &str) -> bool {
    let today = step.today(text);
    let said = about(text, &nouns(step));
    let named = undated(said.clone(), text, today);
    // "The December query" names its query by days alone.
    let by_days = named.len() < said.len();
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let back = words
        .iter()
        .any(|word| ["again", "back", "earlier", "return", "previous"].contains(word));
    if words.len() <= ALONE && (place(text).is_some() || !one(&words).is_empty()) {
        return place(text).is_some() || is_known(step, text, &named);
    }
    let of_them = words
        .windows(2)
        .any(|pair| pair[0] == "of" && ["the", "those", "these"].contains(&pair[1]));
    (!named.is_empty() || by_days) && (back || of_them) && is_known(step, text, &named)
}

/// Whether an earlier request has all these words, and, where there are none, the days of the text.
fn is_known(step: &Step, text: &str, named: &[String]) -> bool {
    let today = step.today(text);
    let asked = days_of(text, today);
    step.work.recalled.entries.iter().any(|entry| {
        let request = entry
            .rewritten_question
            .as_deref()
            .unwrap_or_default()
            .to_lowercase();
        if named.is_empty() {
            let own = days_of(&request, today);
            let fits =
                |days: &dates::Days| own.iter().any(|own| same_days(days, own.start, own.end));
            return asked.is_empty() || asked.iter().any(fits);
        }
        named.iter().all(|name| request.contains(name))
    })
}

/// The words between "the" and "one" of a message that is nothing else: `genoa` of "and the Genoa
/// one again", `coffee` of "the coffee ones again".
fn one(words: &[&str]) -> Vec<String> {
    const AROUND: [&str; 14] = [
        "and", "now", "back", "to", "show", "me", "again", "please", "ok", "what", "about", "was",
        "so", "then",
    ];
    const PLACES: [&str; 18] = [
        "other", "first", "second", "third", "fourth", "last", "latest", "newest", "previous",
        "next", "same", "right", "wrong", "old", "only", "whole", "late", "good",
    ];
    let rest: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !AROUND.contains(word))
        .collect();
    // "The late ones" takes of what there is, "the coffee ones again" returns.
    let back = words.iter().any(|word| ["again", "back"].contains(word));
    match rest.as_slice() {
        ["the" | "that" | "those", inside @ .., end]
            if (*end == "one" || *end == "ones" && back)
                && (1..=2).contains(&inside.len())
                && !inside
                    .iter()
                    .any(|word| PLACES.contains(word) || word.ends_with("est")) =>
        {
            inside.iter().map(|word| (*word).to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

/// The words behind "the query about", "back to": `coffee` of "the query about coffee again".
fn behind(words: &[&str], is_thing: impl Fn(&str) -> bool) -> Vec<String> {
    const ENDS: [&str; 9] = [
        "again", "please", "now", "and", "in", "then", "with", "the", "only",
    ];
    let about = words.windows(2).position(|pair| {
        pair[1] == "about" && ["query", "one", "question", "request"].contains(&pair[0])
    });
    // "Back to the query about coffee".
    let back = || words.windows(2).position(|pair| pair == ["back", "to"]);
    let Some(begin) = about.or_else(back) else {
        return Vec::new();
    };
    let rest = words[begin + 2..].iter().copied();
    let rest = rest.skip_while(|word| *word == "the");
    rest.take_while(|word| !ENDS.contains(word) && !is_thing(word))
        .take(3)
        .filter(|word| !["query", "one", "first", "previous", "last"].contains(word))
        .map(str::to_owned)
        .collect()
}

/// What people call the records that there are.
fn nouns(step: &Step) -> Vec<String> {
    let sources = step.sources();
    let indices = sources.sources.iter().flat_map(|source| &source.indices);
    let nouns = indices.flat_map(|index| &index.nouns);
    nouns.map(|noun| noun.to_lowercase()).collect()
}

/// The words between "the" and a word for results or records: `miami` of "the Miami shipments".
/// Words that distinguish records of the same query ("the late shipments") are recognized by
/// whether a query has them.
fn about(text: &str, nouns: &[String]) -> Vec<String> {
    const THINGS: [&str; 6] = ["results", "result", "query", "data", "records", "figures"];
    const POINTING: [&str; 7] = ["the", "those", "these", "my", "our", "that", "your"];
    const SMALL: [&str; 18] = [
        "of", "to", "from", "in", "at", "for", "and", "all", "last", "first", "previous", "latest",
        "same", "earlier", "other", "number", "top", "query",
    ];
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_thing = |word: &str| THINGS.contains(&word) || nouns.iter().any(|noun| noun == word);
    let mut found: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !POINTING.contains(word) {
            continue;
        }
        let inside: Vec<&str> = words[at + 1..]
            .iter()
            .copied()
            .take(4)
            .take_while(|word| !is_thing(word) && !SMALL.contains(word))
            .collect();
        let ends = words
            .get(at + 1 + inside.len())
            .is_some_and(|word| is_thing(word));
        if ends {
            found.extend(inside.into_iter().map(str::to_owned));
        }
    }
    found.extend(behind(&words, is_thing));
    found.extend(one(&words));
    found
}

/// An ordinal before a word for a query.
fn place(text: &str) -> Option<Place> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(2).find_map(|pair| {
        let thing = [
            "query", "queries", "result", "results", "search", "request", "question",
        ];
        if !thing.contains(&pair[1]) {
            return None;
        }
        match pair[0] {
            "first" | "1st" => Some(Place::FromFirst(0)),
            "second" | "2nd" => Some(Place::FromFirst(1)),
            "third" | "3rd" => Some(Place::FromFirst(2)),
            "fourth" | "4th" => Some(Place::FromFirst(3)),
            "last" | "latest" | "newest" | "previous" => Some(Place::FromLast(0)),
            _ => None,
        }
    })
}

/// Names in the message: capital letters that do not begin it.
fn names(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || c == ',')
        .skip(1)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.len() > 1 && word.chars().next().is_some_and(char::is_uppercase))
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_and_names_point_at_queries() {
        for (text, expected) in [
            ("analyze the first query", Some(Place::FromFirst(0))),
            ("look at the last results", Some(Place::FromLast(0))),
            ("analyze delay patterns in these results", None),
            ("the first shipments", None),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
        let nouns = ["shipments".to_owned()];
        let about = |text: &str| about(text, &nouns);
        assert_eq!(
            about("analyze delays in the Shanghai results"),
            ["shanghai"]
        );
        assert_eq!(about("analyze delays in the miami shipments"), ["miami"]);
        assert_eq!(
            about("filter the Hamburg shipments by delivered"),
            ["hamburg"]
        );
        assert_eq!(about("the query about coffee again"), ["coffee"]);
        assert_eq!(about("back to coffee"), ["coffee"]);
        assert_eq!(about("and the Genoa one?"), ["genoa"]);
        assert!(about("the other one").is_empty() && about("which is the heaviest one").is_empty());
        assert!(about("Analyze delays from Shanghai").is_empty());
        assert!(about("show the shipments to Miami").is_empty());
        assert!(about("analyze the results of last week").is_empty());
        assert_eq!(names("Analyze the Shanghai results"), ["shanghai"]);
        assert!(names("Analyze these results").is_empty());
    }
}
