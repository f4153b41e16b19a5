//! Claims of the words of single measures: availability by time and by energy, carbon
//! dioxide that is avoided, sums of a part, what is expected and what was made.

use std::collections::BTreeSet;

use super::{Fact, FactRegistry, Kind, Subject, Unit, judge::Carry, lexicon, part::Part};

/// Words that say that carbon dioxide did not come about.
const AVOIDED: &[&str] = &[
    "avoid", "avoided", "avoids", "offset", "save", "saved", "saves", "spared",
];

/// Words for what did not come about.
const CARBON: &[&str] = &["carbon", "co2", "co\u{2082}", "dioxide", "emissions"];

/// Verbs of what is kept "out of the air".
const KEPT: &[&str] = &["keeps", "kept"];

/// Verbs of production that is over.
const MADE: &[&str] = &[
    "brought",
    "contributed",
    "delivered",
    "generated",
    "harvested",
    "made",
    "produced",
    "yielded",
];

impl Part<'_> {
    /// The words of a measure say what it is, and not another one that has these words, too.
    pub(super) fn claims_hold(
        &self,
        registry: &FactRegistry,
        carry: &Carry,
        before: &BTreeSet<String>,
    ) -> bool {
        self.facts.iter().all(|fact| {
            self.availability_holds(fact)
                && self.carbon_holds(fact, before)
                && self.part_holds(fact, carry)
                && self.is_expected_still(fact)
                && self.devices_hold(fact, registry)
                && self.units_hold(fact, registry, carry)
        })
    }

    fn says(&self, list: &[&str]) -> bool {
        self.words.iter().any(|word| list.contains(word))
    }

    /// Availability by energy is called that, and availability by time is not.
    fn availability_holds(&self, fact: &Fact) -> bool {
        let is = |word: &str| fact.measure.label.split(' ').any(|label| label == word);
        if !is("availability") {
            return true;
        }
        let by_energy = is("energy");
        self.says(&["energy"]) == by_energy && !(by_energy && self.says(&["time"]))
    }

    /// An amount of carbon dioxide is one that was avoided, and one of carbon dioxide.
    fn carbon_holds(&self, fact: &Fact, before: &BTreeSet<String>) -> bool {
        let said =
            |list: &[&str]| self.says(list) || list.iter().any(|word| before.contains(*word));
        let is_amount = fact.unit == Unit::Mass && fact.measure.label == "co2 offset";
        let named = self.words.iter().any(|word| fact.measure.names(word));
        !is_amount
            || !named
            || self.kept_out(fact)
            || said(AVOIDED) && (said(CARBON) || !self.says(&["saved", "saves", "save"]))
    }

    /// Whether the part says that this amount was "kept out of the air".
    fn kept_out(&self, fact: &Fact) -> bool {
        let own = self.facts.iter().position(|one| one.id == fact.id);
        let at = own.and_then(|own| self.refs.get(own)).copied();
        let before = at.and_then(|at| at.checked_sub(1));
        let verb = before.map(|at| &self.tokens[at].token);
        let kept =
            matches!(verb, Some(super::tokens::Token::Word(word)) if KEPT.contains(&word.as_str()));
        let mut fours = self.words.windows(4);
        let out = fours.any(|four| {
            four[..3] == ["out", "of", "the"] && ["air", "atmosphere"].contains(&four[3])
        });
        fact.measure.label == "co2 offset" && kept && out && self.says(CARBON)
    }

    /// Whether a word belongs to "kept out of the air", where that is what a fact says.
    pub(super) fn is_of_air(&self, word: &str) -> bool {
        let belongs = KEPT.contains(&word) || ["air", "atmosphere", "out"].contains(&word);
        belongs && self.facts.iter().any(|fact| self.kept_out(fact))
    }

    /// A value of some devices, or of a site, is not one of the person's all: "you made", "in
    /// total".
    fn part_holds(&self, fact: &Fact, carry: &Carry) -> bool {
        let addresses = self.says(&["you", "you've"]);
        if fact.bounds.leaves_out && self.says(&["everything", "fleet", "sites", "whole"]) {
            return false;
        }
        if fact.subject == Subject::Whole {
            let some = fact.bounds.is_part || fact.bounds.is_compared;
            return !(some && addresses)
                && (!fact.bounds.is_compared || self.sums_up())
                && (!fact.bounds.leaves_out || self.counts_before(fact));
        }
        let named = !self.names.is_empty() || carry.name.is_some();
        let sums = self.words.iter().any(|word| lexicon::is_sum_word(word));
        !fact.bounds.is_site || named || !(sums || addresses)
    }

    /// A value of compared devices says "together", or names none: "your inverters" are all.
    fn sums_up(&self) -> bool {
        let gathers = self.words.iter().any(|word| lexicon::is_gathering(word));
        !gathers || self.words.iter().any(|word| lexicon::is_sum_word(word))
    }

    /// A count of devices that leaves some out comes before what it counts: "2 devices are online".
    fn counts_before(&self, fact: &Fact) -> bool {
        let counts = matches!(fact.kind, Kind::Part { k, n } if k == 0 || k == n);
        let gathers = |at: &usize| {
            let token = &self.tokens[*at].token;
            matches!(token, super::tokens::Token::Word(word) if lexicon::is_gathering(word))
        };
        let first = (0..self.tokens.len()).find(gathers);
        let own = self.facts.iter().position(|one| one.id == fact.id);
        let at = own.and_then(|own| self.refs.get(own));
        !counts || first.is_none_or(|first| at.is_some_and(|at| *at < first))
    }

    /// An expected value was not made.
    fn is_expected_still(&self, fact: &Fact) -> bool {
        let expected = super::Measure::of("expected");
        let mut labels = fact.measure.label.split(' ');
        !labels.any(|label| expected.names(label)) || !self.says(MADE)
    }

    /// Devices of which some are meters are not called inverters.
    fn devices_hold(&self, fact: &Fact, registry: &FactRegistry) -> bool {
        let counts =
            fact.unit == Unit::Count && ["devices", "loggers"].contains(&&*fact.measure.label);
        !(counts && registry.has_other_roles && self.says(&["inverter", "inverters"]))
    }

    /// "The month" is today's, unless days were named.
    fn units_hold(&self, fact: &Fact, registry: &FactRegistry, carry: &Carry) -> bool {
        let (Some(today), Some(period)) = (registry.today, fact.period) else {
            return true;
        };
        if !self.days.is_empty() || carry.period == Some(period) || period.end >= today {
            return true;
        }
        let places = 1..self.words.len();
        places.into_iter().all(|at| {
            let unit = ["month", "year"].contains(&self.words[at]);
            !(unit && ["the", "is"].contains(&self.words[at - 1]))
        })
    }

    /// "An outage of 4 hours", "down for 4 hours": the length of what the fact belongs to.
    pub(super) fn is_length_of(&self, fact: &Fact) -> bool {
        let is_length = ["hours", "minutes"].contains(&&*fact.measure.label);
        let own = self.facts.iter().position(|one| one.id == fact.id);
        let at = own
            .and_then(|own| self.refs.get(own))
            .copied()
            .unwrap_or_default();
        let word = |at: Option<usize>| match at.map(|at| &self.tokens[at].token) {
            Some(super::tokens::Token::Word(word)) => word.as_str(),
            _ => "",
        };
        let (one, two) = (word(at.checked_sub(1)), word(at.checked_sub(2)));
        let was_down = lexicon::is_outage_length(fact) && lexicon::DOWN_FOR.contains(&two);
        is_length && (one == "of" && fact.bounds.words.contains(two) || one == "for" && was_down)
    }
}
