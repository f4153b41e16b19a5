//! The nodes of the graph, one file each, in the order in which a message meets them.

pub(crate) mod approve_plan;
pub(crate) mod ask_user;
pub(crate) mod choose;
pub(crate) mod classify_intent;
pub(crate) mod execute_next_todo;
pub(crate) mod plan_todos;
pub(crate) mod reiterate_intention;
pub(crate) mod respond;
