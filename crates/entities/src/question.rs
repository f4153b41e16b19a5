//! The question about uncertain entities, and its options.

use contracts::tools::clarification::{Clarification, ClarificationOption, ClarificationPart};
use contracts::tools::meanings::{AmbiguousEntity, EntityCandidate, MatchedBy, UnresolvedEntity};

use crate::decide::Candidate;
use crate::names::Names;

/// The subject of a question part about these words.
pub fn about_entity(mention: &str) -> String {
    format!("entity:{mention}")
}

/// The mention that a question part is about, if it is about an entity.
pub fn mention_of(about: &str) -> Option<&str> {
    about.strip_prefix("entity:")
}

/// The things that an option means. It is more than one only if several sources have the id.
pub fn option_of(option: &str, names: &[&Names]) -> Vec<Candidate> {
    let found = names.iter().filter_map(|names| {
        let place = names.place(option).or_else(|| {
            // An id that several things share is qualified by source and type.
            let (source, rest) = option.split_once('/')?;
            let (entity_type, id) = rest.split_once('/')?;
            let here = source == names.source() && entity_type == names.entity_type();
            here.then(|| names.place(id)).flatten()
        })?;
        Candidate::of(names, place, 1.0, MatchedBy::Answer)
    });
    crate::decide::merge(found.collect())
}

/// The question about a mention with these candidates.
pub(crate) fn question(mention: &str, candidates: &[EntityCandidate]) -> String {
    let names = labels(candidates);
    match names.as_slice() {
        [] => format!("I know nothing called \u{201c}{mention}\u{201d}. What do you mean?"),
        [one] => format!("Does \u{201c}{mention}\u{201d} mean {one}?"),
        names if candidates.iter().all(is_only_near) => unknown(mention, names),
        names => format!("Which {mention}: {}?", listed(names)),
    }
}

/// Whether the candidate only has a similar name.
fn is_only_near(candidate: &EntityCandidate) -> bool {
    matches!(
        candidate.matched_by,
        MatchedBy::Trigram | MatchedBy::Embedding
    )
}

fn unknown(mention: &str, names: &[String]) -> String {
    format!(
        "I know nothing called \u{201c}{mention}\u{201d}. Did you mean {}?",
        listed(names)
    )
}

/// One question about everything uncertain.
pub(crate) fn clarification(
    ambiguous: &[AmbiguousEntity],
    unresolved: &[UnresolvedEntity],
) -> Option<Clarification> {
    let (mut sentences, mut parts) = (Vec::new(), Vec::new());
    for entity in ambiguous {
        sentences.push(entity.message.clone());
        parts.push(part(&entity.original_value, &entity.candidates));
    }
    for entity in unresolved {
        let mention = &entity.original_value;
        sentences.push(match labels(&entity.nearest).as_slice() {
            [] => question(mention, &[]),
            names => unknown(mention, names),
        });
        parts.push(part(&entity.original_value, &entity.nearest));
    }
    (!parts.is_empty()).then(|| Clarification {
        question: sentences.join(" "),
        parts,
    })
}

fn part(mention: &str, candidates: &[EntityCandidate]) -> ClarificationPart {
    let labels = labels(candidates);
    let options = candidates.iter().zip(labels).map(|(candidate, label)| {
        let alone = candidates
            .iter()
            .filter(|other| other.id == candidate.id)
            .count()
            == 1;
        let id = if alone {
            candidate.id.clone()
        } else {
            format!(
                "{}/{}/{}",
                candidate.source, candidate.entity_type, candidate.id
            )
        };
        let aliases = [&candidate.name, &candidate.id];
        ClarificationOption {
            aliases: aliases
                .into_iter()
                .filter(|alias| **alias != label && **alias != id)
                .cloned()
                .collect(),
            id,
            label,
            description: candidate.description.clone(),
        }
    });
    ClarificationPart {
        about: about_entity(mention),
        mention: mention.to_owned(),
        options: options.collect(),
    }
}

/// The label of each candidate: its name, and for equal names what distinguishes them.
fn labels(candidates: &[EntityCandidate]) -> Vec<String> {
    let label = |candidate: &EntityCandidate| {
        let same = candidates
            .iter()
            .filter(|other| other.name == candidate.name);
        if same.count() == 1 {
            return candidate.name.clone();
        }
        let mut telling = vec![candidate.id.as_str()];
        telling.extend(candidate.description.as_deref());
        let mut types = candidates.iter().map(|other| &other.entity_type);
        if types.any(|entity_type| *entity_type != candidate.entity_type) {
            telling.insert(0, &candidate.entity_type);
        }
        format!("{} ({})", candidate.name, telling.join(", "))
    };
    candidates.iter().map(label).collect()
}

/// `A, B or C`.
pub(crate) fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}
