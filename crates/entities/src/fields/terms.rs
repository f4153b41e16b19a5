//! Maps a term to a field.

use contracts::tools::meanings::{FieldTerm, MappedField, TermRole, UnmappedTerm};
use contracts::tools::search::{FieldDescription, FieldType, FilterOp};
use serde_json::Value;

use super::lexicon::{FieldWords, content_stems};
use super::{Request, Unclear, dates, values};

/// From this score on, the field consists of exactly these words.
const EXACT: f64 = 0.985;

pub(super) fn map(request: &Request<'_>, term: &FieldTerm) -> Result<MappedField, Unclear> {
    if values::is_value_alone(term) {
        return values::map(request, term);
    }
    if is_about_time(term)
        && let Ok(field) = dates::map(request, &term.text)
        && let Some(known) = request.lexicon.get(&field)
    {
        return Ok(mapped(term, known, 1.0));
    }
    let fitting: Vec<&FieldWords<'_>> = request
        .lexicon
        .iter()
        .filter(|known| fits(term, known.field))
        .collect();
    if let Some(known) = request.answered(&term.text, &fitting) {
        return Ok(mapped(term, known, 1.0));
    }
    let words = content_stems(&term.text);
    let mut scored: Vec<(f64, &FieldWords<'_>)> = fitting
        .iter()
        .map(|known| (known.score(&words), *known))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    // The order of the index breaks ties, because the sort is stable.
    scored.sort_by(|one, another| another.0.total_cmp(&one.0));
    let scored = without_twins(scored, wants_id(&words));
    let Some(&(best, known)) = scored
        .first()
        .filter(|(score, _)| *score >= request.thresholds.accept)
    else {
        return Err(unmapped(
            request,
            term,
            scored.iter().map(|(_, known)| *known),
        ));
    };
    let least = if best >= EXACT {
        EXACT
    } else {
        best - request.thresholds.margin + 1e-9
    };
    let mut contenders: Vec<&FieldWords<'_>> = scored
        .iter()
        .filter(|(score, _)| *score >= least)
        .map(|(_, known)| *known)
        .collect();
    // "The longest delay" is the greatest of some numbers, not of Boolean values.
    let orders = |known: &&FieldWords<'_>| {
        let kind = known.field.field_type;
        kind.is_number() || kind == FieldType::Date
    };
    if term.role == TermRole::Sort && contenders.iter().any(orders) {
        contenders.retain(orders);
    }
    // "Delay" is the field that is called just so, before one that is called "delayed".
    let said = term.text.trim().to_lowercase();
    let just_so = |known: &&FieldWords<'_>| {
        let name = known.field.name.replace(['_', '.'], " ").to_lowercase();
        name == said
            || known
                .field
                .synonyms
                .iter()
                .any(|own| own.to_lowercase() == said)
    };
    if contenders.iter().filter(|known| just_so(known)).count() == 1 {
        contenders.retain(just_so);
    }
    let known = contenders.first().copied().unwrap_or(known);
    if contenders.len() == 1 || request.arguments.best_guess {
        return Ok(mapped(term, known, best));
    }
    if let Some(usual) = usual_date(request, &contenders) {
        return Ok(mapped(term, usual, best));
    }
    Err(request.ask(&term.text, contenders.iter().map(|known| known.field)))
}

/// Whether the type of a field fits its use.
fn fits(term: &FieldTerm, field: &FieldDescription) -> bool {
    use FieldType as T;
    let whole = field.field_type != T::Text || field.exact_field.is_some();
    // A date term never means a text: `arrival date` is not `arrival_port`.
    if says_date(&term.text) && field.field_type != T::Date {
        return false;
    }
    match term.role {
        TermRole::Select => true,
        TermRole::Measure => field.field_type.is_number(),
        TermRole::GroupBy => {
            whole
                && (matches!(
                    field.field_type,
                    T::Keyword | T::Text | T::Date | T::Boolean
                ) || field.field_type == T::Long && is_number_of_a_thing(field))
        }
        TermRole::Sort => whole,
        TermRole::Filter => match term.op {
            Some(FilterOp::Exists | FilterOp::Missing) => true,
            Some(FilterOp::Gt | FilterOp::Gte | FilterOp::Lt | FilterOp::Lte) => {
                field.field_type.is_number() || field.field_type == T::Date
            }
            Some(FilterOp::Matches) => matches!(field.field_type, T::Keyword | T::Text),
            Some(FilterOp::Is | FilterOp::IsNot) | None => {
                holds(field.field_type, term.value.as_ref())
            }
        },
    }
}

/// Whether a number says which thing it is, and not how much.
fn is_number_of_a_thing(field: &FieldDescription) -> bool {
    field.entity_type.is_some() || field.name == "id" || field.name.ends_with("_id")
}

/// Whether a field of this type can hold the value.
fn holds(field_type: FieldType, value: Option<&Value>) -> bool {
    use FieldType as T;
    match value {
        Some(Value::Number(_)) => field_type.is_number(),
        Some(Value::Bool(_)) => field_type == T::Boolean,
        Some(Value::String(text)) => match field_type {
            T::Keyword | T::Text => true,
            T::Date => text.starts_with(|c: char| c.is_ascii_digit()),
            T::Long | T::Double => text.trim().parse::<f64>().is_ok(),
            T::Boolean => matches!(
                text.to_lowercase().as_str(),
                "true" | "false" | "yes" | "no"
            ),
        },
        Some(Value::Array(values)) => values.iter().all(|value| holds(field_type, Some(value))),
        Some(Value::Null | Value::Object(_)) | None => true,
    }
}

/// Of the id and the name of one thing, keeps the name; the id if the words ask for it.
fn without_twins<'k, 'a>(
    scored: Vec<(f64, &'k FieldWords<'a>)>,
    wants_id: bool,
) -> Vec<(f64, &'k FieldWords<'a>)> {
    let mut kept: Vec<(f64, &FieldWords<'_>)> = Vec::new();
    for (score, known) in scored {
        match kept
            .iter_mut()
            .find(|(_, before)| known.field.entity_type.is_some() && before.is_twin(known))
        {
            Some(before) if before.1.is_id() && !known.is_id() && !wants_id => before.1 = known,
            Some(_) => {}
            None => kept.push((score, known)),
        }
    }
    kept
}

fn wants_id(words: &[String]) -> bool {
    words
        .iter()
        .any(|word| matches!(word.as_str(), "id" | "cod" | "number" | "key"))
}

/// Of dates that fit equally well, the default date of the index, or the actual rather than the
/// planned one.
fn usual_date<'k, 'a>(
    request: &Request<'_>,
    contenders: &[&'k FieldWords<'a>],
) -> Option<&'k FieldWords<'a>> {
    if contenders
        .iter()
        .any(|known| known.field.field_type != FieldType::Date)
    {
        return None;
    }
    let usual = contenders
        .iter()
        .find(|known| Some(&known.field.name) == request.index.date_field.as_ref());
    usual.copied().or_else(|| {
        let mut happened = contenders.iter().filter(|known| !dates::is_planned(known));
        let first = happened.next()?;
        happened.next().is_none().then_some(*first)
    })
}

/// Whether the words of a term name a date.
fn says_date(text: &str) -> bool {
    content_stems(text)
        .iter()
        .any(|word| matches!(word.as_str(), "dat" | "when"))
}

/// Whether a term is about time only: `by month`, `newest first`.
fn is_about_time(term: &FieldTerm) -> bool {
    let time = |word: &String| {
        matches!(
            word.as_str(),
            "dat"
                | "day"
                | "daily"
                | "week"
                | "weekly"
                | "month"
                | "monthly"
                | "quarter"
                | "quarterly"
                | "year"
                | "yearly"
                | "hour"
                | "tim"
                | "newest"
                | "latest"
                | "recent"
                | "oldest"
                | "earliest"
                | "most"
                | "first"
                | "last"
        )
    };
    let words = content_stems(&term.text);
    matches!(term.role, TermRole::GroupBy | TermRole::Sort)
        && !words.is_empty()
        && words.iter().all(time)
}

/// The field with the value to compare it with.
fn mapped(term: &FieldTerm, known: &FieldWords<'_>, score: f64) -> MappedField {
    let filter = term.role == TermRole::Filter;
    let values = match (&term.value, filter) {
        (Some(Value::Array(values)), true) => values.clone(),
        (Some(value), true) => vec![value.clone()],
        _ => Vec::new(),
    };
    let whole = filter || matches!(term.role, TermRole::GroupBy | TermRole::Sort);
    let op = filter.then(|| {
        term.op.unwrap_or(if values.is_empty() {
            FilterOp::Exists
        } else {
            FilterOp::Is
        })
    });
    let (field, op) = compared(known.field, whole && op != Some(FilterOp::Matches), op);
    MappedField {
        term: term.text.clone(),
        role: term.role,
        field,
        field_type: known.field.field_type,
        score: (score * 1e4).round() / 1e4,
        op,
        values: values
            .into_iter()
            .map(|value| values::as_the_field_has_it(known.field, value))
            .collect(),
    }
}

/// The name of the field that is compared as a whole. A text without one is searched by its words.
fn compared(
    field: &FieldDescription,
    whole: bool,
    op: Option<FilterOp>,
) -> (String, Option<FilterOp>) {
    if field.field_type != FieldType::Text || !whole {
        return (field.name.clone(), op);
    }
    match (&field.exact_field, op) {
        (Some(exact), op) => (exact.clone(), op),
        (None, Some(FilterOp::Is)) => (field.name.clone(), Some(FilterOp::Matches)),
        (None, op) => (field.name.clone(), op),
    }
}

/// A term without a field, with the nearest fields.
pub(super) fn unmapped<'k, 'a: 'k>(
    request: &Request<'_>,
    term: &FieldTerm,
    nearest: impl Iterator<Item = &'k FieldWords<'a>>,
) -> Unclear {
    let names = nearest.map(|known| known.field.name.clone());
    Unclear::Unknown(UnmappedTerm {
        term: term.text.clone(),
        role: term.role,
        nearest: names.take(request.thresholds.options).collect(),
    })
}
