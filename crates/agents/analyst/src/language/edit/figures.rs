//! A bare quantity in a change: "no, weight", "sorry, the value" take the place of the figure, or
//! of the order, of the old query; a bare name that of a value of it.

use chrono::Datelike;
use contracts::tools::meanings::{FieldTerm, TermRole};
use contracts::tools::search::{
    FieldDescription, FieldType, FilterOp, IndexDescription, MeasureOp, QueryStructure,
};
use serde_json::Value;

use crate::language::dates::{OPEN_END, OPEN_START};
use crate::language::request::{MeasureTerm, Request, SortKey, SortTerm};
use crate::language::text::Token;

/// Units whose values mean nothing together.
const APART: [&str; 12] = [
    "h", "hour", "hours", "min", "minutes", "d", "days", "°c", "c", "%", "pct", "percent",
];
/// Maximum number of words around a bare quantity.
const WORDS: usize = 4;

/// Returns a figure or an order of the one number field that a change names and nothing else.
pub(super) fn replaced(
    request: &mut Request,
    old: &QueryStructure,
    index: &IndexDescription,
    all: &[Token],
) {
    const SHOWN: [&str; 15] = [
        "with", "include", "add", "also", "show", "column", "plus", "what", "is", "its", "their",
        "who", "which", "of", "whose",
    ];
    let words = all.iter().filter(|token| token.is_word()).count();
    let shown = all.iter().any(|token| token.is(&SHOWN));
    let other = !request.measures.is_empty()
        || !request.group_by.is_empty()
        || !request.sort.is_empty()
        || request.limit.is_some();
    let [term] = request.terms.as_mut_slice() else {
        return;
    };
    if term.role != TermRole::Select || other || shown || words > WORDS {
        return;
    }
    let Some(field) = number(index, &term.text.to_lowercase()) else {
        return;
    };
    if old.measures.is_empty() {
        let by = old.sort.first().filter(|sort| {
            let mut fields = index.fields.iter();
            fields.any(|field| field.name == sort.by && field.field_type.is_number())
        });
        let Some(sort) = by else { return };
        term.role = TermRole::Sort;
        let by = SortKey::Term(term.text.clone());
        let descending = sort.descending;
        request.sort.push(SortTerm { by, descending });
        return;
    }
    let op = figure_of(field, old);
    term.role = TermRole::Measure;
    let term = Some(term.text.clone());
    request.measures.push(MeasureTerm { op, term });
}

/// The figure of a number field in the place of the figure of the old query.
fn figure_of(field: &FieldDescription, old: &QueryStructure) -> MeasureOp {
    let unit = field.unit.as_deref().map(str::to_lowercase);
    let apart = unit.is_some_and(|unit| APART.contains(&unit.as_str()));
    let before = old.measures.iter().find(|measure| measure.field.is_some());
    match before.map(|measure| measure.op) {
        Some(MeasureOp::Sum | MeasureOp::Distinct) | None if apart => MeasureOp::Average,
        Some(MeasureOp::Distinct) | None => MeasureOp::Sum,
        Some(op) => op,
    }
}

/// "And by weight?" of groups: by their figure, because a quantity makes no groups.
pub(super) fn grouped_by_number(
    request: &mut Request,
    old: &QueryStructure,
    index: &IndexDescription,
) {
    let ([group], true) = (request.group_by.as_slice(), request.measures.is_empty()) else {
        return;
    };
    let Some(said) = group.term.clone().filter(|_| group.interval.is_none()) else {
        return;
    };
    let field = number(index, &said.to_lowercase());
    let Some(field) = field.filter(|_| !old.group_by.is_empty()) else {
        return;
    };
    let op = figure_of(field, old);
    request.group_by.clear();
    for term in &mut request.terms {
        if term.role == TermRole::GroupBy && term.text == said {
            term.role = TermRole::Measure;
        }
    }
    let term = Some(said);
    request.measures.push(MeasureTerm { op, term });
}

/// "And the maximum?": the same quantity, computed in another way.
pub(super) fn another_operator(request: &mut Request, old: &QueryStructure, all: &[Token]) {
    const AROUND: &[&str] = &[
        "and", "the", "what", "about", "is", "was", "now", "please", "instead", "rather", "how",
    ];
    let words: Vec<&Token> = all
        .iter()
        .filter(|token| token.is_word() && !token.is(AROUND))
        .collect();
    let ([word], true) = (words.as_slice(), request.measures.is_empty()) else {
        return;
    };
    let op = match word.text.as_str() {
        "average" | "mean" => MeasureOp::Average,
        "total" | "sum" => MeasureOp::Sum,
        "maximum" | "max" | "highest" | "longest" | "largest" => MeasureOp::Maximum,
        "minimum" | "min" | "lowest" | "shortest" | "smallest" => MeasureOp::Minimum,
        _ => return,
    };
    let (true, Some(field)) = (
        old.group_by.is_empty() && request.sort.is_empty(),
        old.measures
            .iter()
            .find_map(|measure| measure.field.clone()),
    ) else {
        return;
    };
    let text = field.replace(['_', '.'], " ");
    request.terms.push(FieldTerm {
        text: text.clone(),
        role: TermRole::Measure,
        op: None,
        value: None,
    });
    let term = Some(text);
    request.measures.push(MeasureTerm { op, term });
    let said = word.text.clone();
    request
        .leftover
        .retain(|left| !left.words.eq_ignore_ascii_case(&said));
    request.operators.clear();
}

/// "And after 2015?" of vessels by the year they were built: a year is compared with the number
/// that the old query compares with one, where the records have no date of their own or the field
/// is a year.
pub(super) fn years(request: &mut Request, old: &QueryStructure, index: &IndexDescription) {
    let Some(range) = request.time_range.clone() else {
        return;
    };
    let is_year = |value: &Value| {
        let year = value.as_f64();
        year.is_some_and(|year| (1800.0..=2200.0).contains(&year))
    };
    let dated = index
        .fields
        .iter()
        .any(|field| field.field_type == FieldType::Date);
    let field = old.filters.iter().rev().find_map(|filter| {
        let mut fields = index.fields.iter();
        let field = fields.find(|field| field.name == filter.field)?;
        let said = std::iter::once(&field.name).chain(&field.synonyms);
        let named = said.clone().any(|name| name.contains("year"));
        let years = !filter.values.is_empty() && filter.values.iter().all(is_year);
        (field.field_type.is_number() && years && (named || !dated)).then_some(field)
    });
    let whole = (range.start <= OPEN_START || range.start.ordinal() == 1)
        && (range.end >= OPEN_END || (range.end.month(), range.end.day()) == (12, 31));
    let Some(field) = field.filter(|_| whole) else {
        return;
    };
    let said = range.kind.unwrap_or_default().to_lowercase();
    let mut bounds: Vec<(FilterOp, i32)> = Vec::new();
    if range.start.year() == range.end.year() {
        bounds.push((FilterOp::Is, range.start.year()));
    } else {
        if range.start > OPEN_START {
            let after = said.contains("after");
            let bound = (FilterOp::Gte, range.start.year());
            let strict = (FilterOp::Gt, range.start.year() - 1);
            bounds.push(if after { strict } else { bound });
        }
        if range.end < OPEN_END {
            let before = said.contains("before");
            let bound = (FilterOp::Lte, range.end.year());
            let strict = (FilterOp::Lt, range.end.year() + 1);
            bounds.push(if before { strict } else { bound });
        }
    }
    request.time_range = None;
    request.time_words = None;
    for (op, year) in bounds {
        request.terms.push(FieldTerm {
            text: field.name.replace(['_', '.'], " "),
            role: TermRole::Filter,
            op: Some(op),
            value: Some(Value::from(year)),
        });
    }
}

/// The field of the old query whose values no description lists: a flag, a code.
pub fn free_field<'i>(old: &QueryStructure, index: &'i IndexDescription) -> Option<&'i str> {
    let groups = old.group_by.iter().map(|group| &group.field);
    let filters = old
        .filters
        .iter()
        .filter(|filter| matches!(filter.op, FilterOp::Is | FilterOp::IsNot));
    let mut named = groups.chain(filters.map(|filter| &filter.field));
    named.find_map(|name| {
        let free = |field: &&FieldDescription| {
            field.name == *name
                && field.field_type == FieldType::Keyword
                && field.entity_type.is_none()
                && field.values.is_empty()
                && index.id_field.as_ref() != Some(name)
        };
        index
            .fields
            .iter()
            .find(free)
            .map(|field| field.name.as_str())
    })
}

/// A name that nothing was made of is a value of that field: "only Panama", of vessels by flag.
pub(super) fn free_value(
    request: &mut Request,
    old: &QueryStructure,
    index: &IndexDescription,
    all: &[Token],
) {
    const PLACES: [&str; 8] = ["in", "to", "from", "at", "via", "near", "into", "through"];
    let Some(field) = free_field(old, index) else {
        return;
    };
    let other = !request.terms.is_empty()
        || !request.measures.is_empty()
        || !request.group_by.is_empty()
        || request.time_range.is_some();
    let [left] = request.leftover.as_slice() else {
        return;
    };
    if other || !left.name_like {
        return;
    }
    let before = all.iter().rev().find(|token| token.end <= left.span.start);
    let directed = before.is_some_and(|token| token.is(&PLACES));
    request.terms.push(FieldTerm {
        text: field.replace(['_', '.'], " "),
        role: TermRole::Filter,
        op: Some(FilterOp::Is),
        value: Some(Value::String(left.words.clone())),
    });
    // It is not a place, unless the words say so: "only in Panama".
    let places = old.filters.iter().any(|filter| filter.label.is_some());
    if !places && !directed {
        request.told.push(left.span.clone());
    }
    request.leftover.clear();
}

/// The number field that is called so.
fn number<'i>(index: &'i IndexDescription, said: &str) -> Option<&'i FieldDescription> {
    let called = |field: &&FieldDescription| {
        let own = field.name.replace(['_', '.'], " ").to_lowercase();
        let by_word = own == said || own.starts_with(&format!("{said} "));
        let mut synonyms = field.synonyms.iter();
        let number = matches!(field.field_type, FieldType::Long | FieldType::Double);
        number && (by_word || synonyms.any(|word| word.to_lowercase() == said))
    };
    index.fields.iter().find(called)
}
