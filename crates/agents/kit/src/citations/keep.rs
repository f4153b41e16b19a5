//! Conditions, quantifiers and limits of a place: a sentence leaves none of them out, and puts none
//! elsewhere.

use super::tokens::Token;

/// Words that make the whole sentence depend on something: a sentence has each as often as its
/// place.
const CONDITIONS: &[&str] = &[
    "either", "else", "if", "neither", "provided", "whenever", "when", "where",
];

/// Words that say of how many: a sentence says them of the same word.
const QUANTIFIERS: &[&str] = &[
    "all",
    "always",
    "any",
    "anyone",
    "anything",
    "both",
    "each",
    "either",
    "everyone",
    "everything",
    "few",
    "half",
    "many",
    "most",
    "neither",
    "never",
    "no",
    "nobody",
    "none",
    "nothing",
    "only",
    "several",
    "some",
];

/// Words that limit the word behind them: who says the word says the limit.
const LIMITING: &[&str] = &[
    "after",
    "almost",
    "before",
    "few",
    "half",
    "many",
    "may",
    "maybe",
    "most",
    "mostly",
    "nearly",
    "often",
    "partly",
    "possibly",
    "probably",
    "rarely",
    "several",
    "should",
    "some",
    "sometimes",
    "until",
    "usually",
];

/// Whether a sentence keeps what its place says of conditions, quantifiers and limits.
pub(super) fn keeps(said: &[Token], place: &[Token]) -> bool {
    let count = |tokens: &[Token], word: &str| {
        let same = |one: &&Token| plain(one) == word;
        tokens.iter().filter(same).count()
    };
    let conditions = CONDITIONS
        .iter()
        .all(|word| count(said, word) == count(place, word));
    conditions
        && quantifiers_hold(said, place)
        && limits_hold(said, place)
        && clauses_hold(said, place)
        && times_hold(said, place)
}

/// Words that say from when, until when or how often something holds.
const TIMES: &[&str] = &[
    "after", "before", "during", "from", "once", "since", "until", "within",
];

/// Who says something of a clause says from when, until when and how often it holds.
fn times_hold(said: &[Token], place: &[Token]) -> bool {
    let clauses: Vec<&[Token]> = place
        .split(|one| *one == Token::Break || plain(one) == "or")
        .collect();
    let has = |tokens: &[Token], stem: &str| tokens.iter().any(|one| one.stem() == stem);
    let is_used = |at: usize| {
        let own = clauses[at].iter().filter(|one| one.counts());
        let mut own = own.filter(|one| !TIMES.contains(&plain(one)));
        own.any(|one| {
            let mut others = (0..clauses.len()).filter(|other| *other != at);
            let elsewhere = others.any(|other| has(clauses[other], one.stem()));
            !elsewhere && has(said, one.stem())
        })
    };
    let count = |tokens: &[Token], word: &str| {
        let same = |one: &&Token| plain(one) == word;
        tokens.iter().filter(same).count()
    };
    let used: Vec<usize> = (0..clauses.len()).filter(|at| is_used(*at)).collect();
    TIMES.iter().all(|word| {
        let there = used.iter().map(|at| count(clauses[*at], word)).max();
        count(said, word) >= there.unwrap_or_default()
    })
}

/// Words that begin a clause which says of which things a sentence speaks.
const RELATIVE: &[&str] = &["that", "who", "whose"];

/// A thing that is restricted there is restricted in the sentence: "a job that is checked" is not
/// any job.
fn clauses_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
    (1..place.len()).all(|at| {
        let thing = &place[at - 1];
        let begins = RELATIVE.contains(&plain(&place[at])) && thing.counts() && has(thing);
        !begins || behind(&place[at..]).next().is_none_or(has)
    })
}

fn plain(token: &Token) -> &str {
    match token {
        Token::Word { plain, .. } => plain,
        Token::Figure(_) | Token::Break => "",
    }
}

/// The words of a clause behind its first token that say something.
fn behind(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    let clause = tokens.iter().skip(1);
    let clause = clause.take_while(|one| **one != Token::Break);
    clause.filter(|one| one.counts())
}

/// Each quantifier is next to the same word as there: "everything" is not
/// "everything else".
fn quantifiers_hold(said: &[Token], place: &[Token]) -> bool {
    let at = |tokens: &[Token]| -> Vec<usize> {
        let places = (0..tokens.len()).filter(|at| QUANTIFIERS.contains(&plain(&tokens[*at])));
        places.collect()
    };
    let there = at(place);
    at(said).into_iter().all(|own| {
        let next = behind(&said[own..]).next();
        there.iter().any(|other| {
            let mut clause = behind(&place[*other..]).peekable();
            let same = place[*other].stem() == said[own].stem();
            let Some(next) = next else {
                return same && clause.peek().is_none();
            };
            same && clause.any(|word| word.stem() == next.stem())
        })
    })
}

/// A word that is limited there is limited in the sentence.
fn limits_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |stem: &str| said.iter().any(|one| one.stem() == stem);
    (0..place.len()).all(|at| {
        let limits = LIMITING.contains(&plain(&place[at]));
        let limited = || {
            behind(&place[at..])
                .next()
                .is_some_and(|one| has(one.stem()))
        };
        !limits || has(place[at].stem()) || !limited()
    })
}
