//! Whether it is certain what words mean.

use contracts::tools::meanings::{
    AmbiguousEntity, EntityCandidate, EntityResolution, MatchedBy, ResolvedEntity, UnresolvedEntity,
};

use crate::names::Names;
use crate::question::{clarification, question};
use crate::text::{key, same_words};

/// How far below the best a possible meaning may be, when the best itself is not certain.
const NEAR: f64 = 0.15;

/// When a meaning is certain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// The least score that is.
    pub accept: f64,
    /// How much better than the next it must be.
    pub margin: f64,
    /// Below this, nothing is meant.
    pub floor: f64,
    /// The most options of a question.
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

/// A thing that words can mean, and the index that has a record of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The thing.
    pub entity: EntityCandidate,
    /// The index.
    pub index: String,
}

/// What words mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// This.
    Resolved(ResolvedEntity),
    /// One of these.
    Ambiguous(AmbiguousEntity),
    /// Nothing that is known.
    Unresolved(UnresolvedEntity),
}

impl Candidate {
    /// The thing at a place of an index.
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

    /// Whether two are one thing: the same in one source, or of one type and name in two.
    pub fn is_same(&self, other: &Self) -> bool {
        let (one, another) = (&self.entity, &other.entity);
        one.id == another.id
            && one.entity_type == another.entity_type
            && (one.source == another.source || same_words(&one.name, &another.name))
    }
}

/// The things that words can mean, the likeliest first. Where things of the type that they are said to name fit, only those.
pub fn candidates(mention: &str, entity_type: Option<&str>, names: &[&Names]) -> Vec<Candidate> {
    let found = names.iter().flat_map(|names| {
        let hits = names.find(mention).into_iter();
        hits.filter_map(|hit| Candidate::of(names, hit.thing, hit.score, hit.matched_by))
    });
    of_type(merge(found.collect()), entity_type)
}

/// Where things of the type that is said to be named fit, only those.
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

/// Each thing once, as it was found best; the likeliest first.
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

/// The things that words name together, as `Germany` names its ports; none where the words are a name themselves.
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

/// What words mean, of these candidates, the likeliest first. `remembered` is what the person chose before for the same words. With
/// `best_guess` the likeliest is taken where otherwise would be asked.
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
        // What the words are exactly is meant, however near others are.
        candidates[..equals].iter().collect()
    } else if score(best) >= thresholds.accept {
        let near = |other: &&Candidate| score(best) - score(other) < thresholds.margin;
        candidates.iter().filter(near).collect()
    } else {
        let near = |other: &&Candidate| score(other) >= thresholds.floor.max(score(best) - NEAR);
        candidates.iter().filter(near).collect()
    };
    let certain = contenders.len() == 1 && score(best) >= thresholds.accept;
    if certain {
        return taken(mention, best, best.entity.matched_by);
    }
    if let Some(chosen) = remembered {
        return taken(mention, chosen, MatchedBy::Remembered);
    }
    if contenders.is_empty() {
        let nearest = &candidates[..candidates.len().min(thresholds.options)];
        return Decision::Unresolved(unresolved(mention, nearest));
    }
    if best_guess {
        return taken(mention, best, best.entity.matched_by);
    }
    Decision::Ambiguous(ambiguous(mention, &contenders, thresholds.options))
}

/// Whether a candidate is what the words say: as it is before normalised.
fn rank(candidate: &Candidate) -> Option<u8> {
    match candidate.entity.matched_by {
        MatchedBy::Answer | MatchedBy::Id | MatchedBy::Name | MatchedBy::Alias => Some(2),
        MatchedBy::Normalised => Some(1),
        _ => None,
    }
}

/// That words mean this thing.
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

/// One answer of all decisions, with one question about everything that is not certain.
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
