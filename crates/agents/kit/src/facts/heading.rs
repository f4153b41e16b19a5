//! The line above a list, and tables: what they call the values of the lines below them.
//!
//! A heading claims nothing on its own and waits for the first line that stands. It names the
//! measure of the lines that name none: "Average delay by carrier:". A row of a table is judged as
//! the sentence that calls each value by the heading of its column.

use contracts::tools::Period;

use super::{
    Fact, FactRegistry, Kind, courtesy, lexicon,
    tokens::{self, Placed, Token},
};

/// A heading that waits for its first line.
#[derive(Debug, Clone, Default)]
pub(super) struct Heading {
    /// The text, with the line under the heads of a table.
    pub(super) text: String,
    /// The heads of a table's columns.
    pub(super) columns: Vec<String>,
    /// The labels of the measures that it names.
    pub(super) labels: Vec<String>,
    /// The days that it names.
    pub(super) period: Option<Period>,
}

/// Words that say when. A heading with one would give its days to the lines below.
const WHEN: &[&str] = &[
    "date",
    "day",
    "days",
    "month",
    "today",
    "week",
    "year",
    "yesterday",
];

/// The heading that a line is, if it is one and claims nothing.
pub(super) fn of(line: &str, registry: &FactRegistry) -> Option<Heading> {
    let bare = line.trim();
    let plain = bare.trim_matches(['*', '_', '#', ' ']);
    let columns = cells(bare);
    let is_heading = plain.ends_with(':')
        || bare.starts_with('#')
        || bare.starts_with("**") && bare.ends_with("**")
        || columns.len() > 1;
    let plain = without_opening(plain);
    let mut tokens = tokens::tokens(plain, registry);
    let mut period = None;
    let mut is_known = true;
    tokens.retain(|one| match &one.token {
        Token::Ref(id) => {
            let days = registry.fact(*id).filter(|fact| fact.kind == Kind::Days);
            period = days.and_then(|fact| fact.period);
            is_known &= days.is_some();
            false
        }
        _ => true,
    });
    // What is listed is before "by", what it is listed by behind it.
    let by = |one: &Placed| word(one).is_some_and(|word| BY.contains(&word));
    let end = tokens.iter().position(by).unwrap_or(tokens.len());
    let measured = tokens[..end].to_vec();
    tokens.retain(|one| !by(one));
    // The other heads of a table are said with each value below them.
    let says_when = match columns.first() {
        Some(first) => tokens::tokens(first, registry).iter().any(says_when),
        None => tokens.iter().any(says_when),
    };
    let claims = says_when || !courtesy::is_label(&tokens, registry);
    if !is_heading || !is_known || claims {
        return None;
    }
    let words: Vec<&str> = measured.iter().filter_map(word).collect();
    let labels = match columns.first() {
        None => named(&words, registry)?,
        // The other heads are said with the values below them.
        Some(first) => {
            let first = tokens::tokens(first, registry);
            let first: Vec<&str> = first.iter().filter_map(word).collect();
            named(&first, registry)?;
            Vec::new()
        }
    };
    Some(Heading {
        text: written(line, registry)?,
        columns,
        labels,
        period,
    })
}

/// Words of headings that name no measure.
const STRUCTURE: &[&str] = &[
    "breakdown",
    "detail",
    "details",
    "findings",
    "highlights",
    "item",
    "key",
    "metric",
    "name",
    "overview",
    "points",
    "summary",
    "table",
];

/// Words between a measure and what it is listed by.
const BY: &[&str] = &["across", "by", "each", "for", "per"];

/// A heading without the words that announce it.
fn without_opening(line: &str) -> &str {
    let openings = ["here is ", "here are ", "here's ", "here\u{2019}s "];
    let begins = |opening: &&&str| {
        let begin = line.get(..opening.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(opening))
    };
    let found = openings.iter().find(begins);
    found.map_or(line, |opening| &line[opening.len()..])
}

fn word(one: &Placed) -> Option<&str> {
    match &one.token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

fn says_when(one: &Placed) -> bool {
    word(one).is_some_and(|word| {
        let is_named =
            word.parse::<chrono::Month>().is_ok() || word.parse::<chrono::Weekday>().is_ok();
        WHEN.contains(&word) || is_named || word.chars().any(char::is_numeric)
    })
}

/// The labels of the measures that words name, all of them and with what qualifies them. `None`
/// where the words of measures are those of none.
fn named(words: &[&str], registry: &FactRegistry) -> Option<Vec<String>> {
    let is_idle =
        |word: &str| STRUCTURE.contains(&word) || lexicon::is_noun(word) || registry.has_noun(word);
    let own: Vec<&&str> = words
        .iter()
        .filter(|word| !lexicon::is_neutral(word))
        .filter(|word| registry.labels(word) || !is_idle(word))
        .collect();
    if own.is_empty() {
        return Some(Vec::new());
    }
    let fits = |fact: &&Fact| {
        let mut labels = fact.measure.label.split(' ');
        let qualified = labels.all(|label| !lexicon::is_qualifier(label) || words.contains(&label));
        fact.kind == Kind::Value && qualified && own.iter().all(|word| fact.measure.names(word))
    };
    let facts = registry.facts.iter().filter(fits);
    let mut labels: Vec<String> = facts.map(|fact| fact.measure.label.clone()).collect();
    labels.dedup();
    (!labels.is_empty()).then_some(labels)
}

/// The cells of a row of a table.
pub(super) fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let Some(inner) = line
        .strip_prefix('|')
        .and_then(|rest| rest.strip_suffix('|'))
    else {
        return Vec::new();
    };
    inner
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

/// The sentence that a row of a table says: each value behind the heading of its column.
pub(super) fn sentence(row: &[String], columns: &[String]) -> Option<String> {
    if row.len() != columns.len() {
        return None;
    }
    let mut parts = row.iter().zip(columns).map(|(cell, column)| {
        let plain = column.trim_matches(['*', '_', ' ']).to_lowercase();
        let has_figure = cell.chars().any(|c| c.is_ascii_digit());
        if cell.contains("[[") || has_figure {
            format!("{plain} {cell}")
        } else {
            cell.clone()
        }
    });
    let first = parts.next()?;
    Some(format!("{first}: {}", parts.collect::<Vec<_>>().join(", ")))
}

/// A row with the values of its facts; `None` where it has a fact that is more than a value.
pub(super) fn written(row: &str, registry: &FactRegistry) -> Option<String> {
    let mut out = String::new();
    let mut last = 0;
    for one in tokens::tokens(row, registry) {
        let Token::Ref(id) = one.token else { continue };
        let fact = registry.fact(id)?;
        if !matches!(
            fact.kind,
            Kind::Value | Kind::Word | Kind::Share | Kind::Days
        ) {
            return None;
        }
        out.push_str(&row[last..one.span.start]);
        out.push_str(&fact.text);
        last = one.span.end;
    }
    out.push_str(&row[last..]);
    Some(out)
}
