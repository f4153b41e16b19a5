//! The model's side of a turn: its instructions, its tools, and the release of its words.
//!
//! Every task works without a model. A path of rules takes over when
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
