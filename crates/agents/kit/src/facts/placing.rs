//! Order within a part of a sentence: what words claim by where they stand.
//!
//! Each word of a part is known to be one of its facts' or to claim nothing when this is asked. But
//! "43 kWh a day", "at most 43 kWh" and "4 of 5 sites" consist of such words, too.

use std::collections::BTreeSet;

use super::{
    Fact, FactRegistry, Kind, Subject, Unit, lexicon, measure::Measure, part::Part, tokens::Token,
};

/// Words before a noun that change nothing.
const DETERMINERS: &[&str] = &[
    "its", "my", "of", "our", "solar", "that", "the", "their", "these", "this", "those", "your",
];

/// Words before a noun that only say where something belongs.
const PLACES: &[&str] = &["across", "among", "at", "for", "from", "in", "of", "on"];

/// Words before a value that make a bound, a comparison or a change of it.
const BOUNDS: &[&str] = &["as", "by", "into", "over", "than", "within"];

/// Verbs before "to" with a value behind it.
const ADDING: &[&str] = &["amounted", "amounts", "came", "come", "comes", "compared"];

/// Times and things of which a value may be the rate.
const EACH: &[&str] = &[
    "day", "device", "hour", "inverter", "minute", "month", "panel", "site", "system", "week",
    "year",
];

impl Part<'_> {
    /// No word and no value claims more by its place than its facts say.
    pub(super) fn order_holds(&self, registry: &FactRegistry) -> bool {
        let mut placed = self.facts.iter().zip(&self.refs);
        // A value that comes twice is called two things.
        let ids: BTreeSet<_> = self.facts.iter().map(|fact| fact.id).collect();
        ids.len() == self.facts.len()
            && placed
                .all(|(fact, at)| self.is_placed(fact, *at) && self.is_counted(fact, *at, registry))
            && self.texts_hold()
            && self.happened()
            && self.gatherings_hold()
            && self.limits_hold()
            && self.participles_hold(registry)
            && self.comparisons_hold()
    }

    /// "It has to make 43 kWh" is not what it made; of what is expected one may say so.
    fn happened(&self) -> bool {
        let expected = Measure::of("expected");
        let mut labels = self.facts.iter().map(|fact| fact.measure.label.split(' '));
        let is_expected = labels.any(|mut labels| labels.any(|label| expected.names(label)));
        is_expected
            || (0..self.tokens.len()).all(|at| {
                let next = self.word(at + 1).unwrap_or_default();
                let acts = |fact: &&Fact| !lexicon::is_neutral(next) && fact.measure.names(next);
                let adds = at
                    .checked_sub(1)
                    .and_then(|at| self.word(at))
                    .is_some_and(|word| ADDING.contains(&word));
                self.word(at) != Some("to") || adds || !self.facts.iter().any(acts)
            })
    }

    /// The words of a text of two are said together: who is "nearly done" is not done.
    fn texts_hold(&self) -> bool {
        let of_text = |fact: &&&Fact| fact.kind == Kind::Word;
        self.facts.iter().filter(of_text).all(|fact| {
            let own = super::measure::tokens(&fact.text);
            let [first, second] = own.as_slice() else {
                return true;
            };
            let free = |word: &str| lexicon::is_neutral(word) || fact.measure.names(word);
            (0..self.words.len()).all(|at| {
                let word = self.words[at];
                let begins = word != first
                    || free(word)
                    || self.words.get(at + 1).is_some_and(|next| next == second);
                let ends =
                    word != second || free(word) || at > 0 && self.words[at - 1] == first.as_str();
                begins && ends
            })
        })
    }

    /// Whether a fact that is more than what was measured is said to be that.
    pub(super) fn is_qualified(&self, fact: &Fact, before: &BTreeSet<String>) -> bool {
        let mut labels = fact.measure.label.split(' ');
        labels.all(|label| {
            if !lexicon::is_qualifier(label) {
                return true;
            }
            let qualifier = Measure::of(label);
            let says = |word: &str| !lexicon::is_neutral(word) && qualifier.names(word);
            self.words.iter().any(|word| says(word)) || before.iter().any(|word| says(word))
        })
    }

    fn word(&self, at: usize) -> Option<&str> {
        match &self.tokens.get(at)?.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The place of the next token that is not an emphasis.
    fn behind(&self, at: usize) -> usize {
        let emphasis = |at: usize| {
            let token = self.tokens.get(at).map(|one| &one.token);
            matches!(token, Some(Token::Mark('*' | '_' | '`')))
        };
        let mut behind = at + 1..=self.tokens.len();
        behind.find(|at| !emphasis(*at)).unwrap_or(at)
    }

    /// The reference stands where its value says what the words say.
    fn is_placed(&self, fact: &Fact, at: usize) -> bool {
        if !self.is_unbound(fact, at) || self.is_rate(at) {
            return false;
        }
        let says = |of: fn(&str) -> bool| self.words.iter().any(|word| of(word));
        // Where sites send nothing, none of those that send is not none.
        if fact.is_none() && fact.bounds.leaves_out {
            return false;
        }
        if fact.is_none() {
            let counted = self.tokens[at + 1..]
                .iter()
                .take_while(|one| !matches!(one.token, Token::Mark(_)));
            let counted = counted
                .into_iter()
                .any(|one| matches!(&one.token, Token::Word(word) if fact.measure.names(word)));
            return says(lexicon::is_none) || counted;
        }
        let next = self.word(self.behind(at)).unwrap_or_default();
        let other = |name: &str| self.names.contains(&&*name.to_lowercase());
        match &fact.kind {
            Kind::Difference { other: name, .. } => {
                other(name) && (lexicon::is_more(next) || lexicon::is_less(next))
            }
            Kind::Ratio { other: name } => other(name) && next == "as",
            Kind::Extreme { .. } => {
                self.words
                    .iter()
                    .any(|word| lexicon::supports(fact, word) && !fact.measure.names(word))
                    || !self.names.is_empty()
            }
            Kind::Place(_) => says(lexicon::is_placing) || !self.names.is_empty(),
            _ => true,
        }
    }

    /// Nothing before a value changes it: no sign, no bound, no range.
    fn is_unbound(&self, fact: &Fact, at: usize) -> bool {
        let mut before = (0..at).rev().filter(|at| {
            !matches!(
                self.tokens[*at].token,
                Token::Mark('*' | '_' | '`' | '(' | '"' | '\'')
            )
        });
        let Some(nearest) = before.next() else {
            return true;
        };
        let second = before.next();
        match &self.tokens[nearest].token {
            Token::Mark('-' | '\u{2013}' | '\u{2014}') => {
                let named =
                    second.is_some_and(|at| matches!(self.tokens[at].token, Token::Name(_)));
                let spaced = self.tokens[nearest].span.end < self.tokens[nearest + 1].span.start;
                named && spaced
            }
            Token::Word(word) if word == "over" && self.is_counted_over(fact, nearest) => true,
            Token::Word(word) if word == "by" && self.is_late_by(fact, second) => true,
            Token::Word(word) if BOUNDS.contains(&word.as_str()) => {
                matches!(fact.kind, Kind::Word | Kind::Extreme { .. }) && word != "than"
            }
            Token::Word(word) if word == "from" => {
                !matches!(fact.kind, Kind::Value | Kind::Difference { .. })
                    || fact.measure.label == "start"
                    || is_limit(fact)
            }
            Token::Word(word) if word == "to" => {
                let adds = second
                    .and_then(|at| self.word(at))
                    .is_some_and(|word| ADDING.contains(&word));
                adds || fact.number.is_none() || is_limit(fact)
            }
            _ => true,
        }
    }

    /// "An average delay of 25 h over 52 shipments": the number of those that the average is of.
    fn is_counted_over(&self, fact: &Fact, over: usize) -> bool {
        let is_average = |before: &Fact| {
            let mut labels = before.measure.label.split(' ');
            before.kind == Kind::Value
                && before.subject == fact.subject
                && labels.any(lexicon::is_statistic)
        };
        let counts = fact.kind == Kind::Value && fact.unit == Unit::Count;
        over == 0 && counts && self.after.is_some_and(is_average)
    }

    /// "Delayed by 4 h": the participle is that of the measure.
    fn is_late_by(&self, fact: &Fact, at: Option<usize>) -> bool {
        let participle = at.and_then(|at| self.word(at)).unwrap_or_default();
        fact.kind == Kind::Value && participle.ends_with("ed") && fact.measure.names(participle)
    }

    /// "The average delay of delayed shipments" is not that of all of them.
    fn participles_hold(&self, registry: &FactRegistry) -> bool {
        (0..self.tokens.len()).all(|at| {
            let word = self.word(at).filter(|word| word.ends_with("ed"));
            let is_before_noun = self
                .word(at + 1)
                .is_some_and(|next| registry.has_row_noun(next));
            word.is_none_or(|word| {
                let names = |fact: &&Fact| {
                    let mut labels = fact.measure.label.split(' ');
                    fact.measure.names(word) && !labels.any(|label| label == word)
                };
                !(is_before_noun && self.facts.iter().any(names))
            })
        })
    }

    /// "43 kWh a day", "43 kWh an inverter".
    fn is_rate(&self, at: usize) -> bool {
        let next = self.behind(at);
        let article = self
            .word(next)
            .is_some_and(|word| ["a", "an"].contains(&word));
        let of = self.word(next + 1).unwrap_or_default();
        article && EACH.contains(&of)
    }

    /// Whether the things that are counted are those that the fact counts.
    fn is_counted(&self, fact: &Fact, at: usize, registry: &FactRegistry) -> bool {
        let counts = matches!(fact.kind, Kind::Part { .. })
            || fact.kind == Kind::Value && fact.unit == Unit::Count;
        if !counts {
            return true;
        }
        let mut next = self.behind(at);
        while self
            .word(next)
            .is_some_and(|word| DETERMINERS.contains(&word))
        {
            next += 1;
        }
        self.word(next).is_none_or(|word| {
            let thing = lexicon::is_noun(word)
                || lexicon::is_gathering(word)
                || registry.has_row_noun(word);
            !thing || fact.measure.names(word)
        })
    }

    /// A device's value is not the value of all devices or of the site: these come up as its place
    /// only, "of your devices", "on your site".
    fn gatherings_hold(&self) -> bool {
        let of_one =
            |fact: &&&Fact| matches!(fact.subject, Subject::Named(_)) || fact.bounds.is_part;
        let own: Vec<&&Fact> = self.facts.iter().filter(of_one).collect();
        if own.is_empty() {
            return true;
        }
        (0..self.tokens.len()).all(|at| {
            let Some(word) = self.word(at).filter(|word| lexicon::is_gathering(word)) else {
                return true;
            };
            let is_place = (0..at)
                .rev()
                .map_while(|before| self.word(before))
                .find(|word| PLACES.contains(word) || !DETERMINERS.contains(word))
                .is_some_and(|word| PLACES.contains(&word));
            let whole = ["fleet", "whole"].contains(&word);
            let of_sites = || own.iter().all(|fact| fact.bounds.is_site);
            if word == "site" && of_sites() {
                return true;
            }
            is_place && !whole
                || own
                    .iter()
                    .any(|fact| !fact.bounds.is_site && fact.measure.names(word))
                || is_counted_there(word, &own)
        })
    }

    /// "At least" and "at most" need a fact that is a limit; "over" needs a time.
    fn limits_hold(&self) -> bool {
        (0..self.tokens.len()).all(|at| {
            let next = self.word(at + 1).unwrap_or_default();
            match self.word(at) {
                Some("at") if ["least", "most"].contains(&next) => {
                    self.facts.iter().all(|fact| is_limit(fact))
                }
                Some("over") => {
                    let days = |at: usize| {
                        let token = self.tokens.get(at).map(|one| &one.token);
                        matches!(token, Some(Token::Ref(_))) && !self.refs.contains(&at)
                    };
                    let determined = DETERMINERS.contains(&next) && next != "of";
                    let counted = self.refs.iter().zip(&self.facts);
                    let counts = |(own, fact): (&usize, &&Fact)| {
                        *own == at + 1 && self.is_counted_over(fact, at)
                    };
                    days(at + 1)
                        || next == "time"
                        || counted.into_iter().any(counts)
                        || determined && !self.refs.contains(&(at + 2))
                }
                _ => true,
            }
        })
    }

    /// "More" and "less" belong to the difference before them, not to a value.
    fn comparisons_hold(&self) -> bool {
        let differs = |fact: &Fact| matches!(fact.kind, Kind::Difference { .. });
        if !self.facts.iter().any(|fact| differs(fact)) {
            return true;
        }
        let compares = |at: &usize| {
            let word = self.word(*at).unwrap_or_default();
            lexicon::is_more(word) || lexicon::is_less(word)
        };
        (0..self.tokens.len()).filter(compares).all(|at| {
            let before = self.refs.iter().rposition(|own| *own < at);
            before.is_some_and(|own| differs(self.facts[own]))
        })
    }
}

/// Whether a word is what facts on a site count: its devices.
fn is_counted_there(word: &str, own: &[&&Fact]) -> bool {
    let counts = |fact: &Fact| matches!(fact.kind, Kind::Part { .. }) || fact.unit == Unit::Count;
    own.iter()
        .any(|fact| fact.bounds.is_site && counts(fact) && fact.measure.names(word))
}

/// Whether a fact is the lower or the upper end of what is expected.
fn is_limit(fact: &Fact) -> bool {
    let mut labels = fact.measure.label.split(' ');
    labels.any(|label| ["lower", "upper"].contains(&label))
}
