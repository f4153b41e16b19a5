//! The options that a message names: by label, alias, id or place, tolerant of case, accents,
//! punctuation and slips of the finger.

mod fillers;
mod names;
mod places;

use contracts::todo::AskedClarification;
use contracts::tools::clarification::{
    ClarificationAnswer, ClarificationOption, ClarificationPart,
};

use super::Message;
use crate::language::text::{Token, between, tokens};

use fillers::is_filler;

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

fn words(text: &str) -> Vec<String> {
    tokens(text)
        .into_iter()
        .filter(|token| token.is_word() || token.number().is_some())
        .map(|token| token.text)
        .collect()
}
