//! Schedules: questions that are asked at set times, alerts, and the messages that come of them.
//!
//! In reading order: [`offer`] is what their owners do with them, by HTTP or through an assistant;
//! [`work`] finds what is due, whichever replica comes first; [`asking`] asks the questions,
//! [`watching`] checks the alerts, [`sending`] delivers the messages. Each works with the rights
//! that the owner has at that time ([`rights`]).

mod asking;
mod checks;
pub(crate) mod metrics;
mod of_turn;
mod offer;
mod rights;
mod sending;
mod stop_link;
mod timing;
mod watching;
mod words;
mod work;

pub(crate) use of_turn::OfTurn;
pub(crate) use offer::{Refused, change, create, delete, find, list, messages, secret, send_now};
pub(crate) use rights::SCOPES;
pub(crate) use stop_link::use_link;
pub(crate) use work::run;
