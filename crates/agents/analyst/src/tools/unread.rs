//! Words of a request that its query does not have. Beside records the answer names them; a figure
//! without them is the answer to another question, and is refused.

use contracts::tools::{
    meanings::{FieldMapping, TermRole},
    search::{FieldDescription, FieldType, IndexDescription, QueryStructure, SourceDescription},
};

use crate::words;

/// Maximum number of conditions that a refusal offers.
const OFFERED: usize = 5;
/// Maximum number of values of a field that it names.
const VALUES: usize = 4;

/// The parts of a request that its query leaves out.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Remarks that hold whatever is left out.
    pub(super) notes: Vec<String>,
    /// Words that nothing was made of, in quotes.
    pub(super) words: Vec<String>,
    /// "Or" is among them.
    pub(super) either: bool,
}

impl Left {
    /// The notes for the person.
    pub(super) fn told(self) -> Vec<String> {
        let mut notes = self.notes;
        if !self.words.is_empty() {
            let all = if self.either {
                " What I found meets all the conditions at once."
            } else {
                ""
            };
            notes.push(format!("I did not use: {}.{all}", self.words.join(", ")));
        }
        notes
    }
}

/// Why a figure is not computed: words of the question would have no part in it.
pub(super) fn refusal(
    structure: &QueryStructure,
    left: &Left,
    mapping: &FieldMapping,
    (source, index): (&SourceDescription, &IndexDescription),
    (text, time_words): (&str, Option<&str>),
) -> Option<String> {
    if structure.measures.is_empty() {
        return None;
    }
    let (singular, plural) = crate::summary::nouns(Some(index), &index.name);
    let others = source
        .indices
        .iter()
        .filter(|other| other.name != index.name);
    let is_other = |word: &str| {
        let mut nouns = others.clone().flat_map(|other| {
            let (one, many) = crate::summary::nouns(Some(other), &other.name);
            other.nouns.iter().cloned().chain([one, many])
        });
        nouns.any(|noun| noun.eq_ignore_ascii_case(word))
    };
    let mut unmapped = mapping.unmapped.iter();
    let unmapped = unmapped.find(|term| {
        let is_part = matches!(term.role, TermRole::Filter | TermRole::GroupBy);
        is_part && Some(term.term.as_str()) != time_words
    });
    if let Some(term) = unmapped {
        if term.role == TermRole::Filter && is_other(&term.term) {
            return Some(format!(
                "I cannot choose {plural} by a number of {0}: they are other records. Ask for the number of {0} by {singular} instead.",
                term.term
            ));
        }
        let nearest = term.nearest.iter().take(3).map(|field| words::label(field));
        let meant = words::either(nearest);
        let instead = match (meant.is_empty(), term.role) {
            (false, _) => format!(" Did you mean {meant}?"),
            (true, TermRole::GroupBy) => groups(index),
            (true, _) => offered(index, &plural),
        };
        return Some(format!(
            "No field of {plural} is called \u{201c}{}\u{201d}, and a figure without it would answer another question.{instead}",
            term.term
        ));
    }
    // "How many vessels and ports": the ones are counted, and the answer names the others.
    let text = text.to_lowercase();
    let is_beside = |word: &str| {
        let joined = ["and ", ", ", "& "].map(|joint| format!("{joint}{}", word.to_lowercase()));
        is_other(word) && joined.iter().any(|joined| text.contains(joined))
    };
    let said: Vec<String> = left
        .words
        .iter()
        .filter(|word| {
            let bare = word.trim_matches(['\u{201c}', '\u{201d}']);
            !ASKING.contains(&bare) && !is_beside(bare)
        })
        .cloned()
        .collect();
    if said.is_empty() {
        return None;
    }
    Some(format!(
        "I know nothing of {plural} that says {}, and a figure without it would answer another question.{}",
        words::list(said),
        offered(index, &plural)
    ))
}

/// Words of a figure that limit nothing: the answer names them as not used.
const ASKING: &[&str] = &[
    "average", "total", "count", "number", "per", "most", "least", "early", "late", "other",
];

/// Why a figure of days is not computed where the records have no date.
pub(super) fn without_date(plural: &str, said: &str) -> String {
    format!(
        "The {plural} have no date, so I cannot tell which of them are of \u{201c}{said}\u{201d}. Ask for all of them, without the days."
    )
}

/// The fields that groups can be made by.
fn groups(index: &IndexDescription) -> String {
    let is_group = |field: &&FieldDescription| {
        let is_text = matches!(field.field_type, FieldType::Keyword | FieldType::Boolean);
        is_text && Some(&field.name) != index.id_field.as_ref()
    };
    let fields = index.fields.iter().filter(is_group).take(OFFERED);
    let known = words::list(fields.map(|field| words::label(&field.name)));
    if known.is_empty() {
        return String::new();
    }
    format!(" Groups can be made by {known}.")
}

/// The conditions that there are: what is yes or no, values of states, and quantities.
fn offered(index: &IndexDescription, plural: &str) -> String {
    let kinds = [is_state, is_listed, is_measured];
    let mut said: Vec<String> = Vec::new();
    for (at, is_kind) in kinds.into_iter().enumerate() {
        let fields = index.fields.iter().filter(|field| is_kind(field));
        // What says least about a record does not take all the room.
        let room = OFFERED.saturating_sub(said.len()).min(OFFERED - at);
        said.extend(fields.take(room).map(told));
    }
    if said.is_empty() {
        return format!(" Ask for all {plural}, or for the list of them.");
    }
    format!(" Conditions can be on {}.", words::list(said))
}

fn is_state(field: &FieldDescription) -> bool {
    field.field_type == FieldType::Boolean
}

fn is_listed(field: &FieldDescription) -> bool {
    !field.values.is_empty()
}

fn is_measured(field: &FieldDescription) -> bool {
    let is_key = field.entity_type.is_some() || field.name.ends_with("id");
    (field.field_type.is_number() || field.field_type == FieldType::Date) && !is_key
}

/// `status (booked, delivered, …)`.
fn told(field: &FieldDescription) -> String {
    let label = words::label(&field.name);
    if field.values.is_empty() {
        let bare = label.strip_prefix("is ").unwrap_or(&label);
        return bare.to_owned();
    }
    let mut values: Vec<String> = field
        .values
        .iter()
        .take(VALUES)
        .map(|value| value.replace('_', " "))
        .collect();
    if field.values.len() > VALUES {
        values.push("\u{2026}".to_owned());
    }
    format!("{label} ({})", values.join(", "))
}
