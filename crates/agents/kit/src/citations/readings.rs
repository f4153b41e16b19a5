//! Ways to read a sentence: a person may say a rule with "must" or "you have to" where a manual
//! says how things are done.

use super::tokens::{Token, tokens};

/// Words that say whether something has to be, or may be.
const MODAL: &[&str] = &[
    "could", "may", "might", "must", "ought", "shall", "should", "will", "would",
];

/// Words before what is done to a thing.
const BEING: &[&str] = &["are", "be", "is"];

/// Number of words between "only" and the "once" that it is of.
const NEAR: usize = 3;

/// A sentence in other words, and the places that may support these.
pub(super) struct Reading {
    pub(super) said: Vec<Token>,
    of: Kind,
}

/// A kind of places.
enum Kind {
    /// It says how things are done, and not whether they have to be.
    Plain,
    /// It says so of this action, without naming who does it.
    Done(String),
    /// It has these words.
    Having(&'static [&'static str]),
}

impl Reading {
    /// Whether a place may support this reading.
    pub(super) fn is_of(&self, place: &[Token]) -> bool {
        let is_plain = || !place.iter().any(|one| MODAL.contains(&plain(one)));
        match &self.of {
            Kind::Plain => is_plain(),
            Kind::Done(action) => {
                let mut pairs = place.windows(2);
                let acts = |word: &str| BEING.contains(&word) || word == "of";
                let is_done =
                    pairs.any(|pair| acts(plain(&pair[0])) && pair[1].stem() == action.as_str());
                is_plain() && is_done && !place.iter().any(|one| plain(one) == "by")
            }
            Kind::Having(words) => words
                .iter()
                .all(|word| place.iter().any(|one| plain(one) == *word)),
        }
    }
}

/// The other readings of a sentence.
pub(super) fn of(said: &[Token]) -> Vec<Reading> {
    let readings = [without_must(said), you_must(said), due(said), once(said)];
    readings.into_iter().flatten().collect()
}

/// The words of a rule without its "must": a manual says "is entered on the same day" where a
/// sentence may say "must be entered".
fn without_must(said: &[Token]) -> Option<Reading> {
    let mut pairs = said.windows(2);
    let at = pairs.position(|pair| plain(&pair[0]) == "must" && plain(&pair[1]) == "be")?;
    Some(Reading {
        said: without(said, at),
        of: Kind::Plain,
    })
}

/// "You have to request leave" of "leave is requested", and "you must rest for 45 minutes" of "45
/// minutes of rest follow".
fn you_must(said: &[Token]) -> Option<Reading> {
    let mut three = said.windows(3);
    let at = three.position(|three| {
        plain(&three[0]) == "you" && plain(&three[1]) == "must" && three[2].counts()
    })?;
    Some(Reading {
        said: without(said, at + 1),
        of: Kind::Done(said[at + 2].stem().to_owned()),
    })
}

/// What "must be paid" is due.
fn due(said: &[Token]) -> Option<Reading> {
    let mut three = said.windows(3);
    let at = three.position(|three| {
        let mut words = three.iter().zip(["must", "be", "pay"]);
        words.all(|(one, word)| plain(one) == word)
    })?;
    Some(Reading {
        said: [&said[..at], &tokens("due"), &said[at + 3..]].concat(),
        of: Kind::Having(&["due"]),
    })
}

/// What "can be used once" can only be used once.
fn once(said: &[Token]) -> Option<Reading> {
    let at = said.iter().position(|one| plain(one) == "only")?;
    let mut behind = said[at + 1..].iter().take(NEAR);
    behind.any(|one| plain(one) == "once").then(|| Reading {
        said: without(said, at),
        of: Kind::Having(&["may", "once"]),
    })
}

fn without(said: &[Token], at: usize) -> Vec<Token> {
    [&said[..at], &said[at + 1..]].concat()
}

fn plain(token: &Token) -> &str {
    match token {
        Token::Word { plain, .. } => plain,
        Token::Figure(_) | Token::Break => "",
    }
}

/// Beginnings of a sentence on all people.
const ALL_PEOPLE: &[&str] = &["Anybody", "Anyone", "Everybody", "Everyone"];

/// Ends that say the same of the reader.
const YOU_TOO: &[&str] = &[
    ", so can you",
    ", so you can too",
    ", so you may too",
    ", you too",
];

/// A sentence without an opening that sums up, and without an end that allows the reader the same
/// as all people.
pub(super) fn bare(sentence: &str) -> &str {
    let sentence = without_opening(sentence);
    let may = sentence.contains(" may ") || sentence.contains(" can ");
    if !may || !ALL_PEOPLE.iter().any(|one| sentence.starts_with(one)) {
        return sentence;
    }
    let ended = sentence.trim_end_matches(['.', '!']);
    let rest = YOU_TOO.iter().find_map(|end| ended.strip_suffix(end));
    rest.unwrap_or(sentence)
}

/// A sentence without an opening that sums up and claims nothing.
fn without_opening(sentence: &str) -> &str {
    let openings = [
        "Based on the documents, ",
        "Based on your documents, ",
        "Basically, ",
        "In short, ",
        "In brief, ",
        "In summary, ",
        "In other words, ",
        "The documents say that ",
        "The documents state that ",
    ];
    let mut rest = openings
        .iter()
        .filter_map(|opening| sentence.strip_prefix(opening));
    rest.next().unwrap_or(sentence)
}

/// A sentence without a "yes" before it: it says nothing of the documents, and the question that it
/// answers may be another one.
pub(super) fn without_yes(sentence: &str) -> Option<String> {
    let rest = sentence
        .strip_prefix("Yes, ")
        .or_else(|| sentence.strip_prefix("Yes: "))?;
    let first = rest.chars().next()?;
    let capital = first.to_uppercase();
    Some(format!("{capital}{}", &rest[first.len_utf8()..]))
}
