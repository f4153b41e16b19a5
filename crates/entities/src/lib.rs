//! Resolves the words of a user to known entities and fields. The crate is pure: it reads nothing
//! but its arguments.
//!
//! In reading order: [`Names`] is an index over the things of one type in one source. [`scan`]
//! finds the words of a request that name something. [`candidates`] are the things that such words
//! can mean. [`decide`] says whether the meaning is certain, must be asked, or is unknown.
//! [`resolution`] combines the decisions into one answer with one question. [`fields`] maps terms
//! to the fields of an index.
//!
//! Nothing is invented: every id in a decision comes from an index or from the caller.

mod text;
mod trigrams;
mod words;

mod names;

mod scan;

mod decide;
mod question;

pub mod fields;

pub use decide::{
    Candidate, Decision, Thresholds, candidates, decide, members, merge, of_type, resolution, taken,
};
pub use names::{Hit, Names, Thing};
pub use question::{about_entity, mention_of, option_of};
pub use scan::{Mention, Vocabulary, scan};
pub use text::{key, same_words};
