//! Words of a request that its query does not have. A figure or a list without them is the answer
//! to another question, and is refused. Words that limit nothing are named in the answer.

use contracts::tools::{
    meanings::{FieldMapping, TermRole},
    search::{FieldDescription, FieldType, IndexDescription, QueryStructure, SourceDescription},
};

use crate::{language::Request, words};

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
    /// Words that change the meaning of others and were not read, in quotes.
    pub(super) operators: Vec<String>,
}

impl Left {
    /// The notes for the person.
    pub(super) fn told(self) -> Vec<String> {
        let mut notes = self.notes;
        let mut words = self.words;
        words.extend(self.operators);
        if !words.is_empty() {
            notes.push(format!("I did not use: {}.", words.join(", ")));
        }
        notes
    }
}

/// Why no figure is computed and no list is shown: words of the question would have no part in it.
pub(super) fn refusal(
    structure: &QueryStructure,
    left: &Left,
    mapping: &FieldMapping,
    (source, index): (&SourceDescription, &IndexDescription),
    (text, time_words): (&str, Option<&str>),
) -> Option<String> {
    let answer = if structure.measures.is_empty() {
        "list"
    } else {
        "figure"
    };
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
    let is_noun = |word: &str| {
        is_other(word)
            || [&singular, &plural]
                .iter()
                .any(|noun| noun.eq_ignore_ascii_case(word))
    };
    let mut unmapped = mapping.unmapped.iter();
    let unmapped = unmapped.find(|term| {
        let is_part = match term.role {
            TermRole::Filter => true,
            TermRole::GroupBy => answer == "figure",
            TermRole::Sort => answer == "list" && structure.limit.is_some(),
            _ => false,
        };
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
            "No field of {plural} is called \u{201c}{}\u{201d}, and a {answer} without it would answer another question.{instead}",
            term.term
        ));
    }
    // "How many vessels and ports": the ones are counted, and the answer names the others.
    let text = text.to_lowercase();
    let is_beside = |word: &str| {
        let joined = ["and ", ", ", "& "].map(|joint| format!("{joint}{}", word.to_lowercase()));
        is_other(word) && joined.iter().any(|joined| text.contains(joined))
    };
    let limits_nothing = |word: &&String| {
        let bare = word.trim_matches(['\u{201c}', '\u{201d}']).to_lowercase();
        let asks = match answer {
            "figure" => ASKING.contains(&bare.as_str()),
            _ => LISTING.contains(&bare.as_str()),
        };
        asks || is_beside(&bare) || is_around(&text, &bare, &is_noun)
    };
    let operators = left.operators.iter();
    let operators: Vec<&String> = operators.filter(|word| !limits_nothing(word)).collect();
    let said: Vec<&String> = left
        .words
        .iter()
        .filter(|word| !limits_nothing(word))
        .collect();
    let why = if !said.is_empty() {
        format!("I know nothing of {plural} that says {}", listed(said))
    } else if !operators.is_empty() {
        let words = if operators.len() == 1 {
            "word"
        } else {
            "words"
        };
        format!(
            "I cannot read the {words} {} among the conditions on {plural}",
            listed(operators)
        )
    } else {
        return None;
    };
    Some(format!(
        "{why}, and a {answer} without it would answer another question.{}",
        offered(index, &plural)
    ))
}

/// Why a name is not looked for: with the words before it, it is a condition that no field has
/// ("insured by Allianz").
pub(super) fn of_name(
    request: &Request,
    index: &IndexDescription,
    (text, name): (&str, &str),
) -> Option<String> {
    const LINKS: &[&str] = &["by", "from", "with", "through", "at", "under", "in", "of"];
    let begin = text.to_ascii_lowercase().find(&name.to_ascii_lowercase())?;
    let (before, link) = text.get(..begin)?.trim_end().rsplit_once(' ')?;
    let before = before.trim_end();
    let mut leftover = request.leftover.iter();
    let verb = leftover.find(|left| left.span.end == before.len())?;
    let last = verb.words.rsplit(' ').next()?.to_lowercase();
    let is_participle =
        last.ends_with("ed") || last.ends_with("en") || PARTICIPLES.contains(&&*last);
    if !is_participle || !LINKS.contains(&&*link.to_lowercase()) {
        return None;
    }
    let said = text.get(verb.span.start..begin + name.len())?;
    let answer = if request.measures.is_empty() {
        "list"
    } else {
        "figure"
    };
    let (_, plural) = crate::summary::nouns(Some(index), &index.name);
    Some(format!(
        "I know nothing of {plural} that says \u{201c}{said}\u{201d}, and a {answer} without it would answer another question.{}",
        offered(index, &plural)
    ))
}

/// Participles that do not end as most do.
const PARTICIPLES: &[&str] = &[
    "bought", "brought", "built", "held", "kept", "lent", "made", "met", "paid", "sold", "sent",
];

fn listed(words: Vec<&String>) -> String {
    crate::words::list(words.into_iter().cloned())
}

/// Words of a figure that limit nothing: the answer names them as not used.
const ASKING: &[&str] = &[
    "average", "total", "count", "number", "per", "most", "least", "early", "late", "other",
];

/// The same of a list.
const LISTING: &[&str] = &[
    "compare",
    "compared",
    "comparison",
    "complete",
    "count",
    "full",
    "number",
    "per",
    "quick",
    "quickly",
    "total",
    "versus",
    "vs",
];

/// Whether words stand around the question and limit nothing: "for my boss: show …", "… for the
/// meeting". Words before the verb that asks do so where they name no records.
fn is_around(text: &str, words: &str, is_noun: &impl Fn(&str) -> bool) -> bool {
    const ASKS: &[&str] = &[
        "show", "list", "give", "find", "which", "get", "display", "need",
    ];
    const OURS: &[&str] = &["my", "our"];
    const PURPOSES: &[&str] = &[
        "boss",
        "chief",
        "colleague",
        "colleagues",
        "manager",
        "meeting",
        "presentation",
        "team",
    ];
    let Some(at) = text.find(words) else {
        return false;
    };
    let all: Vec<&str> = text[at..].split_whitespace().collect();
    let before: Vec<&str> = text[..at].split_whitespace().collect();
    let bare = |word: &str| {
        word.trim_matches(|letter: char| !letter.is_alphanumeric())
            .to_owned()
    };
    let last = before.last().copied().map(bare).unwrap_or_default();
    if OURS.contains(&last.as_str()) && PURPOSES.contains(&words) {
        return true;
    }
    let asks = all
        .iter()
        .position(|word| ASKS.contains(&bare(word).as_str()));
    let said = words.split_whitespace().count();
    asks.is_some_and(|asks| {
        let mut lead = before.iter().chain(&all[..asks]);
        asks >= said && !lead.any(|word| is_noun(&bare(word)))
    })
}

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
