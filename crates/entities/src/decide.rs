//! Decides whether the meaning of a mention is certain.

use contracts::tools::meanings::{
    AmbiguousEntity, EntityCandidate, EntityResolution, MatchedBy, ResolvedEntity, UnresolvedEntity,
};

use crate::names::Names;
use crate::question::{clarification, question};
use crate::text::{key, same_words};

/// Maximum distance of a possible meaning below the best, when the best itself is not certain.
const NEAR: f64 = 0.15;

/// The limits for a certain meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Minimum score of a certain meaning.
    pub accept: f64,
    /// Minimum distance to the next meaning.
    pub margin: f64,
    /// Meanings with a lower score are ignored.
    pub floor: f64,
    /// Maximum number of options of a question.
    pub options: usize,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            accept: 0.85,
            margin: 0.08,
            floor: 0.4,
            options: 5,
        }
    }
}

/// A thing that a mention can mean, and the index with its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The thing with its score.
    pub entity: EntityCandidate,
    /// The name of the index.
    pub index: String,
}

/// The meaning of a mention.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The mention means this thing.
    Resolved(ResolvedEntity),
    /// The mention means one of these things.
    Ambiguous(AmbiguousEntity),
    /// The mention means no known thing.
    Unresolved(UnresolvedEntity),
}

impl Candidate {
    /// The candidate for the thing at `place` of an index.
    pub fn of(names: &Names, place: usize, score: f64, matched_by: MatchedBy) -> Option<Self> {
        let thing = names.things().get(place)?;
        Some(Self {
            entity: EntityCandidate {
                entity_type: names.entity_type().to_owned(),
                id: thing.id.clone(),
                name: thing.name.clone(),
                description: thing.description.clone(),
                confidence: score,
                matched_by,
                source: names.source().to_owned(),
            },
            index: names.index().to_owned(),
        })
    }

    /// Whether both candidates are the same thing: the same id in one source, or the same type and
    /// name in two sources.
    pub fn is_same(&self, other: &Self) -> bool {
        let (one, another) = (&self.entity, &other.entity);
        one.id == another.id
            && one.entity_type == another.entity_type
            && (one.source == another.source || same_words(&one.name, &another.name))
    }
}

/// The things that a mention can mean, the most likely first. If things of the named type fit, only
/// those.
pub fn candidates(mention: &str, entity_type: Option<&str>, names: &[&Names]) -> Vec<Candidate> {
    let found = names.iter().flat_map(|names| {
        let hits = names.find(mention).into_iter();
        hits.filter_map(|hit| Candidate::of(names, hit.thing, hit.score, hit.matched_by))
    });
    of_type(merge(found.collect()), entity_type)
}

/// Keeps only the candidates of the named type, if there are any.
pub fn of_type(candidates: Vec<Candidate>, entity_type: Option<&str>) -> Vec<Candidate> {
    let Some(wanted) = entity_type.map(key) else {
        return candidates;
    };
    let fits = |candidate: &Candidate| key(&candidate.entity.entity_type) == wanted;
    let floor = Thresholds::default().floor;
    if candidates
        .iter()
        .any(|candidate| fits(candidate) && candidate.entity.confidence >= floor)
    {
        candidates.into_iter().filter(fits).collect()
    } else {
        candidates
    }
}

/// Each thing once, with its best score, the most likely first.
pub fn merge(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by(|one, another| another.entity.confidence.total_cmp(&one.entity.confidence));
    let mut merged: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if !merged.iter().any(|before| before.is_same(&candidate)) {
            merged.push(candidate);
        }
    }
    merged
}

/// The things that a mention names as a group, as `Germany` names its ports. Empty if the mention
/// is itself a name.
pub fn members(mention: &str, names: &[&Names]) -> Vec<Candidate> {
    let key = key(mention);
    if names
        .iter()
        .any(|names| !names.named(mention, &key).is_empty())
    {
        return Vec::new();
    }
    let first = names
        .iter()
        .find(|names| !names.group(mention, &key).is_empty());
    // "Singapore" is its only port, which is called so.
    let own_name = |names: &&&Names| {
        let hits = names.find(mention);
        let only = names.group(mention, &key);
        only.len() == 1 && hits.len() == 1 && hits[0].thing == only[0] as usize
    };
    if first.as_ref().is_some_and(own_name) {
        return Vec::new();
    }
    let of_group = first.into_iter().flat_map(|names| {
        let places = names.group(mention, &key).iter();
        places.filter_map(|place| Candidate::of(names, *place as usize, 1.0, MatchedBy::Group))
    });
    of_group.collect()
}

/// Decides between candidates that are sorted by likelihood. `remembered` is the user's earlier
/// choice for the same words. With `best_guess`, the most likely candidate is taken instead of
/// asking.
pub fn decide(
    mention: &str,
    candidates: &[Candidate],
    remembered: Option<&Candidate>,
    thresholds: &Thresholds,
    best_guess: bool,
) -> Decision {
    let score = |candidate: &Candidate| candidate.entity.confidence;
    let Some(best) = candidates.first() else {
        return match remembered {
            Some(chosen) => taken(mention, chosen, MatchedBy::Remembered),
            None => Decision::Unresolved(unresolved(mention, &[])),
        };
    };
    let exact = rank(best);
    let equals = candidates
        .iter()
        .take_while(|other| rank(other) == exact)
        .count();
    let contenders: Vec<&Candidate> = if exact.is_some() {
        // A candidate that the words match exactly is preferred, however close the others are.
        candidates[..equals].iter().collect()
    } else if score(best) >= thresholds.accept {
        let near = |other: &&Candidate| score(best) - score(other) < thresholds.margin;
        candidates.iter().filter(near).collect()
    } else {
        let near = |other: &&Candidate| score(other) >= thresholds.floor.max(score(best) - NEAR);
        candidates.iter().filter(near).collect()
    };
    let another = exact.is_none() && has_another_number(mention, best);
    let certain = contenders.len() == 1 && score(best) >= thresholds.accept && !another;
    if certain {
        return taken(mention, best, best.entity.matched_by);
    }
    if let Some(chosen) = remembered {
        return taken(mention, chosen, MatchedBy::Remembered);
    }
    if contenders.is_empty() || another {
        let nearest = &candidates[..candidates.len().min(thresholds.options)];
        return Decision::Unresolved(unresolved(mention, nearest));
    }
    if best_guess {
        return taken(mention, best, best.entity.matched_by);
    }
    Decision::Ambiguous(ambiguous(mention, &contenders, thresholds.options))
}

/// Whether a mention has a number as ids have one, and the thing has others: `SHP-000123` is no
/// slip for `SHP-100123`.
fn has_another_number(mention: &str, candidate: &Candidate) -> bool {
    const DIGITS_OF_AN_ID: usize = 4;
    let digits = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
    let said = digits(mention);
    let similar = matches!(
        candidate.entity.matched_by,
        MatchedBy::Trigram | MatchedBy::Embedding
    );
    similar
        && said.len() >= DIGITS_OF_AN_ID
        && [&candidate.entity.id, &candidate.entity.name]
            .iter()
            .all(|text| digits(text) != said)
}

/// The quality of an exact match: the same spelling ranks before the same normalised text.
fn rank(candidate: &Candidate) -> Option<u8> {
    match candidate.entity.matched_by {
        MatchedBy::Answer | MatchedBy::Id | MatchedBy::Name | MatchedBy::Alias => Some(2),
        MatchedBy::Normalised => Some(1),
        _ => None,
    }
}

/// The decision that a mention means this thing.
pub fn taken(mention: &str, candidate: &Candidate, matched_by: MatchedBy) -> Decision {
    let entity = candidate.entity.clone();
    let confidence = match matched_by {
        MatchedBy::Answer | MatchedBy::Remembered => 1.0,
        _ => entity.confidence,
    };
    Decision::Resolved(ResolvedEntity {
        mention: mention.to_owned(),
        entity_type: entity.entity_type,
        id: entity.id,
        name: entity.name,
        confidence: rounded(confidence),
        matched_by,
        source: entity.source,
        index: candidate.index.clone(),
    })
}

fn ambiguous(mention: &str, contenders: &[&Candidate], most: usize) -> AmbiguousEntity {
    let first = contenders
        .first()
        .map(|candidate| &candidate.entity.entity_type);
    let one_type = contenders
        .iter()
        .all(|candidate| Some(&candidate.entity.entity_type) == first);
    let shown: Vec<EntityCandidate> = contenders
        .iter()
        .take(most)
        .map(|candidate| shown(candidate))
        .collect();
    AmbiguousEntity {
        original_value: mention.to_owned(),
        entity_type: first.filter(|_| one_type).cloned(),
        message: question(mention, &shown),
        candidates: shown,
    }
}

fn unresolved(mention: &str, nearest: &[Candidate]) -> UnresolvedEntity {
    UnresolvedEntity {
        original_value: mention.to_owned(),
        nearest: nearest.iter().map(shown).collect(),
    }
}

fn shown(candidate: &Candidate) -> EntityCandidate {
    let mut entity = candidate.entity.clone();
    entity.confidence = rounded(entity.confidence);
    entity
}

fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// Combines decisions into one resolution, with one question about everything uncertain.
pub fn resolution(decisions: impl IntoIterator<Item = Decision>) -> EntityResolution {
    let mut resolution = EntityResolution::default();
    for decision in decisions {
        match decision {
            Decision::Resolved(entity) => resolution.resolved.push(entity),
            Decision::Ambiguous(entity) => resolution.ambiguous.push(entity),
            Decision::Unresolved(entity) => resolution.unresolved.push(entity),
        }
    }
    resolution.clarification = clarification(&resolution.ambiguous, &resolution.unresolved);
    resolution
}

#[cfg(test)]
mod tests;
