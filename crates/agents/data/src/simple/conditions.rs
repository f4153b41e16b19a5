//! Conditions in the words of a question, as far as the catalogue and the values of columns settle
//! them. All words have to be read: a condition is not dropped, and where it can mean two things,
//! it is not read.

mod days;
mod linked;
mod related;
mod states;

use std::sync::LazyLock;

use contracts::tools::sql::{ColumnDescription, SqlDialect, TableDescription};
use regex::{Captures, Regex};

use super::{
    Asks, Shape,
    catalogue::{amount, is_ahead, is_category, usual_date},
    listing, periods,
    query::{Condition, Field, Measure, Part, Query},
};
use crate::{
    answer::units::{is_number, is_text, is_unit, units},
    language::{
        names::{named, stems, words},
        pattern,
    },
};
use days::{dated, within};
use related::{Quantity, counted, related};

/// The words around the name of a table that limit its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Limits {
    /// The conditions around a name for the rows.
    pub(super) fn around(&self, name: &str) -> String {
        let parts = [self.before.as_str(), name, without_begin(&self.after)];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ")
    }

    /// The other tables that the words name: rows of them may be a condition.
    pub(super) fn tables(&self, own: &str, tables: &[&str]) -> Vec<String> {
        let said: Vec<&str> = self.after.split_whitespace().collect();
        let mut found: Vec<String> = Vec::new();
        let mut at = 0;
        while at < said.len() {
            let most = (said.len() - at).min(LONGEST);
            let longest = (1..=most).rev().find_map(|length| {
                let name = named(&said[at..at + length].join(" "), tables.iter().copied())?;
                Some((name, length))
            });
            if let Some((name, _)) = longest
                && name != own
                && !found.iter().any(|one| one == name)
            {
                found.push(name.to_owned());
            }
            at += longest.map_or(1, |(_, length)| length);
        }
        found
    }
}

/// Words that conditions begin with: a table that is named behind one of them is of the condition.
const LINKS: [&str; 26] = [
    "without", "with", "having", "have", "has", "had", "haven't", "hasn't", "that", "who", "which",
    "whose", "where", "lacking", "missing", "do", "does", "don't", "doesn't", "are", "is", "were",
    "was", "in", "from", "never",
];

/// The table that a phrase is about, and the words around its name: the longest name, of those the
/// first; before the words of a condition, if one is there.
pub(super) fn subject(phrase: &str, tables: &[&str]) -> Option<(String, Limits)> {
    let said: Vec<&str> = phrase.split_whitespace().collect();
    let longest = |end: usize| {
        let most = end.min(LONGEST);
        (1..=most).rev().find_map(|length| {
            (0..=end - length).find_map(|at| {
                let table = named(&said[at..at + length].join(" "), tables.iter().copied())?;
                let limits = Limits {
                    before: said[..at].join(" "),
                    after: said[at + length..].join(" "),
                };
                Some((table.to_owned(), limits))
            })
        })
    };
    let is_link = |word: &&str| LINKS.contains(&&*word.to_lowercase());
    let link = said.iter().position(is_link);
    link.and_then(longest).or_else(|| longest(said.len()))
}

/// Words of the longest name of a table.
const LONGEST: usize = 5;

/// Words of columns with what is in stock, and of those with what should be.
const STOCK: [&str; 4] = ["stock", "quantity", "qty", "hand"];
const WANTED: [&str; 9] = [
    "reorder", "order", "ordered", "minimum", "min", "maximum", "max", "target", "safety",
];

/// Words behind the name of a column that say no more of it.
const TAILS: [&str; 8] = [
    "address", "number", "no", "code", "date", "on", "at", "time",
];

static BEGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:(?:do|did) (?:we|i) have|(?:are|were|is|was) there|there (?:are|were)|we (?:have|had)|that|which|who|where|whose|currently|now|,)\s+)+",
    )
});
static FILLER: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)(?:^|\s)(?:the|our|all|any|currently|please|of)(?:\s|$)"));
static WITHOUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?:without|lacking|missing|with\ (?:no|missing|empty)|(?:have|has|having|had)\ no|(?:do|does|did)\ not\ have|(?:don|doesn|didn)['’]?t\ have
        |(?:have|has|had)\ never\ had|never\ had|(?:have|has)\ not\ had|(?:haven|hasn)['’]?t\ had)\s+(?:(?:an?|any|the|known|single)\s+)*(?P<what>[\w\ ,.-]+)$",
    )
});
static WITH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:with|having|have|has|had)\s+(?:(?:an?|any|the|known|some|at least one)\s+)?(?P<what>[\w ,.-]+)$",
    )
});
static COMPARED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?:(?:with|having|have|has)\s+)?(?:(?:an?|the)\s+)?(?:(?P<what>[\w\ -]+?)\s+)??(?:(?:is|are|of|was|were)\s+)?
        (?P<sign>above|over|more\ than|greater\ than|higher\ than|larger\ than|exceeding|below|under|less\ than|lower\ than|smaller\ than|fewer\ than
        |at\ least|no\ less\ than|not\ less\ than|at\ most|no\ more\ than|not\ more\ than|up\ to|at\ or\ above|at\ or\ below|exactly|equal\ to|equals|>=|<=|≥|≤|>|<|=)
        \s*(?:(?:an?|the|their|its)\s+)?(?P<with>.+)$",
    )
});
static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:with|having|have|has)\s+)?(?:(?:an?|the)\s+)?(?:(?P<what>[\w -]+?)\s+)??(?:(?:is|are|of)\s+)?between\s+(?P<low>\S+)\s+and\s+(?P<high>\S+)$",
    )
});
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?P<mark>[€$£])?\s*(?P<number>-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)\s*(?P<unit>[A-Za-z€$£]+)?$",
    )
});
static VALUED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:with|having|have|has|in|of)\s+)?(?:(?:an?|the)\s+)?(?P<words>[\w ,.&/-]+)$",
    )
});
static PLACED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:are|is|were|was|live|based|located|come|coming)\s+)*(?P<not>not\s+)?(?:in|from|at|of|for)\s+(?:the\s+)?(?P<value>[\w ,.&/-]+)$",
    )
});

fn captures<'t>(pattern: &LazyLock<Option<Regex>>, text: &'t str) -> Option<Captures<'t>> {
    pattern.as_ref()?.captures(text)
}

/// Adds the conditions of a question to its query; `None` where a word of them is not read.
pub(super) fn add(query: &mut Query<'_>, limits: &Limits) -> Option<()> {
    let before = FILLER.as_ref()?.replace_all(&limits.before, " ");
    let before: Vec<&str> = before.split_whitespace().collect();
    let mut conditions = Vec::new();
    if before.len() > MOST_WORDS {
        return None;
    }
    if !before.is_empty() {
        conditions.extend(in_turn(query, &before, &before_name)?);
    }
    let after: Vec<&str> = limits.after.split_whitespace().collect();
    if after.len() > MOST_WORDS {
        return None;
    }
    if !without_begin(&limits.after).is_empty() {
        conditions.extend(in_turn(query, &after, &clause)?);
    }
    query.conditions.extend(conditions);
    // No row has two values in one column: the words were to be read otherwise.
    let tested = query
        .conditions
        .iter()
        .filter_map(|one| match one.as_slice() {
            [Part::Field(field), Part::Sql(test)]
                if test.starts_with(" = '") || test.starts_with(" IN ('") =>
            {
                Some(field)
            }
            _ => None,
        });
    let tested: Vec<_> = tested.collect();
    let is_twice = |field: &&Field| tested.iter().filter(|other| *other == field).count() > 1;
    (!tested.iter().any(is_twice)).then_some(())
}

/// Words of the longest conditions.
const MOST_WORDS: usize = 24;

/// Reads one condition from words.
type ReadOne<'r> = dyn Fn(&mut Query<'_>, &str) -> Option<Condition> + 'r;

/// Conditions that follow one another, each of them read as a whole: the longest first. "And" and
/// commas between them add nothing.
fn in_turn(query: &mut Query<'_>, said: &[&str], read: &ReadOne<'_>) -> Option<Vec<Condition>> {
    let text = said.join(" ");
    let text = without_begin(text.trim_end_matches(','));
    if text.is_empty() || text.eq_ignore_ascii_case("and") {
        return None;
    }
    if let Some(condition) = query.attempt(|query| read(query, text)) {
        return Some(vec![condition]);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    (1..words.len()).rev().find_map(|at| {
        let first = words[..at].join(" ");
        let first = first.trim_end_matches(',');
        let mut rest = &words[at..];
        if rest[0].eq_ignore_ascii_case("and") {
            rest = &rest[1..];
        }
        query.attempt(|query| {
            let condition = read(query, first)?;
            let mut others = in_turn(query, rest, read)?;
            others.insert(0, condition);
            Some(others)
        })
    })
}

/// A condition before the name of a table: a state, or days.
fn before_name(query: &mut Query<'_>, text: &str) -> Option<Condition> {
    if let Some(condition) = states::state(query, text) {
        return Some(condition);
    }
    let (today, date) = (query.known.today?, usual_date(query.table)?);
    let clock = days::clock(query, date, today);
    let span = periods::read(text, clock).or_else(|| periods::year(text))?;
    within(date, span)
}

/// The columns whose values the words may be: texts that name things, columns that the words name,
/// what amounts are in, and what states are called.
pub(super) fn lookups(shape: &Shape, schemas: &[TableDescription]) -> Vec<(String, String)> {
    let said = stems(&format!("{} {}", shape.limits.before, shape.limits.after));
    let is_said = |column: &ColumnDescription| {
        let mut words = stems(&column.name).into_iter();
        words.any(|word| {
            let is_it = |said: &String| {
                *said == word || said.strip_suffix(&*word).is_some_and(|rest| rest.len() < 4)
            };
            said.iter().any(is_it)
        })
    };
    if !shape.is_limited() {
        return units_of_figures(shape, schemas);
    }
    let (mut found, mut others) = (Vec::new(), Vec::new());
    let words = format!("{} {}", shape.limits.before, shape.limits.after);
    let says_unit = words.split(' ').any(is_code);
    for table in schemas {
        if table.name == shape.table || related::is_named(&words, &table.name) {
            // "The course Databases" is called so.
            let called = listing::called(table, SqlDialect::Postgresql, str::to_owned);
            let is_called = |column: &&ColumnDescription| Some(&column.name) == called.as_ref();
            let named = table.columns.iter().find(is_called);
            let named = named.filter(|_| table.name != shape.table);
            found.extend(named.map(|column| (table.name.clone(), column.name.clone())));
            for column in table.columns.iter().filter(|column| !column.unique) {
                let is_named = is_said(column) && (is_number(column) || is_text(column));
                // The first and the last day are asked for, of what lies ahead.
                let is_named = is_named || is_ahead(column) && is_said(column);
                if is_named || is_category(column) || is_unit(&column.name) && is_text(column) {
                    found.push((table.name.clone(), column.name.clone()));
                }
            }
        } else if says_unit && units(table).next().is_some() {
            // The currency of a company is that of its invoices.
            let units = units(table).map(|unit| (table.name.clone(), unit.name.clone()));
            found.extend(units);
        } else if listing::is_state(&table.name) {
            let called = listing::called(table, SqlDialect::Postgresql, str::to_owned);
            let is_column = |name: &String| table.columns.iter().any(|one| one.name == *name);
            let called = called.filter(is_column);
            others.extend(called.map(|column| (table.name.clone(), column)));
        }
    }
    others.extend(found);
    others
}

/// The columns by which rows of the other tables are called, where they may be a condition: of
/// them only the values that the question has are looked up.
pub(super) fn names(shape: &Shape, schemas: &[TableDescription]) -> Vec<(String, String)> {
    if !shape.is_limited() {
        return Vec::new();
    }
    let others = schemas.iter().filter(|table| table.name != shape.table);
    let named = others.filter_map(|table| {
        let called = listing::called(table, SqlDialect::Postgresql, str::to_owned)?;
        let mut columns = table.columns.iter();
        let column = columns.find(|one| one.name == called && is_text(one))?;
        Some((table.name.clone(), column.name.clone()))
    });
    named.collect()
}

/// Words of the longest name in a condition.
const NAME_WORDS: usize = 4;

/// The runs of words of the conditions, in small letters: each may be what a row is called.
pub(super) fn phrases(shape: &Shape) -> Vec<String> {
    let said = format!("{} {}", shape.limits.before, shape.limits.after).to_lowercase();
    let said: Vec<&str> = said
        .split_whitespace()
        .map(|word| word.trim_matches([',', ';', '"']))
        .take(MOST_WORDS)
        .collect();
    let runs = (1..=NAME_WORDS).flat_map(|length| said.windows(length));
    let runs = runs.map(|run| run.join(" "));
    let mut phrases: Vec<String> = runs.filter(|run| !run.contains('\\')).collect();
    phrases.sort_unstable();
    phrases.dedup();
    phrases
}

/// Whether a word may be a currency: "EUR", "10€".
fn is_code(word: &str) -> bool {
    word.len() == 3 && word.bytes().all(|letter| letter.is_ascii_uppercase())
        || word.contains(['€', '$', '£'])
}

/// The units of the amounts that a ranking compares.
fn units_of_figures(shape: &Shape, schemas: &[TableDescription]) -> Vec<(String, String)> {
    if !matches!(shape.asks, Asks::Top { .. } | Asks::RankedTotal { .. }) {
        return Vec::new();
    }
    // The lines of an invoice are in its currency, and an invoice may be in its company's.
    let of = |table: &'_ TableDescription| -> Vec<(String, String)> {
        let columns = units(table).map(|unit| (table.name.clone(), unit.name.clone()));
        columns.collect()
    };
    schemas.iter().flat_map(of).collect()
}

/// The conditions behind a name, without words that only lead to them.
pub(super) fn plainly(text: &str) -> &str {
    without_begin(text)
}

fn without_begin(text: &str) -> &str {
    let text = text.trim();
    let end = BEGIN
        .as_ref()
        .and_then(|begin| begin.find(text))
        .map_or(0, |found| found.end());
    &text[end..]
}

/// A condition after the name of a table.
fn clause(query: &mut Query<'_>, text: &str) -> Option<Condition> {
    if let Some(found) = captures(&WITHOUT, text) {
        return present(query, &found["what"], false)
            .or_else(|| related(query, &found["what"], Quantity::None));
    }
    if let Some(condition) = dated(query, text) {
        return Some(condition);
    }
    if let Some(found) = captures(&BETWEEN, text) {
        let column = compared(query.table, found.name("what").map(|one| one.as_str()))?;
        let (low, high) = (number(&found["low"])?, number(&found["high"])?);
        if low.1.is_some() || high.1.is_some() {
            return None;
        }
        return Some(vec![
            own(column),
            Part::Sql(format!(" BETWEEN {} AND {}", low.0, high.0)),
        ]);
    }
    if let Some(found) = captures(&COMPARED, text) {
        let what = found.name("what").map(|one| one.as_str());
        if let Some(condition) = comparison(query, what, &found["sign"], &found["with"]) {
            return Some(condition);
        }
    }
    if let Some(condition) = states::punctual(query, text) {
        return Some(condition);
    }
    if let Some(condition) = states::said(query, text).or_else(|| states::neither(query, text)) {
        return Some(condition);
    }
    if let Some(condition) = linked::within(query, text) {
        return Some(condition);
    }
    if let Some(found) = captures(&VALUED, text)
        && let Some(condition) = valued(query, &found["words"])
    {
        return Some(condition);
    }
    if let Some(found) = captures(&PLACED, text) {
        return match found.name("not") {
            Some(_) => states::excluded(query, &found["value"]),
            None => states::value(query, &found["value"]),
        };
    }
    let found = captures(&WITH, text)?;
    present(query, &found["what"], true).or_else(|| related(query, &found["what"], Quantity::Any))
}

fn own(column: &ColumnDescription) -> Part {
    Part::Field(Field::Own(column.name.clone()))
}

/// Whether a column has a value, or has none.
fn present(query: &Query<'_>, what: &str, is_present: bool) -> Option<Condition> {
    let column = column_of(query.table, what, |column| {
        !(column.unique && is_number(column))
    })?;
    if let Some(condition) = states::flag(query, column, is_present) {
        return Some(condition);
    }
    // "Without stock" is none in stock, which a number says in another way.
    let is_key = words(&column.name).last().is_some_and(|last| last == "id")
        || query
            .owners()
            .any(|(edge, _)| edge.from_column == column.name);
    if is_number(column) && !is_key {
        return None;
    }
    let sql = |text: &str| Part::Sql(text.to_owned());
    Some(match (is_text(column), is_present) {
        (true, true) => vec![own(column), sql(" <> ''")],
        (true, false) => vec![
            sql("("),
            own(column),
            sql(" IS NULL OR "),
            own(column),
            sql(" = '')"),
        ],
        (false, true) => vec![own(column), sql(" IS NOT NULL")],
        (false, false) => vec![own(column), sql(" IS NULL")],
    })
}

/// The column of a table that the words name: wholly, without "id" behind it, or with more words
/// that no other column has.
fn column_of<'t>(
    table: &'t TableDescription,
    what: &str,
    fits: impl Fn(&ColumnDescription) -> bool,
) -> Option<&'t ColumnDescription> {
    let columns = || table.columns.iter().filter(|column| fits(column));
    let of = |name: &str| columns().find(|column| column.name == name);
    if let Some(name) = named(what, columns().map(|column| &*column.name)) {
        return of(name);
    }
    let said = stems(what);
    let is_key = |column: &&ColumnDescription| {
        let mut words = stems(&column.name);
        words.len() > 1 && words.pop().is_some_and(|last| last == "id") && words == said
    };
    // "Invoices" is not `invoice_no`: the words are the same ones.
    let spoken = words(what);
    let begins = |column: &&ColumnDescription| {
        let words = words(&column.name);
        let rest = words.strip_prefix(&*spoken);
        rest.is_some_and(|rest| rest.iter().all(|word| TAILS.contains(&&**word)))
    };
    if said.is_empty() {
        return None;
    }
    let mut found = columns().filter(is_key);
    let first = found.next();
    if first.is_some() {
        return first.filter(|_| found.next().is_none());
    }
    let mut found = columns().filter(begins);
    let first = found.next();
    first.filter(|_| found.next().is_none())
}

/// The column with figures that is compared.
fn compared<'t>(table: &'t TableDescription, what: Option<&str>) -> Option<&'t ColumnDescription> {
    let is_figure = |column: &ColumnDescription| {
        let is_key = words(&column.name).last().is_some_and(|last| last == "id");
        is_number(column) && !is_key
    };
    // Without a name, only the table's amount is compared: "employees over 50" says nothing of
    // their salaries.
    match what {
        Some(what) => column_of(table, what, is_figure),
        None => amount(table, ""),
    }
}

/// A column compared with a number or with another column.
fn comparison(
    query: &mut Query<'_>,
    what: Option<&str>,
    sign: &str,
    with: &str,
) -> Option<Condition> {
    let sign = match &*sign.to_lowercase() {
        "below" | "under" | "less than" | "lower than" | "smaller than" | "fewer than" | "<" => "<",
        "at least" | "no less than" | "not less than" | "at or above" | ">=" | "≥" => ">=",
        "at most" | "no more than" | "not more than" | "up to" | "at or below" | "<=" | "≤" => {
            "<="
        }
        "exactly" | "equal to" | "equals" | "=" => "=",
        _ => ">",
    };
    let table = query.table;
    if let (None, Some((count, things))) = (what, counted(with))
        && let Some(condition) = related(query, things, Quantity::Compared(sign, count))
    {
        return Some(condition);
    }
    if let Some((number, unit)) = number(with) {
        let column = compared(table, what)?;
        let mut condition = vec![own(column), Part::Sql(format!(" {sign} {number}"))];
        if let Some(unit) = unit {
            let units = query.units(&Measure::Sum(column.name.clone()));
            let [of] = units.as_slice() else {
                return None;
            };
            let (table, name) = query.names(of);
            let equal = states::equal(query, table, name, &unit)?;
            let and = Part::Sql(" AND ".to_owned());
            condition.extend([and, Part::Field(of.clone()), Part::Sql(equal)]);
        }
        return Some(condition);
    }
    let is_figure = |column: &ColumnDescription| is_number(column) && !column.unique;
    let other = column_of(table, with, is_figure)?;
    let column = if let Some(what) = what {
        column_of(table, what, is_figure)?
    } else {
        let mut stock = table.columns.iter().filter(|column| {
            let words = words(&column.name);
            column.name != other.name
                && is_figure(column)
                && words.last().is_none_or(|last| last != "id")
                && words.iter().any(|word| STOCK.contains(&&**word))
                && !words.iter().any(|word| WANTED.contains(&&**word))
        });
        let first = stock.next()?;
        stock.next().is_none().then_some(first)?
    };
    (column.name != other.name)
        .then(|| vec![own(column), Part::Sql(format!(" {sign} ")), own(other)])
}

/// A number, and the unit behind it. `1.000` may be one or a thousand: it is not read.
fn number(text: &str) -> Option<(String, Option<String>)> {
    let found = captures(&NUMBER, text.trim())?;
    let number = found["number"].replace(',', "");
    let is_unclear = number
        .split_once('.')
        .is_some_and(|(_, places)| places.len() == 3);
    let unit = found.name("mark").or_else(|| found.name("unit"));
    let unit = unit.map(|unit| match unit.as_str() {
        "€" => "EUR".to_owned(),
        "$" => "USD".to_owned(),
        "£" => "GBP".to_owned(),
        unit => unit.to_owned(),
    });
    (!is_unclear).then_some((number, unit))
}

/// A column that is named with one of its values: "status open", "city is Bonn".
fn valued(query: &mut Query<'_>, text: &str) -> Option<Condition> {
    let said: Vec<&str> = text.split_whitespace().collect();
    (1..said.len()).find_map(|at| {
        let mut value = &said[at..];
        if let [first, rest @ ..] = value
            && ["is", "are", "of", "=", "equals"].contains(&&*first.to_lowercase())
            && !rest.is_empty()
        {
            value = rest;
        }
        states::value_of(query, &said[..at].join(" "), &value.join(" "))
    })
}
