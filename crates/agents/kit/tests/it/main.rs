//! An assistant of the tests' own on everything that assistants share.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod asked_terms;
mod clerk;
mod diagrams;
mod loops;
mod paraphrases;
mod speed;
mod turns;
mod wording;
