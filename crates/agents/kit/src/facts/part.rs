//! One part of a sentence, and whether it says what its facts say.

use std::collections::BTreeSet;

use chrono::Datelike;
use contracts::tools::Period;

use super::{
    Fact, FactRegistry, Kind, Subject,
    judge::Carry,
    lexicon,
    segments::Segment,
    tokens::{Placed, Token},
};

/// The parts of a sentence before one.
pub(super) struct Before<'a> {
    pub(super) labels: &'a BTreeSet<String>,
    pub(super) words: &'a BTreeSet<String>,
}

/// One part of a sentence.
pub(super) struct Part<'a> {
    pub(super) facts: Vec<&'a Fact>,
    pub(super) words: Vec<&'a str>,
    pub(super) names: Vec<&'a str>,
    pub(super) days: Vec<Period>,
    pub(super) tokens: &'a [Placed],
    /// The places of its facts among its tokens.
    pub(super) refs: Vec<usize>,
    /// The fact whose value ends right before the part.
    pub(super) after: Option<&'a Fact>,
}

impl<'a> Part<'a> {
    pub(super) fn new(segment: &Segment, tokens: &'a [Placed], facts: &[Option<&'a Fact>]) -> Self {
        let range = segment.tokens.clone();
        let own = &tokens[range.clone()];
        let of = |pick: fn(&Token) -> Option<&str>| {
            own.iter().filter_map(|one| pick(&one.token)).collect()
        };
        let days = facts[range.clone()].iter().flatten();
        Self {
            facts: segment.refs.iter().filter_map(|at| facts[*at]).collect(),
            words: of(|token| match token {
                Token::Word(word) => Some(word),
                _ => None,
            }),
            names: of(|token| match token {
                Token::Name(name) => Some(name),
                _ => None,
            }),
            days: days
                .filter(|fact| fact.kind == Kind::Days)
                .filter_map(|fact| fact.period)
                .collect(),
            tokens: own,
            refs: segment.refs.iter().map(|at| at - range.start).collect(),
            after: range.start.checked_sub(1).and_then(|at| facts[at]),
        }
    }

    pub(super) fn holds(
        &self,
        registry: &FactRegistry,
        carry: &Carry,
        before: &Before<'_>,
        implied: Option<Period>,
    ) -> Option<()> {
        let all = self.words_hold(registry)
            && self.tense_holds(registry)
            && self.whens_hold(registry)
            && self.subjects_hold(registry, carry)
            && self.days_hold(registry, carry, implied)
            && self.apart_hold(registry, before.words)
            && self.measures_hold(registry, carry, before)
            && self.claims_hold(registry, carry, before.words)
            && self.order_holds(registry)
            && self.shares_hold();
        all.then_some(())
    }

    /// Each word claims nothing, or a fact of the part supports it.
    fn words_hold(&self, registry: &FactRegistry) -> bool {
        let nothing = self
            .words
            .iter()
            .filter(|word| lexicon::is_none(word))
            .count();
        nothing <= 1
            && !(registry.has_rows && self.is_of_persons())
            && self.words.iter().all(|word| {
                // Among rows, "solar panels" are a condition.
                if registry.has_rows && lexicon::is_of_plants(word) {
                    let names = |fact: &&Fact| fact.measure.names(word);
                    return registry.has_row_noun(word) || self.facts.iter().any(names);
                }
                lexicon::is_neutral(word)
                    || *word == "went" && self.went_under_condition()
                    || lexicon::is_noun(word)
                    || registry.has_row_noun(word)
                    || self.facts.iter().any(|fact| fact.supports(word))
                    || self.says_when(word, registry)
                    || self.is_of_time(word, registry)
                    || self.is_of_air(word)
            })
    }

    /// Whether what "went" did so under a condition of the query: "142 shipments went to Port of
    /// Miami".
    fn went_under_condition(&self) -> bool {
        let went = |one: &Placed| matches!(&one.token, Token::Word(word) if word == "went");
        (0..self.tokens.len())
            .filter(|at| went(&self.tokens[*at]))
            .all(|at| {
                let behind = self.tokens.get(at + 1).map(|one| &one.token);
                behind == Some(&Token::Phrase)
            })
    }

    /// Whether a part is of something from, by or with those who talk: "orders from you".
    fn is_of_persons(&self) -> bool {
        let mut pairs = self.words.windows(2);
        pairs.any(|pair| {
            ["at", "by", "from", "of", "on", "to", "with"].contains(&pair[0])
                && ["me", "them", "us", "you", "yours"].contains(&pair[1])
        })
    }

    /// Whether a word says when, and all facts of the part are of then.
    fn says_when(&self, word: &str, registry: &FactRegistry) -> bool {
        let mut periods = self.facts.iter().map(|fact| fact.period).peekable();
        periods.peek().is_some()
            && periods.all(|period| period.is_some_and(|period| is_when(word, period, registry)))
    }

    /// The part is about the subjects of its facts.
    fn subjects_hold(&self, registry: &FactRegistry, carry: &Carry) -> bool {
        if self.facts.is_empty() {
            return self.names.is_empty();
        }
        let allowed: BTreeSet<String> = self.facts.iter().flat_map(|fact| fact.names()).collect();
        if !self.names.iter().all(|name| allowed.contains(*name)) {
            return false;
        }
        let whole = self.words.iter().any(|word| lexicon::is_whole(word));
        let points = self
            .words
            .iter()
            .any(|word| ["it", "its", "it's"].contains(word));
        self.facts
            .iter()
            .all(|fact| match (&fact.subject, &fact.kind) {
                (Subject::Named(_), Kind::Extreme { .. } | Kind::Place(_))
                    if self.names.is_empty() =>
                {
                    !points && !whole
                }
                (Subject::Named(name), kind) => {
                    let name = name.to_lowercase();
                    if let Some(first) = self.names.first() {
                        // A comparison reads from its first name to its second.
                        let compares = matches!(kind, Kind::Difference { .. } | Kind::Ratio { .. });
                        return if compares {
                            **first == *name
                        } else {
                            self.names.contains(&&*name)
                        };
                    }
                    let alone = registry.only_subject() == Some(&fact.subject);
                    !whole && (alone || carry.name.as_deref() == Some(&*name))
                }
                (Subject::Whole, _) => {
                    let addressed = ["you", "your", "there", "panels"];
                    let addressed = self.words.iter().any(|word| addressed.contains(word));
                    let alone = registry.only_subject().is_some();
                    whole || carry.name.is_none() || !points && (addressed || alone)
                }
            })
    }

    /// The days that are named are those of the facts, and are named where there are others.
    fn days_hold(&self, registry: &FactRegistry, carry: &Carry, implied: Option<Period>) -> bool {
        self.facts.iter().all(|fact| {
            if !self.days.is_empty() {
                return fact.period.is_some()
                    && self.days.iter().all(|days| fact.period == Some(*days));
            }
            let Some(period) = fact.period else {
                return true;
            };
            if implied.is_some_and(|implied| implied != period) {
                return false;
            }
            let names_days = |word: &&str| {
                !["day", "days", "period"].contains(word) && !lexicon::is_neutral(word)
            };
            let mut naming = self.words.iter().filter(|word| names_days(word));
            let when = naming.any(|word| is_when(word, period, registry));
            if carry.period.is_some_and(|named| named != period) && !when {
                return false;
            }
            let others = registry
                .same_measure(fact)
                .any(|other| other.period != fact.period);
            !others || when || carry.period == Some(period)
        })
    }

    /// Of two values of one measure it is said which one it is.
    fn apart_hold(&self, registry: &FactRegistry, before: &BTreeSet<String>) -> bool {
        self.facts.iter().all(|fact| {
            let told = |words: &BTreeSet<String>| {
                words.is_empty()
                    || !words.is_disjoint(before)
                    || self.words.iter().any(|word| words.contains(*word))
            };
            // The loss of an outage and that of the week, two readings of a curve.
            let apart = |other: &Fact| {
                fact.bounds.at.is_some() && other.bounds.at != fact.bounds.at
                    || other.bounds.words != fact.bounds.words && told(&fact.bounds.words)
            };
            fact.kind != Kind::Value
                || fact.measure.label == "timestamp"
                || registry.same_measure(fact).all(|other| {
                    other.period != fact.period
                        || other.text == fact.text
                        || other.unit != fact.unit
                        || apart(other)
                })
        })
    }

    /// Whether a part names the field of a word: "status", "role". A plain state needs no name, and
    /// one that is called almost like another needs its whole name.
    fn names_word(&self, fact: &Fact, registry: &FactRegistry) -> bool {
        let named = |label: &str| {
            let own = super::Measure::of(label);
            self.words.iter().any(|word| own.names(word))
        };
        if lexicon::is_plain_state(&fact.measure.label) {
            return true;
        }
        let mut labels = fact.measure.label.split(' ');
        if is_shared(fact, registry) {
            labels.all(named)
        } else {
            labels.any(named)
        }
    }

    /// "Leads with 43 kWh": the unit of energy that was made says what leads.
    fn leads_with(&self, fact: &Fact) -> bool {
        let ranks = |one: &&Fact| {
            let ranks = matches!(one.kind, Kind::Extreme { .. } | Kind::Place(_));
            ranks && one.measure.label == "energy" && one.subject == fact.subject
        };
        fact.kind == Kind::Value && fact.measure.label == "energy" && self.facts.iter().any(ranks)
    }

    /// Whether the measure is named, here or right before.
    fn measures_hold(&self, registry: &FactRegistry, carry: &Carry, before: &Before<'_>) -> bool {
        self.facts.iter().all(|fact| {
            // "From 10:00 to 14:00" names both ends.
            let is_edge =
                |word: &str| fact.number.is_none() && ["from", "to", "until"].contains(&word);
            let names = |word: &str| {
                fact.measure.is_named_by(word) && (is_edge(word) || !lexicon::is_neutral(word))
            };
            let named = self.words.iter().any(|word| names(word))
                || self.is_length_of(fact)
                || self.leads_with(fact)
                || is_upper_end(fact, before.words);
            if named && !self.is_qualified(fact, before.words) {
                return false;
            }
            let known = before.labels.contains(&fact.measure.label)
                || before.labels.is_empty() && carry.labels.contains(&fact.measure.label);
            // "It peaked at 4 kW at 13:00."
            let moment = fact.kind == Kind::Value && fact.number.is_none();
            let of_reading = |other: &Fact| other.bounds.at == Some(fact.id);
            let moment = moment
                && (before.words.iter().any(|word| names(word))
                    || registry.facts.iter().any(of_reading));
            match fact.kind {
                Kind::Word => {
                    self.names_word(fact, registry) || known && !is_shared(fact, registry)
                }
                _ => named || known || moment,
            }
        })
    }
}

/// Whether other words of the subject are called almost the same: "status", "status before".
fn is_shared(fact: &Fact, registry: &FactRegistry) -> bool {
    let own: Vec<&str> = fact.measure.label.split(' ').collect();
    registry.facts.iter().any(|other| {
        let mut labels = other.measure.label.split(' ');
        other.kind == Kind::Word
            && other.subject == fact.subject
            && other.measure.label != fact.measure.label
            && labels.any(|label| own.contains(&label))
    })
}

/// Whether a word says when, and means these days.
pub(super) fn is_when(word: &str, period: Period, registry: &FactRegistry) -> bool {
    let (start, end) = (period.start, period.end);
    let days = (end - start).num_days() + 1;
    let month = start.month() == end.month() && start.day() == 1 && days >= 28;
    let year = start.ordinal() == 1 && days >= 365 && start.year() == end.year();
    match word {
        "today" | "now" | "current" | "currently" | "right" | "moment" | "present" => {
            registry.today == Some(end) && days == 1
        }
        "yesterday" => days == 1 && registry.today.and_then(|today| today.pred_opt()) == Some(end),
        "week" => days == 7,
        "month" => month,
        "year" => year,
        "day" => days == 1,
        "days" => days > 1,
        "period" => true,
        word if month => end.format("%B").to_string().to_lowercase() == word,
        word => days == 1 && end.format("%A").to_string().to_lowercase() == word,
    }
}

/// Whether a fact is the upper end of a range that began before: "between 44 and 61 kWh".
fn is_upper_end(fact: &Fact, before: &BTreeSet<String>) -> bool {
    let ranges = ["between", "range", "ranges", "ranging"];
    let is_upper = fact.measure.label.split(' ').any(|label| label == "upper");
    is_upper && ranges.iter().any(|word| before.contains(*word))
}
