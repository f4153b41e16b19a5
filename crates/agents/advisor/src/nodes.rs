//! The nodes of the graph, a file each.

mod model;
mod prepare;
mod rules;

pub(crate) use model::ask_model;
pub(crate) use prepare::prepare;
pub(crate) use rules::answer_by_rules;
