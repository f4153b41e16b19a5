//! Small things of sentences.

use contracts::tools::search::{Filter, Total, TotalRelation};

/// The longest text that the tools take, in bytes.
const LONGEST: usize = 16_384;

/// A text that the tools take.
pub(crate) fn within(text: &str) -> String {
    let end = (0..=LONGEST.min(text.len())).rfind(|at| text.is_char_boundary(*at));
    text[..end.unwrap_or_default()].to_owned()
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(items: impl IntoIterator<Item = String>) -> String {
    joined(items, "and")
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn either(items: impl IntoIterator<Item = String>) -> String {
    joined(items, "or")
}

fn joined(items: impl IntoIterator<Item = String>, word: &str) -> String {
    let items: Vec<String> = items.into_iter().collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} {word} {last}", before.join(", ")),
    }
}

/// `delay_hours` as people say it.
pub(crate) fn label(name: &str) -> String {
    quantity(&name.replace(['_', '.'], " "))
}

/// The name of a quantity without its unit, which its values have: `delay` of `delay hours`.
pub(crate) fn quantity(label: &str) -> String {
    const UNITS: [&str; 16] = [
        "kg", "usd", "eur", "gbp", "h", "hours", "hrs", "minutes", "c", "pct", "percent", "ft",
        "km", "teu", "kwh", "kw",
    ];
    match label.rsplit_once(' ') {
        Some((name, unit)) if UNITS.contains(&&*unit.to_lowercase()) => name.to_owned(),
        _ => label.to_owned(),
    }
}

/// The quantity of a condition, as people say it: a comparison by id is called by the thing's name.
pub(crate) fn compared(filter: &Filter) -> String {
    let label = label(&filter.field);
    match (&filter.label, label.strip_suffix(" id")) {
        (Some(_), Some(thing)) => thing.to_owned(),
        _ => label,
    }
}

/// Words that are written in capitals.
const ABBREVIATIONS: [&str; 8] = ["eta", "etd", "id", "imo", "iso", "mmsi", "teu", "utc"];

/// A column's label as it is before its value: with a capital, abbreviations in their letters, and
/// without the unit that the value has.
pub(crate) fn heading(label: &str, unit: Option<&str>) -> String {
    let mut words: Vec<&str> = label.split_whitespace().collect();
    if words.len() > 1
        && unit.is_some_and(|unit| {
            words
                .last()
                .is_some_and(|last| last.eq_ignore_ascii_case(unit))
        })
    {
        words.pop();
    }
    let written: Vec<String> = words
        .into_iter()
        .map(|word| {
            if ABBREVIATIONS.contains(&&*word.to_lowercase()) {
                word.to_uppercase()
            } else {
                word.to_owned()
            }
        })
        .collect();
    capital(&written.join(" "))
}

/// With a capital.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

/// `1,234` of a whole number.
pub(crate) fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The number, and whether it may be more.
pub(crate) fn total(total: Total) -> String {
    match total.relation {
        TotalRelation::Eq => whole(total.value),
        TotalRelation::Gte => format!("at least {}", whole(total.value)),
    }
}

/// `142 shipments`, with a word that has a singular and a plural.
pub(crate) fn counted(number: Total, singular: &str, plural: &str) -> String {
    let noun = if number.value == 1 && number.relation == TotalRelation::Eq {
        singular
    } else {
        plural
    };
    format!("{} {noun}", total(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_keep_abbreviations_and_say_the_unit_once() {
        assert_eq!(heading("imo", None), "IMO");
        assert_eq!(heading("capacity teu", Some("TEU")), "Capacity");
        assert_eq!(heading("vessel id", None), "Vessel ID");
        assert_eq!(heading("delay hours", Some("h")), "Delay hours");
    }

    #[test]
    fn numbers_and_lists_read_well() {
        assert_eq!(whole(1_234_567), "1,234,567");
        assert_eq!(whole(142), "142");
        let some = |count: usize| (0..count).map(|at| at.to_string());
        assert_eq!(
            (list(some(1)), list(some(2)), either(some(3))),
            ("0".into(), "0 and 1".into(), "0, 1 or 2".into())
        );
        let one = Total {
            value: 1,
            relation: TotalRelation::Eq,
        };
        assert_eq!(counted(one, "shipment", "shipments"), "1 shipment");
        let more = Total {
            value: 10_000,
            relation: TotalRelation::Gte,
        };
        assert_eq!(
            counted(more, "shipment", "shipments"),
            "at least 10,000 shipments"
        );
    }
}
