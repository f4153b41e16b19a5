//! The terms that a question asks for: an answer names one of them.
//!
//! A question on BASIC+ is not answered by a sentence on BASIC. A term is the thing that a question
//! asks to explain, or a word in capitals, if the documents have it.

use super::tokens::{Token, tokens};

/// Beginnings of a question that asks to explain a term.
const EXPLAINING: &[&str] = &[
    "what is ",
    "what's ",
    "what are ",
    "what is meant by ",
    "define ",
    "explain ",
    "tell me about ",
];

/// The same where a verb ends the term.
const WITH_VERB: &[&str] = &["what do ", "what does "];

/// Such verbs.
const VERBS: &[&str] = &["mean", "stand"];

/// Words before a thing that is described and not named: "the rules for overtime".
const DESCRIBING: &[&str] = &[
    "a", "an", "his", "my", "our", "the", "their", "this", "your",
];

/// Number of words that a term has at most.
const LONGEST: usize = 3;

/// The terms that a question asks for, each as the stems of its words.
#[derive(Debug, Default)]
pub(crate) struct Asked(Vec<Vec<String>>);

impl Asked {
    /// The terms of a question that one of these texts has.
    pub(crate) fn of(question: &str, texts: &[&str]) -> Self {
        let texts: Vec<Vec<Token>> = texts.iter().map(|text| tokens(text)).collect();
        let mut terms: Vec<Vec<String>> = explained(question).into_iter().collect();
        terms.extend(abbreviations(question));
        terms.retain(|term| texts.iter().any(|text| has(text, term)));
        Self(terms)
    }

    /// Whether the question asks for no term.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a sentence names a term, if there are any.
    pub(crate) fn is_named_by(&self, sentence: &str) -> bool {
        let said = tokens(sentence);
        self.0.is_empty() || self.0.iter().any(|term| has(&said, term))
    }
}

/// Whether a text has all words of a term.
fn has(text: &[Token], term: &[String]) -> bool {
    term.iter()
        .all(|word| text.iter().any(|one| one.stem() == word))
}

/// The words of a text that say something, as their stems.
fn stems(text: &str) -> Vec<String> {
    let all = tokens(text);
    let counting = all.iter().filter(|one| one.counts());
    counting.map(|one| one.stem().to_owned()).collect()
}

/// The term that a question asks to explain.
fn explained(question: &str) -> Option<Vec<String>> {
    let lower = question.trim().to_lowercase();
    let begins = |list: &[&str]| {
        let rests = list.iter().filter_map(|begin| lower.strip_prefix(begin));
        rests.min_by_key(|rest| rest.len()).map(str::to_owned)
    };
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_verb = |word: &&str| VERBS.contains(&plain(word).as_str());
    let asks = begins(WITH_VERB).filter(|rest| rest.split_whitespace().any(|one| is_verb(&one)));
    let rest = asks.or_else(|| begins(EXPLAINING))?;
    let mut words = rest.split_whitespace().peekable();
    if words.peek().is_some_and(|first| DESCRIBING.contains(first)) {
        return None;
    }
    let term: Vec<&str> = words.take_while(|word| !is_verb(word)).collect();
    let stems = stems(&term.join(" "));
    (1..=LONGEST).contains(&stems.len()).then_some(stems)
}

/// The words of a question in capitals. A number of a form or a part is the place of an answer,
/// which need not repeat it.
fn abbreviations(question: &str) -> impl Iterator<Item = Vec<String>> {
    let is_one = |word: &&str| {
        let letters = word.chars().filter(|c| c.is_alphabetic());
        let is_number = word.chars().any(char::is_numeric);
        letters.clone().count() > 1 && letters.clone().all(char::is_uppercase) && !is_number
    };
    // A question in capitals has none.
    let any_other = question.chars().any(char::is_lowercase);
    let words = question.split_whitespace().filter(move |_| any_other);
    words
        .filter(is_one)
        .map(stems)
        .filter(|term| !term.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The reporting level BASIC takes scope 1 and 2 of energy. BASIC+ adds \
        industrial processes. Form IF-12 gives a leak 14 days. Overtime is paid at 1.5 times the rate.";

    #[test]
    fn an_answer_names_the_term_that_was_asked_for() {
        for (question, sentence, names) in [
            (
                "What is BASIC+?",
                "BASIC takes scope 1 and 2 of energy.",
                false,
            ),
            ("What is BASIC+?", "BASIC+ adds industrial processes.", true),
            ("What does BASIC+ mean?", "BASIC takes scope 1.", false),
            (
                "Does a city have to report BASIC+?",
                "BASIC takes scope 1.",
                false,
            ),
            (
                "How do BASIC and BASIC+ differ?",
                "BASIC+ adds processes.",
                true,
            ),
            (
                "What is overtime?",
                "It is paid at 1.5 times the rate.",
                false,
            ),
            (
                "What is overtime?",
                "Overtime is paid at 1.5 times the rate.",
                true,
            ),
            (
                "What does overtime cost?",
                "It is 1.5 times the rate.",
                true,
            ),
            // Nothing is explained, or the documents do not have the term.
            ("What is the rate for overtime?", "It is 1.5 times.", true),
            ("What is GPC?", "BASIC takes scope 1.", true),
            ("How long for a leak on form IF-12?", "14 days.", true),
            ("HOW IS OVERTIME PAID?", "At 1.5 times the rate.", true),
        ] {
            let asked = Asked::of(question, &[TEXT]);
            assert_eq!(asked.is_named_by(sentence), names, "{question} {sentence}");
        }
    }
}
