//! Shares of a total, and the places behind the first: what people say of the groups of a list.

use super::{Fact, FactRegistry, Kind, Series, Subject, Unit};

/// Groups up to which each gets its share.
const MOST: usize = 12;

/// Places that are named: the second and the third.
const PLACES: u8 = 3;

impl FactRegistry {
    /// Derives the share of each group where the counts of a measure add up to this total.
    pub fn shares(&mut self, label: &str, total: f64) {
        let counts = |fact: &&Fact| {
            fact.kind == Kind::Value
                && fact.unit == Unit::Count
                && fact.subject != Subject::Whole
                && fact.measure.label == label
                && !fact.bounds.is_cut
        };
        let parts: Vec<Fact> = self.facts.iter().filter(counts).cloned().collect();
        let sum: f64 = parts.iter().filter_map(|fact| fact.number).sum();
        let adds_up = (sum - total).abs() < 0.5 && total > 0.0;
        if !adds_up || !(2..=MOST).contains(&parts.len()) {
            return;
        }
        for part in parts {
            let Some(number) = part.number.filter(|number| *number > 0.0) else {
                continue;
            };
            let share = 100.0 * number / total;
            let text = Unit::Percent.write(share);
            self.insert(Series::Derived, Kind::Share, |id, kind| Fact {
                id,
                number: Some(share),
                unit: Unit::Percent,
                text,
                kind,
                ..part.clone()
            });
        }
    }

    /// The second and the third of a measure, the greatest first in `group`. Equals have no place.
    pub(super) fn places(&mut self, group: &[Fact]) {
        for place in 2..=PLACES {
            let at = usize::from(place) - 1;
            // The last of all is called so.
            let Some([before, fact, behind]) = group.get(at - 1..at + 2) else {
                return;
            };
            if before.text == fact.text || fact.text == behind.text {
                return;
            }
            let text = fact.subject.name().unwrap_or_default().to_owned();
            self.insert(Series::Derived, Kind::Place(place), |id, kind| Fact {
                id,
                text,
                kind,
                ..fact.clone()
            });
        }
    }
}

impl super::part::Part<'_> {
    /// Words on a share and on a place stand where they say that, and nothing else: "22 % of all
    /// shipments", "the second highest".
    pub(super) fn shares_hold(&self) -> bool {
        let has = |of: fn(&Kind) -> bool| self.facts.iter().any(|fact| of(&fact.kind));
        let word = |at: usize| match &self.tokens.get(at)?.token {
            super::tokens::Token::Word(word) => Some(word.as_str()),
            _ => None,
        };
        let before = |at: usize| at.checked_sub(1).and_then(word).unwrap_or_default();
        let is_share = has(|kind| *kind == Kind::Share);
        let is_place = has(|kind| matches!(kind, Kind::Place(_)));
        (0..self.tokens.len()).all(|at| match word(at) {
            Some("all" | "total") if is_share => {
                let of = before(at) == "of" || before(at) == "the" && before(at - 1) == "of";
                of && self.refs.iter().any(|own| *own < at)
            }
            Some(word) if is_place && super::lexicon::is_greatest(word) => {
                ["second", "third"].contains(&before(at))
            }
            _ => true,
        })
    }
}
