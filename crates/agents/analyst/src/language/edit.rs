//! Changes to a query that was executed: only what is asked changes.

mod apply;
mod events;
mod field;
mod figures;
mod removals;
#[cfg(test)]
mod tests;

use chrono::NaiveDate;
use contracts::tools::meanings::{FieldTerm, TermRole};
use contracts::tools::search::{FilterOp, IndexDescription, QueryStructure, SourceList};

use super::continuation::{is_place, ranks};
use super::dates;
use super::ordinals;
use super::request::{Leftover, Operator, Request, read_about};
use super::text::{Token, number_word, tokens};

pub use apply::{Edited, apply};
pub use field::{is_replaced, kept_field};
pub use figures::free_field;

/// A change that was read.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a sign of the message that stands alone"
)]
pub struct EditRequest {
    /// The additions and replacements; their terms go to `field_mapping` for the index of the old
    /// query.
    pub request: Request,
    /// The removed parts.
    pub removals: Vec<Removal>,
    /// The names of the change join the groups that the old query compares.
    pub compares: bool,
    /// The groups of the old query by their figure, the greatest first or the least.
    pub ranks: Option<bool>,
    /// Values of a field that is already compared are added to the old ones ("also the cancelled
    /// ones"), instead of taking their place.
    pub widens: bool,
    /// The values that join are a condition of their own where there is none: "add delivered
    /// status".
    pub adds: bool,
    /// The condition is an alternative of one that the old query has: "or from Hamburg".
    pub alternative: bool,
    /// The words of the removals: names in them are not wanted.
    pub removed: Vec<String>,
}

/// A removed part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// The days.
    Time,
    /// Every condition.
    Filters,
    /// The condition at this place of the old query.
    Filter(usize),
    /// Of the condition at this place the value at this place.
    Value(usize, usize),
    /// Of the condition at this place all values but the one at this place.
    OtherValues(usize, usize),
    /// The groups and what is computed of them.
    Groups,
    /// The computed extreme: the record that has it takes its place, or the first of the order.
    Extreme,
    /// The order.
    Sort,
    /// The limit.
    Limit,
    /// A field that is shown.
    Field(String),
}

/// Which change of `old` the `text` asks for.
pub fn read_edit(
    text: &str,
    old: &QueryStructure,
    sources: &SourceList,
    names: &[String],
    today: NaiveDate,
) -> EditRequest {
    let index = sources
        .sources
        .iter()
        .flat_map(|source| &source.indices)
        .find(|index| index.name == old.index);
    let text = &without_asking(text);
    let read = removals::read(text, old, index);
    let mut request = read_about(&read.rest, sources, &old.index, names, today);
    let all = tokens(&read.rest);
    without_default_count(&mut request);
    if let Some(index) = index {
        figures::replaced(&mut request, old, index, &all);
        figures::grouped_by_number(&mut request, old, index);
        figures::another_operator(&mut request, old, &all);
        figures::free_value(&mut request, old, index, &all);
        figures::years(&mut request, old, index);
        events::groups_of_it(&mut request, old, index);
    }
    pointing(&mut request, old, &all);
    bounds(&mut request, old);
    let words: Vec<&Token> = all.iter().filter(|token| token.is_word()).collect();
    of_the_record(&mut request, finds_one(old, index), &all);
    let ranks = ranks(&words)
        .filter(|_| !old.group_by.is_empty() && request.sort.is_empty())
        .or_else(|| top(&request, old));
    if ranks.is_some() {
        request.operators.clear();
        request.leftover.retain(|left| {
            let said = tokens(&left.words);
            if said.iter().all(|word| word.is(&["often", "first"])) {
                return false;
            }
            super::continuation::ranks(&said.iter().collect::<Vec<_>>()).is_none()
        });
        if request.limit.is_none() {
            request.limit = counted(&all);
        }
        if let Some((place, said)) = ordinals::first(&all) {
            up_to_place(&mut request, place, &said);
        }
        let one = words.iter().any(|word| word.is(&["which", "who"]));
        if one && request.limit.is_none() && old.limit.is_none_or(|limit| limit >= USUAL_LIMIT) {
            request.limit = Some(1);
        }
    }
    if ranks.is_none()
        && let Some((place, said)) = place_behind(&all, old)
    {
        up_to_place(&mut request, place, &said);
        request.limit = Some(place.max(old.limit.unwrap_or(1)));
    }
    request.remarks.extend(read.absent.iter().map(|words| {
        format!(
            "The query has no condition on \u{2018}{words}\u{2019}, so there is none to remove."
        )
    }));
    let mut removals = read.removals;
    if all_of_them(&words) {
        if old.limit.is_some_and(|limit| limit < USUAL_LIMIT) {
            removals.push(Removal::Limit);
        }
        if old.group_by.is_empty() && !old.measures.is_empty() {
            removals.push(Removal::Groups);
        }
    }
    if asks_which(&words) {
        removals.push(Removal::Extreme);
    }
    let shows = |term: &FieldTerm| matches!(term.role, TermRole::Select | TermRole::Sort);
    if (lists(&all) || shows_first(&words, &request) || request.terms.iter().any(shows))
        && !old.measures.is_empty()
        && old.group_by.is_empty()
        && request.measures.is_empty()
        && request.group_by.is_empty()
    {
        removals.push(Removal::Groups);
    }
    let alternative = alternative(&mut request, &all);
    EditRequest {
        request,
        removals,
        compares: compares(&all),
        ranks,
        widens: alternative || widens(&all),
        alternative,
        adds: all.iter().any(|token| token.is(&["add"])),
        removed: read.removed,
    }
}

/// Whether the message asks which record it is: "which shipment is that?", "which one is it?".
pub(super) fn asks_which(words: &[&Token]) -> bool {
    const THAT: &[&str] = &["that", "it", "this", "those", "these", "they"];
    let is = |at: usize, wanted: &[&str]| words.get(at).is_some_and(|word| word.is(wanted));
    let first = words
        .iter()
        .position(|word| !word.is(&["and", "so", "ok", "okay", "but", "then"]));
    let Some(first) = first.filter(|first| is(*first, &["which", "what"])) else {
        return false;
    };
    words.len() <= first + 4
        && (is(first + 2, &["is", "was", "are", "were"]) && is(first + 3, THAT)
            || is(first + 1, &["is", "was", "are", "were"])
                && is(first + 2, THAT)
                && words.len() == first + 3)
}

/// "How late was it?" of one record that was found asks for its value, not for an average.
fn of_the_record(request: &mut Request, one: bool, all: &[Token]) {
    let points = all
        .iter()
        .any(|token| token.is(&["it", "that", "this", "its"]));
    let average = all.iter().any(|token| token.is(&["average", "mean"]));
    if !one || !points || average {
        return;
    }
    for term in &mut request.terms {
        if term.role == TermRole::Measure {
            term.role = TermRole::Select;
        }
    }
    request.measures.retain(|measure| measure.term.is_none());
}

/// "Top 3" of groups: by their figure, unless they are ordered by it already.
fn top(request: &Request, old: &QueryStructure) -> Option<bool> {
    let groups = !old.group_by.is_empty() && request.group_by.is_empty();
    let other = !request.measures.is_empty() || !request.sort.is_empty();
    let top = request.top.filter(|_| groups && !other)?;
    let figure = old.measures.iter().find(|measure| measure.field.is_some());
    let figure = figure.or(old.measures.first())?.name();
    let first = old.sort.first().filter(|sort| sort.by == figure);
    let ranked = first.is_some() && old.limit.is_some_and(|limit| limit < USUAL_LIMIT);
    (!top || !ranked).then_some(top)
}

/// Shows as many as lead to a place, and says which of them it is.
fn up_to_place(request: &mut Request, place: u32, said: &str) {
    request.limit = Some(place);
    request
        .leftover
        .retain(|left| !left.words.eq_ignore_ascii_case(said));
    let remark = format!("The {said} is the last of these {place}.");
    request.remarks.push(remark);
}

/// The place of "and the second?", which continues a query with an order.
fn place_behind(all: &[Token], old: &QueryStructure) -> Option<(u32, String)> {
    let ordered = !old.sort.is_empty() && old.limit.is_some_and(|limit| limit < USUAL_LIMIT);
    ordinals::alone(all).filter(|_| ordered)
}

/// Whether a query finds one record: the first of an order, or the one with an id.
pub fn finds_one(old: &QueryStructure, index: Option<&IndexDescription>) -> bool {
    let by_id = || {
        let id = index.and_then(|index| index.id_field.as_ref());
        old.filters.iter().any(|filter| {
            filter.op == FilterOp::Is
                && filter.values.len() == 1
                && filter.or.is_empty()
                && Some(&filter.field) == id
        })
    };
    old.measures.is_empty() && (old.limit == Some(1) || by_id())
}

/// "By which carrier?" groups by it, and "instead of Hamburg take Rotterdam" names both.
fn without_asking(text: &str) -> String {
    let all = tokens(text);
    let by_which = all
        .windows(2)
        .find(|pair| pair[0].is(&["by", "per"]) && pair[1].is(&["which", "what"]))
        .map(|pair| pair[1].start..pair[1].end);
    let takes = || {
        let verb = all.iter().find(|token| token.is(&["take", "use"]))?;
        let instead = all.iter().any(|token| token.is(&["instead", "rather"]));
        instead.then_some(verb.start..verb.end)
    };
    match by_which.or_else(takes) {
        Some(span) => format!("{}{}", &text[..span.start], &text[span.end..]),
        None => text.to_owned(),
    }
}

/// Whether nothing is to be left out: "all of them again".
fn all_of_them(words: &[&Token]) -> bool {
    const AROUND: &[&str] = &[
        "all",
        "of",
        "them",
        "these",
        "those",
        "again",
        "please",
        "now",
        "the",
        "show",
        "me",
        "list",
        "and",
        "ok",
        "okay",
        "give",
        "see",
        "everything",
    ];
    words.iter().any(|word| word.is(&["all", "everything"]))
        && words
            .iter()
            .any(|word| word.is(&["them", "these", "those", "again"]))
        && words.iter().all(|word| word.is(AROUND))
}

/// The number of "the 3 worst".
fn counted(all: &[Token]) -> Option<u32> {
    all.iter()
        .filter_map(|token| token.number().or_else(|| number_word(&token.text)))
        .find(|number| (1..=1000).contains(number))
}

/// Whether the message compares what it names with what was asked: "compare with Rotterdam".
fn compares(all: &[Token]) -> bool {
    const BEFORE: &[&str] = &[
        "and", "now", "please", "ok", "okay", "then", "can", "you", "could",
    ];
    let begins = all
        .iter()
        .find(|token| token.is_word() && !token.is(BEFORE));
    begins.is_some_and(|token| token.is(&["compare", "compared", "versus", "vs"]))
}

/// Number of groups that are shown where none is asked for.
const USUAL_LIMIT: u32 = 100;

/// Bounds without a field are of the number that the old query bounds: "at most 5".
fn bounds(request: &mut Request, old: &QueryStructure) {
    let bounded = old.filters.iter().rev().find(|filter| {
        filter.values.iter().all(serde_json::Value::is_number) && !filter.values.is_empty()
    });
    let Some(filter) = bounded else { return };
    for (place, op, value) in std::mem::take(&mut request.bounds) {
        request.terms.push(FieldTerm {
            text: filter.field.replace(['_', '.'], " "),
            role: TermRole::Filter,
            op: Some(op),
            value: Some(value),
        });
        request
            .leftover
            .retain(|left| left.span.end <= place.start || left.span.start >= place.end);
        request.operators.retain(|operator| {
            operator.span.end <= place.start || operator.span.start >= place.end
        });
    }
}

/// "There" is read where the old query has a place; otherwise it is an unused word.
fn pointing(request: &mut Request, old: &QueryStructure, all: &[Token]) {
    let place = old.filters.iter().any(|filter| filter.label.is_some());
    let words: Vec<&Token> = all.iter().filter(|token| token.is_word()).collect();
    for (at, word) in words.iter().enumerate() {
        if word.is(&["there"]) && is_place(&words, at) && !place {
            request.leftover.push(Leftover {
                span: word.start..word.end,
                words: word.text.clone(),
                name_like: false,
            });
        }
    }
    let points = ["there", "it", "its", "them"];
    let read = |operator: &Operator| points.contains(&operator.word.as_str());
    request.operators.retain(|operator| !read(operator));
}

/// The change of a correction, in words that say it whole: a bare month is the time, a bare number
/// the limit, a bare verb the event of the days of the old query.
pub fn correction(said: &str, old: Option<&QueryStructure>, today: NaiveDate) -> String {
    // "November instead of December": the new days say it all.
    if let Some((new, old_days)) = said.split_once(" instead of ") {
        let is_time = |words: &str| {
            let within = format!("in {words}");
            [words, within.as_str()].iter().any(|words| {
                let found = dates::find(words, today);
                let whole = |time: &dates::TimeMention| time.phrase == (0..words.len());
                found.iter().any(|time| whole(time) && time.meaning.is_ok())
            })
        };
        if is_time(new) && is_time(old_days) {
            return correction(new, old, today);
        }
    }
    let all = tokens(said);
    let numbers = all.iter().all(|token| token.number().is_some());
    if numbers && old.is_some_and(|old| old.limit.is_some()) {
        return format!("limit to {said}");
    }
    if dates::find(said, today).is_empty() {
        let within = format!("in {said}");
        let found = dates::find(&within, today);
        if found
            .iter()
            .any(|time| time.phrase == (0..within.len()) && time.meaning.is_ok())
        {
            return within;
        }
        let verb = matches!(all.as_slice(), [only] if only.is(&[
            "arrived", "departed", "left", "delivered", "sailed", "arriving", "departing", "planned", "due",
        ]));
        if let Some(range) = old.and_then(|old| old.time_range.as_ref()).filter(|_| verb) {
            return format!("{said} between {} and {}", range.start, range.end);
        }
    }
    said.to_owned()
}

/// "Group that by carrier" keeps what was computed; a count that the words do not ask for is only
/// what a new query would have.
fn without_default_count(request: &mut Request) {
    if request.aggregation_keywords.is_empty() {
        request.measures.retain(|measure| measure.term.is_some());
    }
}

/// Whether the records are to be seen that were counted: "show them", "which of them were late?".
fn lists(all: &[Token]) -> bool {
    let has = |words: &[&str]| all.iter().any(|token| token.is(words));
    let first = all.iter().position(|token| {
        !token.is(&[
            "and", "ok", "okay", "now", "please", "so", "can", "could", "you",
        ])
    });
    let verb = first
        .is_some_and(|at| all[at].is(&["show", "list", "display", "see", "give", "which", "who"]));
    let ones = first.is_some_and(|at| {
        all[at].is(&["which", "what"]) && all.get(at + 1).is_some_and(|next| next.is(&["ones"]))
    });
    verb && has(&["them", "those", "these", "they"]) || ones
}

/// Whether some of the records are to be seen that were counted: "show the first 10", "list 5".
fn shows_first(words: &[&Token], request: &Request) -> bool {
    const BEFORE: &[&str] = &[
        "and", "ok", "okay", "now", "please", "so", "can", "could", "you",
    ];
    let mut said = words.iter().filter(|word| !word.is(BEFORE));
    let verb = said.next();
    let shows = verb.is_some_and(|verb| verb.is(&["show", "list", "display", "see", "give"]));
    shows && request.limit.is_some() && request.sort.is_empty()
}

/// Whether the message begins with "or": it says the alternative of what was asked. The word is
/// read.
fn alternative(request: &mut Request, all: &[Token]) -> bool {
    const BEFORE: &[&str] = &["and", "ok", "okay", "please", "now", "so", "then", "hmm"];
    let mut words = all.iter().filter(|token| token.is_word());
    let Some(or) = words
        .find(|token| !token.is(BEFORE))
        .filter(|word| word.is(&["or"]))
    else {
        return false;
    };
    let first = |operator: &Operator| operator.span.start == or.start;
    request.operators.retain(|operator| !first(operator));
    true
}

/// Whether values join the old ones: "also the cancelled ones", "include cancelled".
fn widens(all: &[Token]) -> bool {
    let has = |words: &[&str]| all.iter().any(|token| token.is(words));
    has(&[
        "also",
        "too",
        "include",
        "including",
        "additionally",
        "plus",
        "add",
    ]) && !has(&["filter", "only", "just", "instead", "exclude", "without"])
        || all
            .windows(2)
            .any(|pair| pair[0].is(&["as"]) && pair[1].is(&["well"]))
}

impl EditRequest {
    /// Whether nothing is to be changed: the words were not understood.
    pub fn is_empty(&self) -> bool {
        let request = &self.request;
        self.removals.is_empty()
            && request.terms.is_empty()
            && request.time_range.is_none()
            && request.measures.is_empty()
            && request.group_by.is_empty()
            && request.sort.is_empty()
            && request.limit.is_none()
            && request.entity_hints.is_empty()
            && !request.leftover.iter().any(|left| left.name_like)
            && !self.compares
            && self.ranks.is_none()
    }

    /// Whether a term of the change needs this.
    fn wants(&self, role: TermRole) -> bool {
        self.request.terms.iter().any(|term| term.role == role)
    }
}
