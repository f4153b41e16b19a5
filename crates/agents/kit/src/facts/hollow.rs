//! Words that claim nothing beside others, and something where they stand alone: "it is on", "it
//! came in", "too late", "the average is Pacific Crown".

use super::{
    Fact, FactRegistry, Kind, lexicon,
    tokens::{Placed, Token},
};

/// Verbs whose complement is what they state.
const LINKING: &[&str] = &[
    "are", "be", "been", "being", "is", "it's", "looks", "sat", "sits", "stand", "stands", "stood",
    "that's", "there's", "was", "were",
];

/// Neutral words that are a complement on their own: "365 shipments were found".
const COMPLEMENTS: &[&str] = &[
    "amount",
    "answer",
    "counted",
    "data",
    "database",
    "equal",
    "figure",
    "figures",
    "found",
    "list",
    "listed",
    "log",
    "logged",
    "measured",
    "noted",
    "number",
    "numbers",
    "recorded",
    "records",
    "registered",
    "reported",
    "result",
    "results",
    "said",
    "seen",
    "shown",
    "value",
    "values",
];

/// Marks that end a clause.
const ENDS: &[char] = &[
    '.', ',', ';', ':', '!', '?', '(', ')', '\u{2013}', '\u{2014}',
];

/// Words that end a clause.
const JOINING: &[&str] = &[
    "although", "and", "but", "or", "plus", "though", "whereas", "while", "with",
];

/// Prepositions that say something of their verb where nothing follows them: "on", "came in".
const PARTICLES: &[&str] = &[
    "about", "across", "around", "by", "in", "into", "on", "over", "within",
];

/// Words that nothing of a particle begins with.
const OTHERS: &[&str] = &[
    "as", "by", "for", "from", "in", "into", "of", "on", "to", "within",
];

/// Words before a name that change nothing.
const DETERMINERS: &[&str] = &["a", "an", "my", "our", "that", "the", "their", "your"];

/// Whether no word says something by its place only, and no name is the value of a measure.
pub(super) fn nothing_hidden(
    registry: &FactRegistry,
    tokens: &[Placed],
    facts: &[Option<&Fact>],
) -> bool {
    let clauses = Clauses {
        registry,
        tokens,
        facts,
    };
    clauses.says_of_what()
        && (0..tokens.len()).all(|at| {
            clauses.complement_says(at)
                && clauses.particle_leads(at)
                && clauses.is_no_degree(at)
                && clauses.is_no_punctuality(at)
                && clauses.names_no_value(at)
        })
}

/// Participles without the ending.
const PARTICIPLES: &[&str] = &["built", "found", "lost", "made", "sold", "spent"];

/// Whether a word says what was done to a thing.
fn is_participle(word: &str) -> bool {
    word.ends_with("ed") || PARTICIPLES.contains(&word)
}

struct Clauses<'a> {
    registry: &'a FactRegistry,
    tokens: &'a [Placed],
    facts: &'a [Option<&'a Fact>],
}

impl Clauses<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        match &self.tokens.get(at)?.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn is(&self, at: usize, list: &[&str]) -> bool {
        self.word(at).is_some_and(|word| list.contains(&word))
    }

    fn ends(&self, at: usize) -> bool {
        match self.tokens.get(at).map(|one| &one.token) {
            None => true,
            Some(Token::Mark(mark)) => ENDS.contains(mark),
            Some(Token::Word(word)) => JOINING.contains(&word.as_str()),
            Some(_) => false,
        }
    }

    /// The places of a clause from one on.
    fn clause(&self, from: usize) -> impl Iterator<Item = usize> {
        (from..self.tokens.len()).take_while(|at| !self.ends(*at))
    }

    /// A figure with a participle alone does not say of what it is: "30 expected", "86 kWh made".
    fn says_of_what(&self) -> bool {
        let says = |one: &&Placed| !matches!(one.token, Token::Mark(_));
        let mut saying = self.tokens.iter().filter(says);
        let leads = matches!(saying.next().map(|one| &one.token), Some(Token::Ref(_)));
        let mut rest = saying.peekable();
        !leads
            || rest.peek().is_none()
            || !rest.all(|one| matches!(&one.token, Token::Word(word) if is_participle(word)))
    }

    /// Behind "is" there is more than words that claim nothing: "it is on", "they are here".
    fn complement_says(&self, at: usize) -> bool {
        if !self.is(at, LINKING) {
            return true;
        }
        let mut behind = self.clause(at + 1).peekable();
        if behind.peek().is_none() {
            // "It is, as of today, …" continues.
            let next = self.tokens.get(at + 1).map(|one| &one.token);
            return matches!(next, Some(Token::Mark(mark)) if !['.', '!'].contains(mark));
        }
        behind.any(|at| match &self.tokens[at].token {
            Token::Word(word) => {
                let is_all = lexicon::is_whole(word) && !lexicon::is_noun(word) && word != "sum";
                !(lexicon::is_neutral(word) || is_all) || COMPLEMENTS.contains(&word.as_str())
            }
            Token::Ref(_) | Token::Name(_) | Token::Phrase => true,
            Token::Mark(_) => false,
        })
    }

    /// A preposition has something behind it.
    fn particle_leads(&self, at: usize) -> bool {
        if !self.is(at, PARTICLES) {
            return true;
        }
        let after_link = at > 0 && self.is(at - 1, LINKING);
        let is_other = self.is(at + 1, OTHERS) || after_link && self.is(at + 1, &["at"]);
        !self.ends(at + 1) && !is_other
    }

    /// "Too" behind what it adds says "also", and before a word that it is too much.
    fn is_no_degree(&self, at: usize) -> bool {
        !self.is(at, &["too"]) || self.ends(at + 1)
    }

    /// "On time" and "in time" are what a fact says, or are left out.
    fn is_no_punctuality(&self, at: usize) -> bool {
        if !self.is(at, &["in", "on"]) || !self.is(at + 1, &["time"]) {
            return true;
        }
        let said = format!("{} time", self.word(at).unwrap_or_default());
        let mut facts = self.facts.iter().flatten();
        facts.any(|fact| {
            let text = fact.kind == Kind::Word && fact.text.eq_ignore_ascii_case(&said);
            // The rules say of a single value under which conditions it is.
            let mut conditions = fact.bounds.conditions.iter();
            let rules = conditions.any(|one| one.contains("time")) && self.registry.states(&said);
            text || rules || fact.measure.label.contains(&said)
        })
    }

    /// A name is the value of no measure: "the average is Pacific Crown". It leads one, or comes
    /// last.
    fn names_no_value(&self, at: usize) -> bool {
        if !self.is(at, LINKING) {
            return true;
        }
        let next = (at + 1..self.tokens.len()).find(|at| !self.is(*at, DETERMINERS));
        let names = next.is_some_and(|at| match &self.tokens[at].token {
            Token::Name(_) => true,
            Token::Ref(_) => self.facts[at]
                .is_some_and(|fact| matches!(fact.kind, Kind::Extreme { .. } | Kind::Place(_))),
            _ => false,
        });
        if !names {
            return true;
        }
        let before: Vec<&str> = (0..at)
            .rev()
            .take_while(|at| !self.ends(*at))
            .filter_map(|at| self.word(at))
            .collect();
        let figures = || {
            let all = self.facts.iter().flatten();
            // "70 % of the shipments are delivered" counts.
            let counts = |fact: &Fact| fact.unit.is_count() || fact.kind == Kind::Share;
            all.filter(move |fact| fact.number.is_some() && !counts(fact))
        };
        let measures = |word: &&str| {
            !lexicon::is_neutral(word)
                && !lexicon::is_noun(word)
                && figures().any(|fact| fact.measure.is_named_by(word))
        };
        let ranks = |word: &&str| lexicon::ranks(word);
        before.iter().any(ranks) || !before.iter().any(measures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Subject, Unit};

    /// Words that evaluate, or say the state of something.
    const EVALUATING: &[&str] = &[
        "active", "again", "alive", "already", "away", "back", "bad", "best", "better", "broken",
        "clean", "closed", "complete", "done", "down", "early", "enough", "fast", "fine",
        "finished", "free", "full", "good", "healthy", "late", "lost", "new", "normal", "off",
        "ok", "old", "only", "open", "out", "perfect", "punctual", "quick", "ready", "right",
        "running", "safe", "slow", "stable", "still", "stopped", "time", "up", "well", "whole",
        "working", "worse", "worst", "wrong",
    ];

    fn said(words: &str) -> String {
        let mut facts = FactRegistry::default();
        facts.know_record_noun("shipment");
        facts.tell(Subject::Whole, "shipments", Unit::Count, 1075.0);
        facts.word(words).text
    }

    #[test]
    fn a_word_that_evaluates_is_not_neutral() {
        for word in EVALUATING {
            assert!(!lexicon::is_neutral(word), "{word}");
            assert_eq!(said(&format!("[[f1]] shipments are {word}.")), "");
        }
    }

    #[test]
    fn no_neutral_word_is_a_statement_on_its_own() {
        assert_eq!(
            said("There are [[f1]] shipments."),
            "There are 1,075 shipments."
        );
        let is_open = |word: &&&str| !COMPLEMENTS.contains(*word);
        for word in lexicon::neutral().iter().filter(is_open) {
            for words in [
                format!("[[f1]] shipments are {word}."),
                format!("[[f1]] shipments are {word} and {word}."),
                format!("[[f1]] shipments were {word}, {word} and {word}."),
            ] {
                assert_eq!(said(&words), "");
            }
        }
    }
}
