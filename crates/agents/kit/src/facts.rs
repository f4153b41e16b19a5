//! Facts by reference: a model words an answer and names its facts by id, the server writes the
//! figures.
//!
//! A [`FactRegistry`] holds the facts of one answer. [`FactRegistry::annotate`] reads them from a
//! tool's result and returns the result with an id behind each value (`42.98 kWh [[f12]]`), which
//! is what a model gets. Facts that people say in words are derived: who leads, how many of how
//! many, all, none, the difference, the ratio, the direction. The sentences of the rules are facts
//! too ([`FactRegistry::state`]), and some of them have to be said ([`FactRegistry::must_say`]).
//!
//! [`FactGate`] judges a model's text sentence by sentence. The principle is to allow: each word
//! either claims nothing on its own, or is a word of a fact that the sentence names. Any other word
//! drops the sentence, so a cause, an event, an advice, a comparison, a quantifier, a number in
//! words or another language needs no list of its own. `docs/facts.md` explains the rules.
//!
//! ```
//! use agent_kit::{Gate, Piece, facts::{FactGate, FactRegistry}};
//! use serde_json::json;
//!
//! let mut facts = FactRegistry::default();
//! let annotated = facts.annotate(&json!({"loggerId": "GW-INV-001", "energyKwh": 42.98}));
//! assert_eq!(annotated["energyKwh"], "43 kWh [[f1]]");
//! let mut gate = FactGate::new(&facts);
//! let mut said = gate.push("GW-INV-001 made [[f1]]. It made 99 kWh. The fan broke. ");
//! said.extend(gate.finish());
//! let first = Piece::Said("GW-INV-001 made 43 kWh.".into());
//! assert_eq!(said, [first, Piece::LeftOut, Piece::LeftOut]);
//! ```

mod beside;
mod claims;
mod classes;
mod courtesy;
mod derive;
mod gate;
mod heading;
mod hollow;
mod judge;
mod keys;
mod leads;
mod lexicon;
mod measure;
mod part;
mod partitive;
mod phrases;
mod placing;
mod read;
mod registry;
mod search;
mod segments;
mod shares;
mod statements;
mod table;
mod tense;
mod tokens;
mod typed;
mod unit;
mod whole;

#[cfg(test)]
mod tests;

pub use gate::{FactGate, Worded};
pub use registry::FactRegistry;
pub use table::Column;
pub use unit::Unit;

use std::collections::BTreeSet;
use std::fmt;

use contracts::tools::Period;

pub(crate) use measure::Measure;

/// The id of a fact: `f12` of a value, `d3` of a derived fact, `s1` of a sentence of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactId {
    series: Series,
    number: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Series {
    Value,
    Derived,
    Sentence,
}

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.series {
            Series::Value => 'f',
            Series::Derived => 'd',
            Series::Sentence => 's',
        };
        write!(f, "{letter}{}", self.number)
    }
}

/// The subject of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Everything that was asked about: the site, the fleet, all rows.
    Whole,
    /// A device, a site, a row, by the name that people use.
    Named(String),
}

impl Subject {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Whole => None,
            Self::Named(name) => Some(name),
        }
    }
}

/// A fact.
#[derive(Debug, Clone)]
pub struct Fact {
    id: FactId,
    subject: Subject,
    measure: Measure,
    unit: Unit,
    number: Option<f64>,
    /// The value as people read it.
    text: String,
    /// The days that it holds for.
    period: Option<Period>,
    kind: Kind,
    bounds: Bounds,
}

/// What else a sentence on a fact has to respect.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each bounds a sentence by itself"
)]
struct Bounds {
    /// It belongs to something that is over: an outage with its end.
    is_over: bool,
    /// It holds at the moment that people ask: the rows of a query on what is.
    is_present: bool,
    /// Its list is not whole here, so nothing of it leads or comes last.
    is_cut: bool,
    /// Its subject is a site, or several devices of all, and not everything.
    is_part: bool,
    /// Its subject are the devices that are compared, which may be all there are, or not.
    is_compared: bool,
    /// Its subject is a site.
    is_site: bool,
    /// There is more that it does not count: sites that send nothing.
    leaves_out: bool,
    /// The fact that says at which moment it was measured: a sentence names both.
    at: Option<FactId>,
    /// Words for what it belongs to: "outage".
    words: BTreeSet<String>,
    /// Words that belong to its statement, each in its forms: of "10 active technicians" neither
    /// is left out.
    conditions: Vec<BTreeSet<String>>,
}

/// The statement of a fact, which decides on the words that it supports.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// A value.
    Value,
    /// A word or a name: a state, a description.
    Word,
    /// The days of other facts.
    Days,
    /// `k` of `n`, all and none included.
    Part { k: u64, n: u64 },
    /// The greatest of several, or the least.
    Extreme { greatest: bool },
    /// The subject has more than another one, or less.
    Difference { other: String, more: bool },
    /// The subject as a multiple of another one.
    Ratio { other: String },
    /// The direction of a change.
    Trend(Direction),
    /// Its part of the sum of all.
    Share,
    /// Its place from the greatest, the second or the third.
    Place(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    Flat,
}

impl Fact {
    /// Whether this is the count of nothing.
    fn is_none(&self) -> bool {
        match self.kind {
            Kind::Part { k, .. } => k == 0,
            Kind::Value => self.unit.is_count() && self.number == Some(0.0),
            _ => false,
        }
    }

    /// Names that a sentence on this fact may hold.
    fn names(&self) -> BTreeSet<String> {
        let other = match &self.kind {
            Kind::Difference { other, .. } | Kind::Ratio { other } => Some(other.as_str()),
            _ => None,
        };
        let names = self.subject.name().into_iter().chain(other);
        names.map(str::to_lowercase).collect()
    }

    /// Whether a sentence may use this word for the fact, beside its measure.
    fn supports(&self, word: &str) -> bool {
        self.measure.names(word)
            || self.bounds.words.contains(word)
            || lexicon::supports(self, word)
    }
}
