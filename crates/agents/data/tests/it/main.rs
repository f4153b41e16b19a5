//! The assistant against scripted tools and a scripted model: every route, every way in which a
//! query can end, every answer to a plan.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of tests fail like tests"
)]

mod another_question;
mod approval;
mod babble;
mod breweries;
mod chat;
mod correction;
mod counted_rows;
mod diagram;
mod documents;
mod double;
mod general;
mod joins;
mod limits;
mod model;
mod own_words;
mod past;
mod remarks;
mod routing;
mod rules;
mod several_targets;
mod sql;
mod stored;
mod wording;
