//! Whether a text supports a sentence: by its words, its figures, and what binds them.
//!
//! A sentence may only have words of the text and words that claim nothing. It is about one place
//! of the text, a sentence or two: there stand its figures, each before the same word, and every
//! word that decides on what is claimed ("not", "only", "before", "all", numbers in words). That
//! place has no "not" that the sentence leaves out, and most of the words are in its order.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    alternatives, canon, clauses, compared, figures,
    keep::keeps,
    order, readings,
    records::{self, RecordText},
    resolved,
    tokens::{TURNING, Token, decides, tokens},
    told,
};

/// Part of the pairs of neighbouring words that have to be in the order of the text.
const ORDER: f64 = 0.65;

/// Part of the words between the first and the last that a sentence has of a place.
const COVERED: f64 = 0.45;

/// Part of all words of a place that a sentence has of a text that is repeated.
const QUOTED: f64 = 0.85;

/// Number of words that make a clause of its own.
const CLAUSE: usize = 3;

/// Words at the beginning of a sentence that speak of what the one before it names.
const POINTING: &[&str] = &[
    "both", "he", "it", "its", "she", "such", "that", "their", "these", "they", "this", "those",
];

/// Part of the words that have to be at the same place.
const NEAR: f64 = 0.7;

/// A place of a text: a sentence, a row, a record.
#[derive(Debug, Clone, Default)]
struct Place {
    tokens: Vec<Token>,
    /// Whether a sentence on it has all of its words.
    is_whole: bool,
    /// Of a record: its figures, and the words of their keys.
    keys: Vec<(String, Vec<String>)>,
    /// Of a record: what it says beside figures.
    values: Vec<RecordText>,
}

/// A text that may support a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    words: BTreeSet<String>,
    places: Vec<Place>,
    /// Places that speak of what the one before them names, with its name.
    resolved: Vec<Place>,
    /// The words of its headings.
    headings: BTreeSet<String>,
    /// Whether the headings name one thing, which may be what a place is about.
    has_subject: bool,
    /// Whether the order of its words says something.
    ordered: bool,
    /// Whether a sentence has to have nearly all of a place.
    is_quoted: bool,
}

impl Text {
    /// A passage, with its headings.
    pub(super) fn of(headings: &str, content: &str) -> Self {
        let mut places: Vec<Place> = Vec::new();
        let mut resolved: Vec<Place> = Vec::new();
        let place = |text: &str| Place {
            tokens: tokens(text),
            ..Place::default()
        };
        for line in content.lines() {
            let bare = line
                .trim()
                .trim_start_matches(['-', '*', '+', '>', '#', ' ']);
            let pieces = if line.trim_start().starts_with('|') {
                vec![bare.to_owned()]
            } else {
                crate::prose::sentences(bare)
            };
            places.extend(pieces.iter().flat_map(|piece| piece.split("; ")).map(place));
            let pairs = pieces.windows(2);
            let named = pairs.filter_map(|pair| compared::with_names(&pair[0], &pair[1]));
            resolved.extend(named.map(|text| place(&text)));
            let told = pieces.iter().flat_map(|piece| resolved::of(piece));
            resolved.extend(told.map(|written| Place {
                tokens: written.tokens,
                is_whole: written.is_whole,
                ..Place::default()
            }));
        }
        let all = tokens(&format!("{headings}\n{content}"));
        let written = resolved.iter().flat_map(|place| &place.tokens);
        Self {
            words: all
                .iter()
                .chain(written)
                .map(|one| one.stem().to_owned())
                .collect(),
            places,
            resolved,
            headings: tokens(headings)
                .iter()
                .map(|one| one.stem().to_owned())
                .collect(),
            has_subject: !headings.contains(',') && !headings.contains(" and "),
            ordered: true,
            is_quoted: false,
        }
    }

    /// A text of a service: it is repeated place by place.
    pub(super) fn told(text: &str) -> Self {
        Self {
            resolved: Vec::new(),
            is_quoted: true,
            ..Self::of("", &told::without_orders(text))
        }
    }

    /// Records of a service: each object is a place, with the values of the objects around it.
    pub(super) fn of_records(records: &[Value]) -> Self {
        let mut text = Self::default();
        for record in records {
            text.read(record, &Place::default());
        }
        text.words = text
            .places
            .iter()
            .flat_map(|place| place.tokens.iter().map(|one| one.stem().to_owned()))
            .collect();
        text
    }

    fn read(&mut self, value: &Value, around: &Place) {
        match value {
            Value::Object(members) => {
                let mut own = around.clone();
                for (name, value) in members {
                    let told = match value {
                        Value::String(text) => text.clone(),
                        Value::Number(number) => number.to_string(),
                        Value::Bool(_) | Value::Null => continue,
                        Value::Array(_) | Value::Object(_) => String::new(),
                    };
                    own.values.push(RecordText::of(name, value));
                    let (key, told) = (tokens(&spelled(name)), tokens(&told));
                    let figures = told.iter().filter_map(Token::figure);
                    let stems: Vec<String> = key.iter().map(|one| one.stem().to_owned()).collect();
                    own.keys
                        .extend(figures.map(|figure| (figure.to_owned(), stems.clone())));
                    own.tokens.extend(key);
                    own.tokens.extend(told);
                }
                for value in members.values() {
                    self.read(value, &own);
                }
                self.places.push(own);
            }
            Value::Array(items) => items.iter().for_each(|item| self.read(item, around)),
            _ => {}
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether all words of a text are words of this one.
    pub(super) fn has_words_of(&self, text: &str) -> bool {
        let mut counting = tokens(text).into_iter().filter(Token::counts);
        counting.all(|one| self.words.contains(one.stem()))
    }

    /// Whether this text supports a sentence.
    pub(super) fn supports(&self, sentence: &str) -> bool {
        if has_strange_marks(sentence) {
            return false;
        }
        if self.ordered && sentence.contains("; ") {
            return self.supports_parts(sentence);
        }
        let said = order::without_first(tokens(readings::bare(sentence)));
        let others = readings::of(&said);
        let mut others = others.iter().filter(|_| self.ordered);
        others
            .any(|reading| self.supports_words(&reading.said, |place| reading.is_of(&place.tokens)))
            || self.supports_words(&said, |_| true)
    }

    /// Whether the places of a kind support the words of a sentence.
    fn supports_words(&self, said: &[Token], is_open: impl Fn(&Place) -> bool) -> bool {
        let counting: Vec<&Token> = said.iter().filter(|one| one.counts()).collect();
        let any_word = counting
            .iter()
            .any(|one| matches!(one, Token::Word { plain, .. } if !decides(plain)));
        if !any_word || !counting.iter().all(|one| self.words.contains(one.stem())) {
            return false;
        }
        let singles = self.places.iter().chain(&self.resolved);
        let mut singles = singles.filter(|place| is_open(place));
        if singles.any(|place| {
            self.is_said_at(said, &place.tokens)
                && place.is_named(said)
                && place.is_said_whole(said)
                && (self.ordered || records::are_whole(said, &place.values))
        }) {
            return true;
        }
        if self.is_quoted {
            return false;
        }
        if self.ordered {
            let mut pairs = self.places.windows(2);
            return pairs.any(|pair| {
                pair.iter().all(&is_open) && self.is_said_at_both(said, &pair[0], &pair[1])
            });
        }
        // Names of several records, without any of their figures.
        let plain = |one: &&Token| matches!(one, Token::Word { plain, .. } if !decides(plain));
        let values = || self.places.iter().flat_map(|place| &place.values);
        counting.iter().all(plain) && records::are_of_one_key(said, values)
    }

    /// Whether the parts of a sentence are said by neighbouring places, in their order.
    fn supports_parts(&self, sentence: &str) -> bool {
        let parts: Vec<Vec<Token>> = readings::bare(sentence).split("; ").map(tokens).collect();
        let says = |places: &[Place]| {
            let mut both = places.iter().zip(&parts);
            both.all(|(place, part)| self.is_said_at(part, &place.tokens))
        };
        self.places.windows(parts.len()).any(says)
    }

    /// Whether a sentence says what two neighbouring places say: each of its clauses is of one of
    /// them, unless the second speaks of what the first names.
    fn is_said_at_both(&self, said: &[Token], first: &Place, second: &Place) -> bool {
        let points = second.tokens.first().is_some_and(
            |one| matches!(one, Token::Word { plain, .. } if POINTING.contains(&plain.as_str())),
        );
        let is_of = |clause: &[Token], place: &Place| {
            let mut counting = clause.iter().filter(|one| one.counts());
            counting.all(|one| place.tokens.iter().any(|other| other.stem() == one.stem()))
        };
        // One place alone has it, and was asked already.
        if is_of(said, first) || is_of(said, second) {
            return false;
        }
        let split = clauses(said);
        let split = split
            .iter()
            .all(|clause| is_of(clause, first) || is_of(clause, second));
        let both = [&*first.tokens, &[Token::Break], &*second.tokens].concat();
        (points || split) && self.is_said_at(said, &both)
    }

    fn is_said_at(&self, said: &[Token], place: &[Token]) -> bool {
        let place = &*part_said(said, place);
        let has = |stem: &str| place.iter().any(|one| one.stem() == stem);
        let counting: Vec<&Token> = said.iter().filter(|one| one.counts()).collect();
        let near = counting.iter().filter(|one| has(one.stem())).count();
        if (near as f64) < NEAR * counting.len() as f64 {
            return false;
        }
        // The subject of a place may be in its heading.
        let named = |one: &&&Token| {
            has(one.stem()) || self.has_subject && self.headings.contains(one.stem())
        };
        if !counting.iter().all(|one| named(&one)) {
            return false;
        }
        let decided = said.iter().all(|one| match one {
            Token::Word { plain, .. } => !decides(plain) || has(one.stem()),
            Token::Figure(figure) => has(figure),
            Token::Break => true,
        });
        decided
            && turns(said) == turns(place)
            && figures::bound(said, place, self.ordered)
            && (!self.ordered
                || in_order(said, place)
                    && figures::of_clauses(said, place)
                    && self.covers(&counting, place)
                    && turned(said, place)
                    && figures::in_order(said, place)
                    && keeps(said, place)
                    && agents_hold(said, place)
                    && opposed(said, place)
                    && compared::holds(said, place)
                    && alternatives::hold(said, place)
                    && order::holds(said, place)
                    && clauses::are_whole(said, place))
    }

    /// Whether a sentence says enough of the part of a place that it is from: what it leaves out in
    /// between may decide on what is said.
    fn covers(&self, said: &[&Token], place: &[Token]) -> bool {
        let is_said = |one: &&Token| said.iter().any(|other| other.stem() == one.stem());
        let counting: Vec<&Token> = place
            .iter()
            .filter(|one| one.counts() && !self.headings.contains(one.stem()))
            .collect();
        let first = counting.iter().position(is_said);
        // Of a word that comes again later, the first one is said.
        let firsts = said.iter().filter_map(|one| {
            let is_it = |own: &&Token| own.stem() == one.stem();
            counting.iter().position(is_it)
        });
        let (Some(first), Some(last)) = (first, firsts.max()) else {
            return true;
        };
        let span = &counting[first..=last];
        let found = span.iter().filter(|one| is_said(one)).count();
        if self.is_quoted {
            return found as f64 >= QUOTED * counting.len() as f64;
        }
        found as f64 >= COVERED * span.len() as f64
    }
}

impl Place {
    /// Whether a sentence has all words of a place that has to be said whole.
    fn is_said_whole(&self, said: &[Token]) -> bool {
        let has = |one: &Token| said.iter().any(|own| own.stem() == one.stem());
        let mut counting = self.tokens.iter().filter(|one| one.counts());
        !self.is_whole || counting.all(has)
    }

    /// Whether each figure of a sentence is called by its own key: a year is not an emission.
    fn is_named(&self, said: &[Token]) -> bool {
        if self.keys.is_empty() {
            return true;
        }
        let is_key = |stem: &str| {
            self.keys
                .iter()
                .any(|(_, key)| key.iter().any(|k| k == stem))
        };
        (0..said.len()).all(|at| {
            let Some(figure) = said[at].figure() else {
                return true;
            };
            let own = |stem: &str| {
                let mut keys = self.keys.iter().filter(|(of, _)| of == figure);
                keys.any(|(_, key)| key.iter().any(|k| k == stem))
            };
            let in_clause = |one: &&Token| **one != Token::Break;
            let before: Vec<&Token> = said[..at].iter().rev().take_while(in_clause).collect();
            let behind: Vec<&Token> = said[at + 1..].iter().take_while(in_clause).collect();
            // "Issue 1 is open": the number is the name of the thing.
            let names_a_thing = |one: &&Token| {
                self.values.iter().any(|value| value.has_key(one.stem()))
            };
            if own("id") && before.first().is_some_and(names_a_thing) {
                return true;
            }
            if own("year") {
                let preposition = |one: &Token| {
                    matches!(one, Token::Word { plain, .. } if ["in", "for", "since", "year"].contains(&plain.as_str()))
                };
                let named = before.first().map_or(at == 0, |one| {
                    preposition(one) || one.counts() && !is_key(one.stem())
                });
                return named && behind.first().is_none_or(|one| !one.counts());
            }
            let nearest = |words: &[&Token]| words.iter().position(|one| is_key(one.stem()));
            let is_own = |words: &[&Token], at: usize| own(words[at].stem());
            match (nearest(&before), nearest(&behind)) {
                (Some(left), Some(right)) if left == right => {
                    is_own(&before, left) || is_own(&behind, right)
                }
                (Some(left), right) if right.is_none_or(|right| left < right) => {
                    is_own(&before, left)
                }
                (_, Some(right)) => is_own(&behind, right),
                // "Total emissions: 1,500".
                _ => {
                    let mut all = said[..at].iter().rev();
                    all.find(|one| is_key(one.stem()))
                        .is_some_and(|one| own(one.stem()))
                }
            }
        })
    }
}

/// The clauses of a sentence; a phrase of a few words belongs to the clause behind it, or before.
fn clauses(said: &[Token]) -> Vec<Vec<Token>> {
    let mut clauses: Vec<Vec<Token>> = Vec::new();
    let mut open: Vec<Token> = Vec::new();
    for clause in said.split(|one| *one == Token::Break) {
        open.extend_from_slice(clause);
        if open.iter().filter(|one| one.counts()).count() >= CLAUSE {
            clauses.push(std::mem::take(&mut open));
        }
    }
    match clauses.last_mut() {
        Some(last) => last.append(&mut open),
        None => clauses.push(open),
    }
    clauses
}

/// Whether each word that turns a statement round turns the same word as there, in its clause:
/// "only who hung a lock" is not "only the manager".
fn turned(said: &[Token], place: &[Token]) -> bool {
    let next = |tokens: &[Token]| {
        let mut behind = tokens.iter().skip(1).filter(|one| one.counts());
        behind.next().map(|one| one.stem().to_owned())
    };
    let is_turning =
        |one: &Token| matches!(one, Token::Word { plain, .. } if TURNING.contains(&plain.as_str()));
    (0..said.len())
        .filter(|at| is_turning(&said[*at]))
        .all(|at| {
            let Some(word) = next(&said[at..]) else {
                return true;
            };
            (0..place.len()).any(|there| {
                let clause = place[there..].iter();
                let mut clause = clause.take_while(|one| **one != Token::Break);
                place[there].stem() == said[at].stem() && clause.any(|one| one.stem() == word)
            })
        })
}

/// Whether the agent of an action is its agent there: "ordered by a crew leader" is not "a crew
/// leader is confirmed by overtime".
fn agents_hold(said: &[Token], place: &[Token]) -> bool {
    let behind = |tokens: &[Token], most: usize| -> Vec<Vec<String>> {
        let is_by = |one: &Token| matches!(one, Token::Word { plain, .. } if plain == "by");
        let places = (0..tokens.len()).filter(|at| is_by(&tokens[*at]));
        let agents = places.map(|at| {
            let words = tokens[at..].iter().filter(|one| one.counts()).take(most);
            words.map(|one| one.stem().to_owned()).collect()
        });
        agents.collect()
    };
    let there = behind(place, 2);
    // "The approval of a second person" may be one by a second person.
    there.is_empty()
        || behind(said, 1).iter().flatten().all(|agent| {
            let mut there = there.iter();
            there.any(|words| words.contains(agent))
        })
}

/// Whether a sentence has both words of opposites where the place has both, in their order, or
/// neither.
fn opposed(said: &[Token], place: &[Token]) -> bool {
    canon::OPPOSITES.iter().all(|(one, other)| {
        let of = |tokens: &[Token]| -> Vec<bool> {
            let is = |token: &Token, word: &str| matches!(token, Token::Word { plain, .. } if plain == word);
            let own = tokens.iter().filter(|token| is(token, one) || is(token, other));
            own.map(|token| is(token, one)).collect()
        };
        let (own, there) = (of(said), of(place));
        let both = there.contains(&true) && there.contains(&false);
        !both || own.is_empty() || own == there
    })
}

/// The part of a place that a sentence is on where it does not have the words that turn the whole
/// place round: of "sent while travelling and not at all while working" the first thing, of
/// "visible during working time only and deleted after 90 days" the second.
fn part_said<'a>(said: &[Token], place: &'a [Token]) -> Cow<'a, [Token]> {
    if let Some(less) = without_stress(said, place) {
        return Cow::Owned(less);
    }
    let whole = Cow::Borrowed(place);
    let clauses: Vec<&[Token]> = place.split(|one| *one == Token::Break).collect();
    let [first, second] = clauses.as_slice() else {
        return whole;
    };
    let is = |one: &Token, words: &[&str]| matches!(one, Token::Word { plain, .. } if words.contains(&plain.as_str()));
    let joins = second.first().is_some_and(|one| is(one, &["and"]));
    if turns(said) == turns(place) || !joins {
        return whole;
    }
    let has = |tokens: &[Token], one: &Token| tokens.iter().any(|own| own.stem() == one.stem());
    // Words of one clause alone that the sentence has.
    let own = |clause: &[Token], other: &[Token]| -> Vec<usize> {
        let counting = clause.iter().filter(|one| one.counts()).enumerate();
        let own = counting.filter(|(_, one)| has(said, one) && !has(other, one));
        own.map(|(at, _)| at).collect()
    };
    let excepts = second
        .iter()
        .any(|one| is(one, &["except", "only", "unless", "without"]));
    if own(second, first).is_empty() && !excepts {
        return Cow::Borrowed(*first);
    }
    let continues = second
        .get(1)
        .is_some_and(|one| is(one, &["are", "is", "was", "were"]));
    match first.iter().find(|one| one.counts()) {
        Some(subject) if continues && own(first, second) == [0] => {
            Cow::Owned([std::slice::from_ref(subject), *second].concat())
        }
        _ => whole,
    }
}

/// A place without "without a single one", which stresses what it says and limits nothing, where a
/// sentence leaves that out.
fn without_stress(said: &[Token], place: &[Token]) -> Option<Vec<Token>> {
    let is = |one: &Token, word: &str| matches!(one, Token::Word { plain, .. } if plain == word);
    let stresses = |three: &[Token]| {
        let mut words = three.iter().zip(["without", "a", "single"]);
        words.all(|(one, word)| is(one, word))
    };
    let from = place.windows(3).position(stresses)?;
    let end = place[from..].iter().position(|one| *one == Token::Break);
    let behind = end.map_or(&[][..], |end| &place[from + end..]);
    let left_out = !said.iter().any(|one| is(one, "without"));
    left_out.then(|| [&place[..from], behind].concat())
}

/// The number of words that turn the statement round.
fn turns(tokens: &[Token]) -> usize {
    let turning = |one: &&Token| matches!(one, Token::Word { plain, .. } if TURNING.contains(&plain.as_str()));
    tokens.iter().filter(turning).count()
}

/// Whether most words of each clause follow one another as they do there. The clauses themselves
/// may come in another order: "for hours beyond 50, the rate is 2x".
fn in_order(said: &[Token], place: &[Token]) -> bool {
    identity_holds(said, place).unwrap_or_else(|| follows(said, place))
}

/// Whether a sentence that says of one thing that it is another one ("the X is the Y") has both
/// things of a place that does so, either first; `None` of other sentences.
fn identity_holds(said: &[Token], place: &[Token]) -> Option<bool> {
    let is = |one: &Token, word: &str| matches!(one, Token::Word { plain, .. } if plain == word);
    let sides = |tokens: &[Token]| -> Option<[Vec<String>; 2]> {
        let mut pairs = tokens.windows(2);
        let at = pairs.position(|pair| is(&pair[0], "is") && is(&pair[1], "the"))?;
        let only = tokens.iter().filter(|one| is(one, "is")).count() == 1;
        let begins = tokens.first().is_some_and(|one| is(one, "the"));
        let side = |tokens: &[Token]| {
            let counting = tokens.iter().filter(|one| one.counts());
            counting.map(|one| one.stem().to_owned()).collect()
        };
        (only && begins).then(|| [side(&tokens[..at]), side(&tokens[at..])])
    };
    let ([one, other], [first, second]) = (sides(said)?, sides(place)?);
    // "The lower of the two grades" has a word of the other thing.
    let says = |said: &[String], thing: &[String]| {
        let own = said.iter().filter(|word| thing.contains(word));
        own.eq(thing)
    };
    Some(says(&one, &first) && says(&other, &second) || says(&one, &second) && says(&other, &first))
}

/// Whether most words of each clause follow one another as they do there.
fn follows(said: &[Token], place: &[Token]) -> bool {
    let mut pairs: Vec<[&Token; 2]> = Vec::new();
    for clause in said.split(|one| *one == Token::Break) {
        let counting: Vec<&Token> = clause.iter().filter(|one| one.counts()).collect();
        pairs.extend(counting.windows(2).map(|pair| [pair[0], pair[1]]));
    }
    if pairs.is_empty() {
        return true;
    }
    let follows = |pair: &&[&Token; 2]| {
        let first = place.iter().position(|one| one.stem() == pair[0].stem());
        let last = place.iter().rposition(|one| one.stem() == pair[1].stem());
        matches!((first, last), (Some(first), Some(last)) if first < last)
    };
    let right = pairs.iter().filter(follows).count();
    // A short sentence may be turned round: "the rate is paid hourly".
    right as f64 >= ORDER * pairs.len() as f64 || pairs.len() < 3 && right > 0
}

/// Whether a text has marks that hide something or lead somewhere: links, images, HTML, signs that
/// are not seen.
pub fn has_strange_marks(text: &str) -> bool {
    let hides = |c: char| {
        let unseen = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        let struck = matches!(c, '\u{300}'..='\u{36f}' | '~' | '<' | '>' | '\\');
        unseen || struck
    };
    // "Settings > People" is the way through a menu.
    let text = &text.replace(" > ", " ");
    text.chars().any(hides) || text.contains("](") || text.contains("://") || text.contains("www.")
}

/// A name as words: `totalEmissions` is "total Emissions".
pub(super) fn spelled(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() || c == '_' {
            words.push(' ');
        }
        words.push(if c == '_' { ' ' } else { c });
    }
    words
}
