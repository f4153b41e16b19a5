//! Which field a name in a change belongs to: the one that the old query compares with things of
//! its kind, unless the change says another.

use std::ops::Range;

use contracts::tools::search::{FieldDescription, FilterOp, IndexDescription, QueryStructure};

use crate::language::text::{Token, fold, tokens};

/// Words before a name that say where something goes or comes from.
const DIRECTIONS: &[&str] = &[
    "from",
    "to",
    "into",
    "toward",
    "towards",
    "out",
    "leaving",
    "left",
    "departing",
    "departed",
    "departs",
    "depart",
    "arriving",
    "arrived",
    "arrives",
    "arrive",
    "bound",
    "inbound",
    "outbound",
    "loaded",
    "unloaded",
    "discharged",
    "exported",
    "imported",
    "sailing",
    "sailed",
    "sent",
];
/// Words behind it that do.
const BEHIND: &[&str] = &["bound", "inbound", "outbound", "origin", "destination"];
/// Of "change it to Shanghai" the "to" says nothing of the kind.
const CHANGES: &[&str] = &[
    "change", "switch", "swap", "replace", "set", "make", "update",
];
/// Number of words before a name that belong to it.
const BEFORE: usize = 5;

/// The field of `index` that `mention`, a thing of this type in the change `text`, is compared
/// with: that of the old query. `None` where the old query has none or several for such things, or
/// where the words are for `field_mapping` to read.
pub fn kept_field<'i>(
    text: &str,
    mention: &str,
    entity_type: &str,
    old: &QueryStructure,
    index: &'i IndexDescription,
) -> Option<&'i str> {
    let of_type: Vec<&FieldDescription> = index
        .fields
        .iter()
        .filter(|field| {
            let known = field.entity_type.as_deref();
            known.is_some_and(|known| known.eq_ignore_ascii_case(entity_type))
        })
        .collect();
    let words: Vec<Token> = tokens(text);
    let place = place(&words, mention)?;
    let at = place.start;
    let before = &words[at.saturating_sub(BEFORE)..at];
    let changes = words[..at].iter().position(|word| word.is(CHANGES));

    // "Change the origin to Shanghai".
    let said = said(&words[..at], &of_type, entity_type);
    match (changes, said.as_slice()) {
        (Some(_), [only]) => return Some(only),
        (_, []) => {}
        _ => return None,
    }
    let last = before.len().saturating_sub(1);
    let directed = before.iter().enumerate().any(|(place, word)| {
        let only_changes = changes.is_some() && place == last && word.is(&["to", "into"]);
        word.is(DIRECTIONS) && !only_changes
    });
    let behind = words.get(place.end);
    let behind = behind
        .filter(|word| !word.glued)
        .or_else(|| words.get(place.end + 1));
    if directed || behind.is_some_and(|word| word.is(BEHIND)) {
        return None;
    }
    let mut compared = old.filters.iter().filter_map(|filter| {
        if !matches!(filter.op, FilterOp::Is | FilterOp::IsNot) {
            return None;
        }
        let mut fields = of_type.iter();
        fields.find(|field| is(field, &filter.field))
    });
    let first = compared.next()?;
    compared
        .all(|other| other.name == first.name)
        .then_some(first.name.as_str())
}

/// Whether the change `text` puts something in the place of `mention`: "replace Miami with
/// Shanghai", "Shanghai instead of Miami".
pub fn is_replaced(text: &str, mention: &str) -> bool {
    let words = tokens(text);
    let Some(place) = place(&words, mention) else {
        return false;
    };
    let before: Vec<&Token> = words[..place.start]
        .iter()
        .rev()
        .skip_while(|word| word.is(&["the", "port", "vessel", "from"]))
        .take(2)
        .collect();
    match before.as_slice() {
        [word, ..] if word.is(&["replace", "swap", "change", "switch"]) => true,
        [of, instead] => {
            of.is(&["of"]) && instead.is(&["instead"])
                || of.is(&["than"]) && instead.is(&["rather"])
        }
        _ => false,
    }
}

/// The position of words among others.
fn place(words: &[Token], wanted: &str) -> Option<Range<usize>> {
    let wanted: Vec<String> = tokens(wanted).into_iter().map(|token| token.text).collect();
    let at = words
        .windows(wanted.len().max(1))
        .position(|part| part.iter().map(|token| &token.text).eq(&wanted))?;
    Some(at..at + wanted.len())
}

fn is(field: &FieldDescription, name: &str) -> bool {
    field.name == name || field.exact_field.as_deref() == Some(name)
}

/// The fields that words name by more than the kind of thing and a preposition; of a thing's id and
/// its name the first.
fn said<'i>(words: &[Token], fields: &[&'i FieldDescription], entity_type: &str) -> Vec<&'i str> {
    let mut said: Vec<(&str, &'i str)> = Vec::new();
    for field in fields {
        let stem = field.name.trim_end_matches("_id");
        let stem = stem.trim_end_matches("_name");
        let phrases = field.synonyms.iter().map(String::as_str).chain([stem]);
        let named = phrases
            .map(|phrase| fold(&phrase.replace(['_', '.'], " ")))
            .filter(|phrase| phrase != entity_type && !DIRECTIONS.contains(&phrase.as_str()))
            .any(|phrase| {
                let phrase: Vec<String> = tokens(&phrase)
                    .into_iter()
                    .map(|token| token.text)
                    .collect();
                words
                    .windows(phrase.len().max(1))
                    .any(|part| part.iter().map(|token| &token.text).eq(&phrase))
            });
        if named && !said.iter().any(|(known, _)| *known == stem) {
            said.push((stem, field.name.as_str()));
        }
    }
    said.into_iter().map(|(_, field)| field).collect()
}

#[cfg(test)]
mod tests {
    use contracts::tools::search::Filter;
    use serde_json::json;

    use super::*;
    use crate::language::fixture::shipping;

    fn filtered(fields: &[&str]) -> QueryStructure {
        let filters = fields.iter().map(|field| Filter {
            field: (*field).into(),
            op: FilterOp::Is,
            values: vec![json!("USMIA")],
            label: None,
            or: Vec::new(),
        });
        QueryStructure {
            index: "shipments".into(),
            filters: filters.collect(),
            ..QueryStructure::default()
        }
    }

    fn kept(text: &str, fields: &[&str]) -> Option<String> {
        let sources = shipping();
        let index = &sources.sources[0].indices[0];
        kept_field(text, "Shanghai", "port", &filtered(fields), index).map(str::to_owned)
    }

    #[test]
    fn a_name_takes_the_place_of_another() {
        for field in ["origin_port_id", "destination_port_id", "destination_port"] {
            for text in [
                "for Shanghai instead",
                "Shanghai instead",
                "now the same for the port Shanghai",
                "what about Shanghai?",
                "change it to Shanghai",
                "switch to Shanghai",
                "also Shanghai",
            ] {
                assert_eq!(
                    kept(text, &[field, "status"]).as_deref(),
                    Some(field),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn what_the_words_say_goes_before() {
        for text in [
            "only from Shanghai",
            "to Shanghai instead",
            "those arriving in Shanghai",
            "with origin Shanghai",
            "only Shanghai-bound ones",
            "nothing of it",
        ] {
            assert_eq!(kept(text, &["destination_port_id"]), None, "{text}");
        }
        for (text, field) in [
            ("change the origin to Shanghai", "origin_port"),
            ("set the destination to Shanghai", "destination_port"),
        ] {
            let kept = kept(text, &["destination_port_id"]);
            assert_eq!(kept.as_deref(), Some(field), "{text}");
        }
    }

    #[test]
    fn what_is_replaced_is_told_from_what_replaces_it() {
        for text in [
            "replace Miami with Shanghai",
            "change the port Miami to Shanghai",
            "switch from Miami to Shanghai",
            "for Shanghai instead of Miami",
            "Shanghai rather than Miami",
        ] {
            assert!(is_replaced(text, "Miami"), "{text}");
            assert!(!is_replaced(text, "Shanghai"), "{text}");
        }
        for text in [
            "change it to Miami",
            "also Miami",
            "Miami instead",
            "only from Miami",
            "x",
        ] {
            assert!(!is_replaced(text, "Miami"), "{text}");
        }
    }

    #[test]
    fn without_one_field_of_the_kind_nothing_is_kept() {
        assert_eq!(kept("for Shanghai instead", &["vessel_id"]), None);
        let both = ["origin_port_id", "destination_port_id"];
        assert_eq!(kept("for Shanghai instead", &both), None);
    }
}
