//! The nodes of the graph, a file each.

mod calls;
mod model;
mod prepare;
mod rules;

pub(crate) use calls::call_tools;
pub(crate) use model::ask_model;
pub(crate) use prepare::prepare;
pub(crate) use rules::rules;
