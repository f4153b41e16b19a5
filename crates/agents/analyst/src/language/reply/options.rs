//! The options that a message names: by label, alias, id or place, tolerant of case, accents,
//! punctuation and slips of the finger.

use std::collections::BTreeSet;

use contracts::todo::AskedClarification;
use contracts::tools::clarification::{
    ClarificationAnswer, ClarificationOption, ClarificationPart,
};

use super::Message;
use crate::language::text::{Token, between, number_word, tokens};

/// The longest text of an answer, in bytes.
const MAX_TEXT: usize = 1024;
/// Number of words of a message in which an answer is looked for; what follows is an addition.
const MAX_WORDS: usize = 400;

/// The answers in a message.
#[derive(Debug, Default)]
pub(super) struct Answered {
    /// The answers, in the order of the message.
    pub(super) answers: Vec<ClarificationAnswer>,
    /// The other words.
    pub(super) residue: Residue,
    /// An answer was found in spite of missing words or slips of the finger.
    pub(super) slips: bool,
    /// Words say no, or leave open which: "not the first", "Miami or Shanghai".
    pub(super) doubtful: bool,
}

/// Words of a message that are not of its answers.
#[derive(Debug, Default)]
pub(super) struct Residue {
    /// There are some before the last answer.
    before: bool,
    /// The beginning of the words behind the last answer; only when there are none before it.
    pub(super) tail: Option<usize>,
}

impl Residue {
    pub(super) fn is_empty(&self) -> bool {
        !self.before && self.tail.is_none()
    }
}

/// The parts of a question that are not answered; all of them, when each has an answer.
pub(super) fn open_parts(open: &AskedClarification) -> Vec<&ClarificationPart> {
    let parts = &open.clarification.parts;
    let unanswered: Vec<_> = parts
        .iter()
        .filter(|part| open.answers.iter().all(|answer| answer.about != part.about))
        .collect();
    if unanswered.is_empty() {
        parts.iter().collect()
    } else {
        unanswered
    }
}

/// The beginning of a long text.
pub(super) fn shortened(text: &str) -> String {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

/// Reads `message` against the options of `open`.
pub(super) fn read(message: &Message<'_>, open: &AskedClarification) -> Answered {
    let mut reader = Reader::new(message, open_parts(open));
    reader.whole_names();
    reader.places();
    reader.all_of_them();
    reader.parts_of_names();
    reader.finish()
}

/// An option of a part, by their places.
type Choice = (usize, usize);

/// The role of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Unread,
    /// It names an option.
    Answer,
    /// It says which part an answer is for.
    About,
}

/// Words found, and the options that they may name.
struct Found {
    from: usize,
    to: usize,
    choices: Vec<Choice>,
}

struct Reader<'m> {
    message: &'m Message<'m>,
    tokens: &'m [Token],
    parts: Vec<&'m ClarificationPart>,
    /// The words of each part's mention.
    mentions: Vec<Vec<String>>,
    roles: Vec<Role>,
    found: Vec<Found>,
    slips: bool,
}

impl<'m> Reader<'m> {
    fn new(message: &'m Message<'m>, parts: Vec<&'m ClarificationPart>) -> Self {
        let mentions = parts.iter().map(|part| words(&part.mention)).collect();
        let tokens = &message.tokens[..message.tokens.len().min(MAX_WORDS)];
        Self {
            message,
            tokens,
            roles: vec![Role::Unread; tokens.len()],
            parts,
            mentions,
            found: Vec::new(),
            slips: false,
        }
    }

    fn choices(&self) -> Vec<(Choice, &'m ClarificationOption)> {
        let parts = self.parts.iter().enumerate();
        parts
            .flat_map(|(at, part)| {
                let options = part.options.iter().enumerate();
                options.map(move |(option_at, option)| ((at, option_at), option))
            })
            .collect()
    }

    fn take(&mut self, from: usize, to: usize, choices: Vec<Choice>) {
        self.roles[from..to].fill(Role::Answer);
        self.found.push(Found { from, to, choices });
    }

    /// Labels, aliases and ids, the longest first.
    fn whole_names(&mut self) {
        let forms: Vec<(Vec<String>, Choice)> = self
            .choices()
            .into_iter()
            .flat_map(|(choice, option)| forms(option).map(move |form| (words(form), choice)))
            .filter(|(form, _)| !form.is_empty())
            .collect();
        let mut at = 0;
        while at < self.tokens.len() {
            let mut longest = 0;
            let mut choices: Vec<Choice> = Vec::new();
            for (form, choice) in &forms {
                let Some(to) = self.reads(at, form) else {
                    continue;
                };
                if to - at > longest {
                    longest = to - at;
                    choices.clear();
                }
                if to - at == longest && !choices.contains(choice) {
                    choices.push(*choice);
                }
            }
            // Words for several options of one part name none of them.
            let unique = choices
                .iter()
                .all(|(part, option)| choices.iter().all(|(p, o)| p != part || o == option));
            if longest > 0 && unique {
                self.take(at, at + longest, choices);
                at += longest;
            } else {
                at += 1;
            }
        }
    }

    /// The place behind `form`, when the words from `at` on are it; marks between them do not
    /// count.
    fn reads(&self, at: usize, form: &[String]) -> Option<usize> {
        let mut place = at;
        for (count, word) in form.iter().enumerate() {
            while count > 0 && self.is_mark(place) {
                place += 1;
            }
            if self.tokens.get(place)?.text != *word {
                return None;
            }
            place += 1;
        }
        Some(place)
    }

    fn is_mark(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| !token.is_word() && token.number().is_none())
    }

    fn is(&self, at: usize, texts: &[&str]) -> bool {
        self.roles.get(at) == Some(&Role::Unread) && self.tokens[at].is(texts)
    }

    /// Options by their place: "the second one", "2", "option b", "first for Miami".
    fn places(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let Some((place, to)) = self.place(at) else {
                at += 1;
                continue;
            };
            let parts: Vec<usize> = match self.about(at, to) {
                Some(part) => vec![part],
                None => (0..self.parts.len()).collect(),
            };
            let choices: Vec<Choice> = parts
                .into_iter()
                .filter_map(|part| {
                    let count = self.parts[part].options.len();
                    let option = match place {
                        Place::At(option) => option,
                        Place::Last => count.checked_sub(1)?,
                        Place::OfTwo(option) if count == 2 => option,
                        Place::OfTwo(_) => return None,
                    };
                    (option < count).then_some((part, option))
                })
                .collect();
            if choices.is_empty() {
                at += 1;
                continue;
            }
            self.take(at, to, choices);
            at = to;
        }
    }

    fn place(&self, at: usize) -> Option<(Place, usize)> {
        const NAMES: &[&str] = &["first", "second", "third", "fourth", "fifth"];
        if self.roles[at] != Role::Unread {
            return None;
        }
        let noun = |to: usize| {
            let noun = self.is(to, &["one", "option", "choice", "port", "item", "entry"]);
            to + usize::from(noun)
        };
        let token = &self.tokens[at];
        if token.is(&["option", "number", "no", "nr", "choice", "#", "answer"]) {
            let dot = usize::from(self.is(at + 1, &[".", "#", ":"]));
            let place = self.number_or_letter(at + 1 + dot)?;
            return Some((Place::At(place), at + 2 + dot));
        }
        if let Some(place) = NAMES.iter().position(|name| token.is(&[name])) {
            return Some((Place::At(place), noun(at + 1)));
        }
        if token.is(&["former"]) {
            return Some((Place::OfTwo(0), noun(at + 1)));
        }
        if token.is(&["latter"]) {
            return Some((Place::OfTwo(1), noun(at + 1)));
        }
        if token.is(&["last"]) {
            let to = noun(at + 1);
            let ends = to > at + 1 || self.tokens[to..].iter().all(|token| !token.is_word());
            return ends.then_some((Place::Last, to));
        }
        let glued = self
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.glued && next.is_word());
        if token.number().is_some() && glued && self.is(at + 1, &["st", "nd", "rd", "th"]) {
            return Some((Place::At(self.number_or_letter(at)?), noun(at + 2)));
        }
        // A number or letter alone: only where the message has nothing else to say.
        let begins = at == 0
            && token.number().is_some()
            && self.is(1, &[",", ";", "but", "and", "plus", "also", "please"]);
        if number_word(&token.text).is_some() && self.tokens.len() > 1 {
            return None;
        }
        let touches = token.glued && self.tokens[at - 1].is_word();
        (!glued && !touches && (begins || self.alone()))
            .then(|| Some((Place::At(self.number_or_letter(at)?), at + 1)))?
    }

    fn number_or_letter(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        if let Some(number) = token.number() {
            return usize::try_from(number).ok()?.checked_sub(1);
        }
        if let Some(number) = number_word(&token.text) {
            return usize::try_from(number).ok()?.checked_sub(1);
        }
        match token.text.as_bytes() {
            [letter @ b'a'..=b'h'] => Some(usize::from(letter - b'a')),
            _ => None,
        }
    }

    /// Whether only places, mentions and words around them is left to read.
    fn alone(&self) -> bool {
        let others = self.tokens.iter().zip(&self.roles).filter(|(token, role)| {
            **role == Role::Unread
                && token.is_word()
                && token.text.len() > 1
                && !is_filler(token)
                && !token.is(&["for", "and", "first", "second", "third", "all"])
                && !self
                    .mentions
                    .iter()
                    .any(|mention| mention.contains(&token.text))
        });
        others.count() == 0 && self.tokens.len() <= 24
    }

    /// The part that the words beside an answer say it is for: "first for Miami", "Miami: the
    /// first".
    fn about(&mut self, from: usize, to: usize) -> Option<usize> {
        if self.is(to, &["for", "of", "as", "in"]) {
            let the = usize::from(self.is(to + 1, &["the"]));
            if let Some((part, end)) = self.mention_at(to + 1 + the) {
                self.roles[to..end].fill(Role::About);
                return Some(part);
            }
        }
        let mut before = from;
        while before > 0
            && self.is(
                before - 1,
                &[":", "=", "is", "-", "the", ",", ">", "means", "as"],
            )
        {
            before -= 1;
        }
        let (part, start) = self.mention_before(before)?;
        let linked = before < from
            && self.tokens[before..from]
                .iter()
                .any(|token| token.is(&[":", "=", "is", ">", "-", "means", "as"]))
            || start > 0 && self.is(start - 1, &["for"]);
        if !linked {
            return None;
        }
        self.roles[start..from].fill(Role::About);
        Some(part)
    }

    fn mention_at(&self, at: usize) -> Option<(usize, usize)> {
        self.mentions
            .iter()
            .enumerate()
            .find_map(|(part, mention)| {
                if mention.is_empty() {
                    return None;
                }
                self.reads(at, mention).map(|end| (part, end))
            })
    }

    fn mention_before(&self, end: usize) -> Option<(usize, usize)> {
        self.mentions
            .iter()
            .enumerate()
            .find_map(|(part, mention)| {
                let start = end
                    .checked_sub(mention.len())
                    .filter(|_| !mention.is_empty())?;
                (self.reads(start, mention) == Some(end)).then_some((part, start))
            })
    }

    /// "Both", "all of them": each option of the one part; with a place ("the first for both") that
    /// place of each part.
    fn all_of_them(&mut self) {
        const ALL: &[&str] = &["both", "all"];
        let Some(at) = (0..self.tokens.len()).find(|at| self.is(*at, ALL)) else {
            return;
        };
        if !self.alone() {
            return;
        }
        match (self.found.as_mut_slice(), self.parts.as_slice()) {
            ([], [part]) => {
                let count = part.options.len();
                if self.tokens[at].is(&["both"]) && count != 2 {
                    return;
                }
                let text = at;
                for option in 0..count {
                    self.take(text, text + 1, vec![(0, option)]);
                }
            }
            // One place for every part.
            ([one], [_, _, ..]) if one.choices.len() > 1 => {
                let choices = std::mem::take(&mut one.choices);
                let (from, to) = (one.from, one.to);
                self.found.clear();
                for choice in choices {
                    self.take(from, to, vec![choice]);
                }
                self.roles[at] = Role::About;
            }
            _ => {}
        }
    }

    /// Words that are some of one option's words, or nearly its name.
    fn parts_of_names(&mut self) {
        for (from, to) in self.segments() {
            let said: Vec<&Token> = self.tokens[from..to]
                .iter()
                .filter(|token| (token.is_word() || token.number().is_some()) && !is_filler(token))
                .collect();
            if said.is_empty() || said.len() > 8 {
                continue;
            }
            let taken: BTreeSet<usize> = self
                .found
                .iter()
                .flat_map(|found| found.choices.iter().map(|(part, _)| *part))
                .collect();
            let candidates: Vec<_> = self
                .choices()
                .into_iter()
                .filter(|((part, _), _)| !taken.contains(part))
                .collect();
            let choice = self
                .some_words(&said, &candidates)
                .or_else(|| nearly_named(&said, &candidates));
            if let Some(choice) = choice {
                self.slips = true;
                self.take(from, to, vec![choice]);
            }
        }
    }

    /// The only option that has all of these words, if they are not only those that were unclear.
    fn some_words(
        &self,
        said: &[&Token],
        candidates: &[(Choice, &ClarificationOption)],
    ) -> Option<Choice> {
        let mut fitting = candidates.iter().filter(|((part, _), option)| {
            let known: Vec<String> = forms(option)
                .chain(option.description.as_deref())
                .flat_map(words)
                .collect();
            let has = |token: &&&Token| known.iter().any(|word| is_of_place(&token.text, word));
            said.iter().filter(has).count() == said.len()
                && said
                    .iter()
                    .any(|token| !self.mentions[*part].contains(&token.text))
        });
        let (choice, _) = fitting.next()?;
        fitting.next().is_none().then_some(*choice)
    }

    /// Runs of unread words up to an addition, cut at marks and joining words.
    fn segments(&self) -> Vec<(usize, usize)> {
        const CUTS: &[&str] = &["and", "for", "or"];
        const ENDS: &[&str] = &[
            "but",
            "also",
            "plus",
            "including",
            "include",
            "with",
            "only",
            "add",
        ];
        let mut out = Vec::new();
        let mut from = 0;
        for at in 0..=self.tokens.len() {
            let token = self.tokens.get(at);
            let cut = token.is_none_or(|token| {
                self.roles[at] != Role::Unread
                    || token.is(CUTS)
                    || token.is(ENDS)
                    || self.is_mark(at) && !token.is(&["-", "'", "."])
            });
            if !cut {
                continue;
            }
            if from < at {
                out.push((from, at));
            }
            from = at + 1;
            if token.is_some_and(|token| self.roles[at] == Role::Unread && token.is(ENDS)) {
                break;
            }
        }
        out
    }

    /// Gives each finding to a part, and looks at what is left.
    fn finish(mut self) -> Answered {
        self.found.sort_by_key(|found| found.from);
        let mut chosen: Vec<(Choice, usize, usize)> = Vec::new();
        let mut doubtful = false;
        for at in 0..self.found.len() {
            let (from, to) = (self.found[at].from, self.found[at].to);
            let about = if self.found[at].choices.len() > 1 {
                self.about(from, to)
            } else {
                self.about(from, to).and(None)
            };
            let choices = &self.found[at].choices;
            let free = |choice: &&Choice| chosen.iter().all(|((part, _), ..)| part != &choice.0);
            let choice = about
                .and_then(|part| choices.iter().find(|choice| choice.0 == part))
                .or_else(|| choices.iter().find(free))
                .or_else(|| choices.first());
            if let Some(choice) = choice.copied()
                && chosen.iter().all(|(known, ..)| *known != choice)
            {
                chosen.push((choice, from, to));
            }
        }
        let (residue, negated) = self.residue();
        doubtful |= negated;
        let answers = chosen
            .iter()
            .map(|((part, option), from, to)| ClarificationAnswer {
                about: self.parts[*part].about.clone(),
                option_id: Some(self.parts[*part].options[*option].id.clone()),
                text: shortened(between(self.message.text, &self.tokens[*from..*to])),
            })
            .collect();
        Answered {
            answers,
            residue,
            slips: self.slips,
            doubtful,
        }
    }

    /// The words that are neither answers nor around them, and whether some of those before or
    /// between say no.
    fn residue(&self) -> (Residue, bool) {
        let last = self.roles.iter().rposition(|role| *role != Role::Unread);
        let left: Vec<usize> = (0..self.tokens.len())
            .filter(|at| {
                let token = &self.tokens[*at];
                self.roles[*at] == Role::Unread
                    && (token.is_word() || token.number().is_some())
                    && !is_filler(token)
                    && !token.is(&["and"])
            })
            .collect();
        let Some(last) = last else {
            return (
                Residue {
                    before: !left.is_empty(),
                    tail: None,
                },
                false,
            );
        };
        let no = |token: &Token| {
            token.is(&[
                "not", "neither", "nor", "or", "except", "don't", "isn't", "no",
            ])
        };
        let before: Vec<usize> = left
            .iter()
            .copied()
            .filter(|at| *at < last && !self.tokens[*at].is(&["also", "plus", "but"]))
            .collect();
        // "Not the first", but not "no, the first".
        let negated = before.iter().any(|at| no(&self.tokens[*at]));
        let only_no = before
            .iter()
            .all(|at| self.tokens[*at].is(&["no"]) && *at == 0);
        let more =
            left.iter().any(|at| *at > last) || self.message.tokens.len() > self.tokens.len();
        let behind_no = left
            .iter()
            .any(|at| *at == last + 1 && self.tokens[*at].is(&["or", "isn't"]));
        let residue = Residue {
            before: !before.is_empty() && !only_no,
            tail: (more && (before.is_empty() || only_no)).then_some(last + 1),
        };
        (residue, negated && !only_no || behind_no)
    }
}

/// Whether a word is another, or of it as "Colombian" is of "Colombia".
fn is_of_place(said: &str, word: &str) -> bool {
    const OTHERWISE: [(&str, &str); 8] = [
        ("spanish", "spain"),
        ("dutch", "netherlands"),
        ("french", "france"),
        ("british", "kingdom"),
        ("danish", "denmark"),
        ("polish", "poland"),
        ("greek", "greece"),
        ("turkish", "turkey"),
    ];
    let common = said
        .bytes()
        .zip(word.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let ending = said.get(common..).unwrap_or_default();
    let of = ["n", "an", "ian", "ean", "ese", "ish", "i"].contains(&ending);
    said == word
        || common >= 4 && word.len() <= common + 1 && of
        || OTHERWISE.contains(&(said, word))
}

/// A place among options.
#[derive(Debug, Clone, Copy)]
enum Place {
    At(usize),
    Last,
    OfTwo(usize),
}

fn forms(option: &ClarificationOption) -> impl Iterator<Item = &str> {
    [option.label.as_str(), option.id.as_str()]
        .into_iter()
        .chain(option.aliases.iter().map(String::as_str))
}

fn words(text: &str) -> Vec<String> {
    tokens(text)
        .into_iter()
        .filter(|token| token.is_word() || token.number().is_some())
        .map(|token| token.text)
        .collect()
}

/// The only option whose name is these words but for a typing error.
fn nearly_named(said: &[&Token], candidates: &[(Choice, &ClarificationOption)]) -> Option<Choice> {
    let said: Vec<_> = said.iter().map(|token| token.text.as_str()).collect();
    let said = said.join(" ");
    if said.len() < 5 || said.len() > 120 {
        return None;
    }
    let mut best: Option<(usize, Choice)> = None;
    let mut second = usize::MAX;
    for (choice, option) in candidates {
        let distance = forms(option)
            .map(|form| {
                let form: Vec<_> = words(form)
                    .into_iter()
                    .filter(|word| !FILLERS.contains(&word.as_str()))
                    .collect();
                strsim::osa_distance(&said, &form.join(" "))
            })
            .min()?;
        match best {
            Some((least, _)) if distance >= least => second = second.min(distance),
            _ => {
                second = best.map_or(usize::MAX, |(least, _)| least);
                best = Some((distance, *choice));
            }
        }
    }
    let (distance, choice) = best?;
    let allowed = if said.len() >= 9 { 2 } else { 1 };
    (distance <= allowed && distance < second).then_some(choice)
}

/// Words that may stand around an answer without changing it.
const FILLERS: &[&str] = &[
    "please",
    "ok",
    "okay",
    "the",
    "a",
    "an",
    "one",
    "ones",
    "i",
    "i'm",
    "i'd",
    "mean",
    "meant",
    "means",
    "want",
    "like",
    "it",
    "that",
    "this",
    "is",
    "was",
    "be",
    "would",
    "should",
    "use",
    "take",
    "choose",
    "chose",
    "pick",
    "select",
    "selected",
    "go",
    "with",
    "for",
    "yes",
    "yeah",
    "yep",
    "sure",
    "then",
    "just",
    "let's",
    "let",
    "me",
    "us",
    "you",
    "can",
    "of",
    "option",
    "answer",
    "my",
    "choice",
    "think",
    "thanks",
    "thank",
    "oh",
    "ah",
    "well",
    "sorry",
    "so",
    "to",
    "in",
    "at",
    "them",
    "'",
    "each",
    "we",
    "called",
    "named",
    "actually",
    "definitely",
    "probably",
    "number",
    "both",
];

fn is_filler(token: &Token) -> bool {
    FILLERS.contains(&token.text.as_str())
}
