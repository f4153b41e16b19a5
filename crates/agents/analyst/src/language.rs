//! The meaning of a person's message: whether it answers a question, continues, changes or asks
//! something new; the days that it names; the records, conditions, groups and orders that it needs.
//!
//! Everything here is a pure function over text and descriptions of sources: no model, no clock, no
//! I/O. "Today" is always given. What is not certain is said to be so ([`Reply::Unclear`],
//! [`Request::leftover`]), that a model or the person may decide.
//!
//! Reading order: [`read_reply`], [`read_request`] and [`strategy`], [`rewrite`], [`compose`],
//! [`read_edit`] and [`apply`], [`read_analysis`]; [`dates`] below them all.

pub mod dates;

mod alternatives;
mod analysis;
mod command;
mod compose;
mod continuation;
mod edit;
#[cfg(test)]
mod fixture;
mod foreign;
mod ordinals;
mod places;
mod remembering;
mod reply;
mod request;
mod rewrite;
mod text;

pub use alternatives::join_alternatives;
pub use analysis::{AnalysisKind, AnalysisRequest, read_analysis};
pub use command::command;
pub use compose::compose;
pub use continuation::{asks_back, continues, moved_days};
pub use edit::{
    EditRequest, Edited, Removal, apply, correction, finds_one, free_field, is_replaced,
    kept_field, read_edit,
};
pub use foreign::foreign;
pub use ordinals::{asks_for_an_end, only_place, ordinal};
pub use places::{
    Asked, asked_of_one, asked_thing, between_places, both_directions, means_both, of_thing,
    pronoun, there, thing_of,
};
pub use remembering::{Remembering, remembering};
pub use reply::{Correction, ReadReply, Reply, ReplyContext, chosen, read_reply};
pub use request::{
    GroupTerm, IndexCandidate, Leftover, MeasureTerm, Operator, Request, Retrieval, SortKey,
    SortTerm, read_named, read_request, strategy,
};
pub use rewrite::{Previous, Refused, check_rewrite, rewrite, rewrite_modification};
pub use text::stem;
