//! Shares of a total, and the places behind the first: what people say of the groups of a list.

use super::{Fact, FactRegistry, Kind, Series, Subject, Unit, lexicon, tokens::Token};

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
        let word = |at: usize| self.said(at);
        let before = |at: usize| at.checked_sub(1).and_then(word).unwrap_or_default();
        let is_share = has(|kind| *kind == Kind::Share);
        let is_place = has(|kind| matches!(kind, Kind::Place(_)));
        (0..self.tokens.len()).all(|at| match word(at) {
            Some("all" | "total") if is_share => {
                let of = before(at) == "of" || before(at) == "the" && before(at - 1) == "of";
                of && self.refs.iter().any(|own| *own < at)
            }
            Some(word) if is_place && lexicon::is_greatest(word) => {
                ["second", "third"].contains(&before(at))
            }
            _ => true,
        }) && self.shares_are_of_all()
    }

    /// A share is one of all records, and said with its owner: "5 % late shipments" and "5 % of
    /// its shipments" read as a rate.
    fn shares_are_of_all(&self) -> bool {
        let mut placed = self.facts.iter().zip(&self.refs);
        placed.all(|(fact, at)| fact.kind != Kind::Share || self.is_share_of_all(*at))
    }

    fn is_share_of_all(&self, at: usize) -> bool {
        let words = || (0..self.tokens.len()).filter_map(|at| Some((at, self.said(at)?)));
        if let Some((at, _)) = words().find(|(_, word)| MAJORITY.contains(word)) {
            return !self.is_someones(at);
        }
        if words().any(|(_, word)| SAYING.contains(&word)) {
            return true;
        }
        let emphasis = |token: &Token| matches!(token, Token::Mark('*' | '_' | '`' | '%'));
        let next = (at + 1..self.tokens.len()).find(|at| !emphasis(&self.tokens[*at].token));
        let of = next.filter(|at| self.said(*at) == Some("of"));
        let points = ["it", "it's", "its", "that", "that's", "which"];
        let has_owner = !self.names.is_empty() || self.words.iter().any(|one| points.contains(one));
        has_owner && of.is_some_and(|of| !self.is_someones(of))
    }

    /// Whether what a share is of, up to the verb, belongs to someone, and is not all.
    fn is_someones(&self, at: usize) -> bool {
        let mut of = self.tokens[at + 1..]
            .iter()
            .take_while(|one| match &one.token {
                Token::Mark(_) => false,
                Token::Word(word) => !BEHIND.contains(&word.as_str()) && !lexicon::is_stating(word),
                Token::Ref(_) | Token::Name(_) | Token::Phrase => true,
            });
        of.any(|one| match &one.token {
            Token::Name(_) => true,
            Token::Word(word) => ["its", "their"].contains(&word.as_str()),
            _ => false,
        })
    }

    fn said(&self, at: usize) -> Option<&str> {
        match &self.tokens.get(at)?.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// Words for more than half.
const MAJORITY: &[&str] = &["majority", "most"];

/// Words that say that a percentage is a share.
const SAYING: &[&str] = &["portion", "proportion", "share"];

/// Prepositions behind what a share is of.
const BEHIND: &[&str] = &["at", "by", "for", "from", "with"];
