//! Conditions, quantifiers and limits of a place: a sentence leaves none of them out, and puts none
//! elsewhere.

use super::{
    lists,
    tokens::{Token, decides},
};

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
    "anybody",
    "anyone",
    "anything",
    "both",
    "each",
    "either",
    "everybody",
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

/// Words that limit the word behind them, places among them: who says the word says the limit.
const LIMITING: &[&str] = &[
    "abroad",
    "after",
    "almost",
    "before",
    "elsewhere",
    "few",
    "half",
    "indoors",
    "inside",
    "least",
    "locally",
    "many",
    "may",
    "maybe",
    "most",
    "mostly",
    "much",
    "nearly",
    "often",
    "outdoors",
    "outside",
    "partly",
    "possibly",
    "probably",
    "quarter",
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
        && relatives_hold(said, place)
        && things_hold(said, place)
        && bounds_hold(said, place)
        && times_hold(said, place)
        && modifiers_hold(said, place)
        && rough_hold(said, place)
        && fractions_hold(said, place)
        && lists::are_whole(said, place)
}

/// Short words that limit the thing behind them: "live parts" are not any parts.
const MODIFIERS: &[&str] = &[
    "big", "clean", "closed", "cold", "dead", "dry", "early", "fixed", "full", "gross", "high",
    "hot", "junior", "known", "large", "late", "live", "long", "loose", "low", "major", "minor",
    "net", "new", "old", "open", "own", "raw", "red", "senior", "short", "single", "small",
    "spare", "valid", "wet", "written",
];

/// Ends of words that mostly limit the thing behind them.
const ENDINGS: &[&str] = &[
    "able", "ary", "ed", "ful", "ible", "ic", "ing", "ive", "less", "ous",
];

/// Words with such an end that say something else.
const OTHERS: &[&str] = &[
    "according",
    "being",
    "concerning",
    "during",
    "following",
    "including",
    "need",
    "regarding",
];

/// A thing is said with the words right before it that say which one it is: "a valid certificate"
/// is not any certificate.
fn modifiers_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
    let once = |one: &Token| place.iter().filter(|own| own.stem() == one.stem()).count() == 1;
    let is_modifier = |word: &str| {
        let ends = word.len() > 5 && ENDINGS.iter().any(|end| word.ends_with(end));
        MODIFIERS.contains(&word) || ends && !OTHERS.contains(&word)
    };
    place.windows(2).all(|pair| {
        let (modifier, thing) = (&pair[0], &pair[1]);
        let names = thing.counts()
            && thing.figure().is_none()
            && !decides(plain(thing))
            && !LIMITING.contains(&plain(thing));
        !is_modifier(plain(modifier)) || !names || !once(thing) || !has(thing) || has(modifier)
    })
}

/// Words that make a quantity a rough one.
const ROUGH: &[&str] = &["about", "approximately", "around", "roughly"];

/// Fractions in words.
const FRACTIONS: &[&str] = &["fifth", "half", "quarter", "tenth", "third"];

/// A part of a thing is said of the same thing: "half of all car trips" is not half of all trips,
/// and a quarter of the electricity is not a quarter of the roofs.
fn fractions_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
    // The words of the thing behind "half of".
    let thing = |tokens: &[Token], at: usize| -> Vec<String> {
        let Some(behind) = tokens
            .get(at + 2..)
            .filter(|_| plain(&tokens[at + 1]) == "of")
        else {
            return Vec::new();
        };
        let is_open = |one: &&Token| !one.counts() || QUANTIFIERS.contains(&plain(one));
        let words = behind.iter().skip_while(is_open);
        let words = words.take_while(|one| one.counts() && !decides(plain(one)));
        words.map(|one| one.stem().to_owned()).collect()
    };
    (0..place.len()).all(|at| {
        if !FRACTIONS.contains(&plain(&place[at])) || !has(&place[at]) {
            return true;
        }
        let own = said.iter().position(|one| one.stem() == place[at].stem());
        let there = thing(place, at);
        let head = own.and_then(|own| thing(said, own).pop());
        there.is_empty()
            || head.is_some_and(|head| there.contains(&head))
                && there
                    .iter()
                    .all(|word| said.iter().any(|one| one.stem() == word))
    })
}

/// A quantity that is a rough one there is so in the sentence: "about a fifth".
fn rough_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
    let is_amount = |one: &&Token| one.figure().is_some() || FRACTIONS.contains(&plain(one));
    (0..place.len()).all(|at| {
        let rough = ROUGH.contains(&plain(&place[at]));
        let mut near = place[at + 1..].iter().take(2);
        !rough || has(&place[at]) || near.find(is_amount).is_none_or(|amount| !has(amount))
    })
}

/// Words that say from when, until when or how often something holds.
const TIMES: &[&str] = &[
    "after", "before", "between", "during", "from", "once", "since", "until", "while", "within",
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
    // "From the use of the last weeks" says no time.
    let is_time = |tokens: &[Token], at: usize| {
        let behind = tokens[at + 1..].iter().filter(|one| one.counts());
        let mut behind = behind.take(2);
        let begins = tokens.get(at + 1).is_some_and(|one| plain(one) == "then");
        plain(&tokens[at]) != "from"
            || begins
            || behind.any(|one| {
                one.figure().is_some() || decides(plain(one)) || plain(one).ends_with("ing")
            })
    };
    let count = |tokens: &[Token], word: &str| {
        let same = |at: &usize| plain(&tokens[*at]) == word && is_time(tokens, *at);
        (0..tokens.len()).filter(same).count()
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

/// Words that make a statement of the participle behind them.
const BEING: &[&str] = &[
    "are", "be", "been", "being", "gets", "got", "had", "has", "have", "is", "was", "were",
];

/// A clause that chooses among things states nothing of them: "waste that is generated in the city"
/// does not say that waste is generated there.
fn relatives_hold(said: &[Token], place: &[Token]) -> bool {
    let begins = |one: &Token| RELATIVE.contains(&plain(one)) || plain(one) == "which";
    (1..place.len()).all(|at| {
        let thing = &place[at - 1];
        let action = behind(&place[at..]).next();
        let Some(action) = action.filter(|_| begins(&place[at]) && thing.counts()) else {
            return true;
        };
        let acts = place.get(at + 1) == Some(action);
        let is_thing = |at: &usize| said[*at].stem() == thing.stem();
        !(0..said.len()).filter(is_thing).any(|own| {
            let clause = said[own + 1..].iter();
            let clause: Vec<&Token> = clause.take_while(|one| **one != Token::Break).collect();
            let end = clause.iter().position(|one| one.stem() == action.stem());
            end.is_some_and(|end| {
                let between = &clause[..end];
                let is = between.iter().any(|one| BEING.contains(&plain(one)));
                let alone = between.iter().all(|one| !one.counts() && !begins(one));
                alone && (is || acts)
            })
        })
    })
}

/// Words that end what the word before them says.
const ENDS: &[&str] = &["least", "most", "until", "upto"];

/// A word is said with the end of what it says: "free until 24 hours before" is not free.
fn bounds_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
    (1..place.len()).all(|at| {
        let ends = ENDS.contains(&plain(&place[at]));
        let before = &place[at - 1];
        !ends || !before.counts() || decides(plain(before)) || !has(before) || has(&place[at])
    })
}

/// The beginning of a place is said whole: "unused parts" are not any parts, and "all but one" are
/// not all. A place that begins with "with" holds with that.
fn things_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
    let once = |one: &Token| place.iter().filter(|own| own.stem() == one.stem()).count() == 1;
    let first = place.iter().position(Token::counts).unwrap_or_default();
    let whole = match place.get(first..first + 2) {
        Some([one, thing]) => !thing.counts() || !has(thing) || !once(thing) || has(one),
        _ => true,
    };
    let begins = place.first().map(plain).unwrap_or_default();
    let with = begins != "with" || said.iter().any(|one| plain(one) == "with");
    let but = (2..place.len()).all(|at| {
        let of_all = QUANTIFIERS.contains(&plain(&place[at - 2]));
        let excepts = place[at - 1] == Token::Break && plain(&place[at]) == "but";
        !(of_all && excepts && has(&place[at - 2])) || said.iter().any(|one| plain(one) == "but")
    });
    whole && with && but && complements_hold(said, place)
}

/// A thing "of" something is said with it, where it comes up once: "repairs of dwellings", "the
/// grade of a product".
fn complements_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
    let once = |one: &Token| place.iter().filter(|own| own.stem() == one.stem()).count() == 1;
    (1..place.len()).all(|at| {
        let thing = &place[at - 1];
        let of = plain(&place[at]) == "of" && thing.figure().is_none() && thing.counts();
        let mut behind = place[at + 1..].iter();
        let complement = behind.find(|one| !["a", "an"].contains(&plain(one)));
        let complement = complement.filter(|one| one.counts() && one.figure().is_none());
        !of || !once(thing) || !has(thing) || complement.is_none_or(has)
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

/// The word that the word at a place limits: the next of its clause that says what something is,
/// otherwise the one before it.
fn limited_by(place: &[Token], at: usize) -> Option<&Token> {
    let names = |one: &&Token| match one {
        Token::Word { plain, .. } => !QUANTIFIERS.contains(&plain.as_str()) && !decides(plain),
        Token::Figure(_) | Token::Break => true,
    };
    let before = || {
        let clause = place[..at].iter().rev();
        let mut clause = clause.take_while(|one| **one != Token::Break);
        clause.find(|one| one.counts())
    };
    behind(&place[at..]).find(names).or_else(before)
}

/// A word that is limited there is limited in the sentence.
fn limits_hold(said: &[Token], place: &[Token]) -> bool {
    let has = |stem: &str| said.iter().any(|one| one.stem() == stem);
    (0..place.len()).all(|at| {
        let limits = LIMITING.contains(&plain(&place[at]));
        let limited = || limited_by(place, at).is_some_and(|one| has(one.stem()));
        !limits || has(place[at].stem()) || !limited()
    })
}
