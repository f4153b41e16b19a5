//! The model's side of a turn: what it is told, what it may call, what of its words is let through.
//!
//! Nothing rests on a model. Whatever it is asked for has a path of rules that takes over when
//! there is none, when it fails, or when its words do not hold; see [`crate::flows::free_chat`]
//! (free chat), [`routing`] (which workflow) and [`wording`] (a workflow's answer).

mod prompt;
pub(crate) mod routing;
mod site;
pub(crate) mod summary;
pub(crate) mod toolbox;
pub(crate) mod wording;

pub(crate) use prompt::system as system_prompt;
pub(crate) use site::Site;
