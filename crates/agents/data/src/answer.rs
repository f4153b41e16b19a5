//! Rows in words and in a picture.

pub(crate) mod chart;
pub(crate) mod guesses;
pub(crate) mod provenance;
pub(crate) mod query;
mod ranked;
pub(crate) mod remarks;
pub(crate) mod template;
pub(crate) mod units;
pub(crate) mod values;
pub(crate) mod wording;
