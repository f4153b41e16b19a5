//! The components that the page draws: arguments of the two virtual tools, `render_ui_component`
//! and `request_user_selection`.
//!
//! Components are typed, so that what leaves is valid by construction;
//! [`RenderUiComponent::validate`] checks the ranges that types cannot.

mod components;
mod data_card;
mod selection;

pub use components::*;
pub use data_card::*;
pub use selection::*;
