//! Which known things and fields the words of a person mean. Pure: what is known comes in, what is meant goes out.
//!
//! In reading order: [`Names`] is an index over the things of one type in one source; [`scan`] finds the words of a request that name
//! something; [`candidates`] are the things that such words can mean, and [`decide`] says whether that is certain, to be asked, or
//! unknown; [`resolution`] makes one answer, with one question, of it all. [`fields`] finds the fields of an index.
//!
//! Nothing is ever made up: every id in a decision is one of an index, or one that the caller brought.

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
