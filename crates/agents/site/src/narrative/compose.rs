//! From sentences to a text: how many of them, in which order, in which voice.

use serde::{Deserialize, Serialize};

/// How a person needs to be spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// The voice.
    pub tone: Tone,
    /// The length.
    pub verbosity: Verbosity,
    /// The perspective.
    pub persona: Persona,
    /// No user waits for the answer, so that no next step is offered. Of a run, not of a thread.
    #[serde(skip)]
    pub unattended: bool,
}

/// The voice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Contractions, a neighbour's words.
    #[default]
    Casual,
    /// No contractions, no exclamations.
    Professional,
    /// As professional, with how the figures were made.
    Technical,
}

/// The length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verbosity {
    /// 15 to 40 words.
    Brief,
    /// 30 to 70.
    #[default]
    Standard,
    /// 60 to 120.
    Detailed,
}

impl Verbosity {
    /// The intended minimum and maximum number of words.
    pub const fn words(self) -> (usize, usize) {
        match self {
            Self::Brief => (15, 40),
            Self::Standard => (30, 70),
            Self::Detailed => (60, 120),
        }
    }
}

/// The perspective: how the next step is put.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Persona {
    /// "I'd …".
    #[default]
    Advisor,
    /// "Next step: …".
    Analyst,
    /// "Want me to …?"
    Helper,
}

/// The importance of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// Always said: the finding, and what makes it less than it seems.
    Must,
    /// Said unless a person needs it brief.
    Should,
    /// Said when there is room.
    May,
    /// How a figure was made: said early to technicians, late to others.
    Method,
}

/// A text in the making: its sentences in order, and what to do next.
#[derive(Debug, Default)]
pub(super) struct Story {
    sentences: Vec<(Weight, String)>,
    next: Option<String>,
    seed: u64,
}

impl Story {
    /// `key` decides between equivalent wordings, so that the same facts always have the same
    /// words.
    pub(super) fn about(key: &[&str]) -> Self {
        Self {
            seed: key.iter().fold(FNV_OFFSET, |seed, part| hashed(seed, part)),
            ..Self::default()
        }
    }

    pub(super) fn must(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Weight::Must, text)
    }

    pub(super) fn should(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Weight::Should, text)
    }

    pub(super) fn may(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Weight::May, text)
    }

    pub(super) fn method(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Weight::Method, text)
    }

    /// Puts the explicitly requested figure right behind the lead, in place of the same sentence
    /// further down.
    pub(super) fn answer(&mut self, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        if text.is_empty() {
            return self;
        }
        self.sentences.retain(|(_, other)| *other != text);
        let at = self.sentences.len().min(1);
        self.sentences.insert(at, (Weight::Must, text));
        self
    }

    /// Puts the answer to a question before everything else.
    pub(super) fn answer_first(&mut self, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        if !text.is_empty() {
            self.sentences.retain(|(_, other)| *other != text);
            self.sentences.insert(0, (Weight::Must, text));
        }
        self
    }

    /// Takes out the sentences that begin so, because the answer says the same.
    pub(super) fn without(&mut self, beginning: &str) -> &mut Self {
        self.sentences
            .retain(|(_, text)| !text.starts_with(beginning));
        self
    }

    /// Takes out the first sentence, because the answer says the same.
    pub(super) fn without_lead(&mut self) -> &mut Self {
        if !self.sentences.is_empty() {
            self.sentences.remove(0);
        }
        self
    }

    fn push(&mut self, weight: Weight, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        if !text.is_empty() {
            self.sentences.push((weight, text));
        }
        self
    }

    /// What to do next, as it follows "I'd": "check the health of X".
    pub(super) fn next(&mut self, step: impl Into<String>) -> &mut Self {
        self.next = Some(step.into());
        self
    }

    /// One of several equivalent wordings.
    pub(super) fn pick<T, const N: usize>(&self, variants: [T; N]) -> T
    where
        T: Default,
    {
        let at = usize::try_from(self.seed % (N.max(1) as u64)).unwrap_or(0);
        variants.into_iter().nth(at).unwrap_or_default()
    }

    /// The text in the voice and length that `preferences` ask for.
    pub(super) fn told(&self, preferences: Preferences) -> String {
        let close = self.closing(preferences);
        let chosen = self.chosen(preferences, words(&close));
        let mut parts: Vec<&str> = self
            .sentences
            .iter()
            .zip(chosen)
            .filter(|(_, chosen)| *chosen)
            .map(|((_, text), _)| text.as_str())
            .collect();
        if !close.is_empty() {
            parts.push(&close);
        }
        let parts: Vec<String> = parts
            .into_iter()
            .map(|part| voiced(part, preferences))
            .collect();
        parts.join(" ")
    }

    /// The sentences that the answer has to have in whatever words: those that are always said, and
    /// the first of the others that the text has.
    pub(super) fn vital(&self, preferences: Preferences) -> Vec<String> {
        let chosen = self.chosen(preferences, words(&self.closing(preferences)));
        let mut others = 0;
        let vital = self
            .sentences
            .iter()
            .zip(chosen)
            .filter(|((weight, _), chosen)| {
                others += usize::from(*chosen && *weight != Weight::Must);
                *weight == Weight::Must || *chosen && *weight == Weight::Should && others == 1
            });
        vital
            .map(|((_, text), _)| voiced(text, preferences))
            .collect()
    }

    fn closing(&self, preferences: Preferences) -> String {
        let step = self.next.as_ref().filter(|_| !preferences.unattended);
        step.map(|step| self.close(step, preferences.persona))
            .unwrap_or_default()
    }

    /// Which sentences the text has: those that it must have, then the others by weight while there
    /// is room.
    fn chosen(&self, preferences: Preferences, closing: usize) -> Vec<bool> {
        let (fewest, most) = preferences.verbosity.words();
        let mut chosen: Vec<bool> = self
            .sentences
            .iter()
            .map(|(weight, _)| *weight == Weight::Must)
            .collect();
        let mut total = closing
            + self
                .sentences
                .iter()
                .filter(|(weight, _)| *weight == Weight::Must)
                .map(|(_, text)| words(text))
                .sum::<usize>();
        let order = match preferences.tone {
            Tone::Technical => [Weight::Method, Weight::Should, Weight::May],
            _ => [Weight::Should, Weight::May, Weight::Method],
        };
        for (rank, wanted) in order.into_iter().enumerate() {
            // Beyond the first rank a text only grows when it is too short for the length asked
            // for.
            let enough = match preferences.verbosity {
                Verbosity::Brief => fewest,
                Verbosity::Standard if rank > 0 && wanted != Weight::Should => fewest,
                Verbosity::Standard | Verbosity::Detailed => most,
            };
            for (index, (weight, text)) in self.sentences.iter().enumerate() {
                let more = words(text);
                if *weight == wanted && !chosen[index] && total < enough && total + more <= most {
                    chosen[index] = true;
                    total += more;
                }
            }
        }
        chosen
    }

    fn close(&self, step: &str, persona: Persona) -> String {
        match persona {
            Persona::Advisor => {
                self.pick([format!("Next, I'd {step}."), format!("I'd {step} next.")])
            }
            Persona::Analyst => format!("Next step: {step}."),
            Persona::Helper => {
                self.pick([format!("Want me to {step}?"), format!("Shall I {step}?")])
            }
        }
    }
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

fn hashed(seed: u64, text: &str) -> u64 {
    text.bytes().fold(seed, |seed, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A sentence in the voice that a person prefers.
fn voiced(sentence: &str, preferences: Preferences) -> String {
    let sentence = capitalised(sentence);
    match preferences.tone {
        Tone::Casual => sentence,
        Tone::Professional | Tone::Technical => formal(&sentence),
    }
}

/// A sentence that begins with what several devices are called together, with a capital letter; ids
/// stay as they are.
fn capitalised(sentence: &str) -> String {
    for (word, capital) in [("all ", "All "), ("the only ", "The only ")] {
        if let Some(rest) = sentence.strip_prefix(word) {
            return format!("{capital}{rest}");
        }
    }
    sentence.to_owned()
}

/// Number of words that a text has.
pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

const CONTRACTIONS: &[(&str, &str)] = &[
    ("can't", "cannot"),
    ("won't", "will not"),
    ("I'm", "I am"),
    ("let's", "let us"),
    ("n't", " not"),
    ("I'd", "I would"),
    ("it'd", "it would"),
    ("It'd", "It would"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("'re", " are"),
    ("it's", "it is"),
    ("It's", "It is"),
    ("that's", "that is"),
    ("That's", "That is"),
    ("there's", "there is"),
    ("There's", "There is"),
    ("Here's", "Here is"),
    ("here's", "here is"),
    ("what's", "what is"),
    ("What's", "What is"),
    ("!", "."),
];

/// A text without contractions and exclamations.
fn formal(text: &str) -> String {
    CONTRACTIONS
        .iter()
        .fold(text.to_owned(), |text, (casual, formal)| {
            text.replace(casual, formal)
        })
}
