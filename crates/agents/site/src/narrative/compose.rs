//! From sentences to a text: how many of them, in which order, in which voice.

use serde::{Deserialize, Serialize};

/// How a person wants to be spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// The voice.
    pub tone: Tone,
    /// The length.
    pub verbosity: Verbosity,
    /// The perspective.
    pub persona: Persona,
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
    /// The fewest and most words aimed at.
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
