//! The way to cut a sentence into parts of which each holds.
//!
//! A part is judged as soon as it is cut, so that the rest of a way with one that does not hold is
//! never tried. The number of parts that are judged for one sentence has a limit.

use std::collections::BTreeSet;

use contracts::tools::Period;

use super::{
    Fact, FactRegistry, Subject,
    judge::Carry,
    lexicon,
    part::{Before, Part},
    segments::{self, Segment},
    tokens::Placed,
};

/// Parts that are judged for one sentence; a sentence that needs more is left out.
const PARTS: usize = 400;

/// The state behind the parts so far.
#[derive(Debug, Clone, Default)]
struct Said {
    carry: Carry,
    implied: Option<Period>,
    labels: BTreeSet<String>,
    words: BTreeSet<String>,
}

/// A search through the ways to cut a sentence.
pub(super) struct Search<'s, 'a> {
    registry: &'a FactRegistry,
    tokens: &'s [Placed],
    facts: &'s [Option<&'a Fact>],
    units: Vec<Vec<usize>>,
    /// Parts that may still be judged.
    left: usize,
}

impl<'s, 'a> Search<'s, 'a> {
    pub(super) fn through(
        registry: &'a FactRegistry,
        tokens: &'s [Placed],
        facts: &'s [Option<&'a Fact>],
    ) -> Self {
        let units = segments::units(tokens, |at| facts.get(at).copied().flatten());
        Self {
            registry,
            tokens,
            facts,
            units,
            left: PARTS,
        }
    }

    /// The first way in which each part holds, and what it leaves for the next sentence.
    pub(super) fn found(mut self, carry: &Carry) -> Option<(Vec<Segment>, Carry)> {
        let mut way = Vec::new();
        let said = Said {
            carry: carry.clone(),
            ..Said::default()
        };
        let end = self.from(0, 0, &said, &mut way)?;
        let mut carry = end.carry;
        if !end.labels.is_empty() {
            carry.labels = end.labels;
        }
        Some((way, carry))
    }

    /// The parts from this unit on, of which the first begins at `start`.
    fn from(
        &mut self,
        unit: usize,
        start: usize,
        said: &Said,
        way: &mut Vec<Segment>,
    ) -> Option<Said> {
        let refs = self.units.get(unit).cloned().unwrap_or_default();
        let ends = match (refs.last(), self.units.get(unit + 1)) {
            (Some(last), Some(next)) => segments::cuts(self.tokens, last + 1..next[0]),
            _ => vec![self.tokens.len()],
        };
        for end in ends {
            let segment = Segment {
                refs: refs.clone(),
                tokens: start..end,
            };
            self.left = self.left.checked_sub(1)?;
            let Some(next) = self.judged(&segment, said) else {
                continue;
            };
            way.push(segment);
            if unit + 1 >= self.units.len() {
                return Some(next);
            }
            if let Some(end) = self.from(unit + 1, end, &next, way) {
                return Some(end);
            }
            way.pop();
        }
        None
    }

    /// The state behind a part, if it holds.
    fn judged(&self, segment: &Segment, said: &Said) -> Option<Said> {
        let part = Part::new(segment, self.tokens, self.facts);
        let before = Before {
            labels: &said.labels,
            words: &said.words,
        };
        part.holds(self.registry, &said.carry, &before, said.implied)?;
        let mut next = said.clone();
        let words = part.words.iter().map(|word| (*word).to_owned());
        next.words.extend(words);
        if let Some(name) = part.names.last() {
            next.carry.name = Some((*name).to_owned());
        } else if let Some(Subject::Named(name)) = part.facts.first().map(|fact| &fact.subject) {
            next.carry.name = Some(name.to_lowercase());
        } else if part.words.iter().any(|word| lexicon::is_whole(word)) {
            next.carry.name = None;
        }
        if let Some(period) = part.days.first() {
            next.carry.period = Some(*period);
        }
        let implied = part.facts.iter().find_map(|fact| fact.period);
        next.implied = implied.or(said.implied);
        let labels = part.facts.iter().map(|fact| fact.measure.label.clone());
        next.labels.extend(labels);
        Some(next)
    }
}
