//! The assistant against scripted tools: every workflow, every way in which a call can end, every
//! way to answer a picker.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of tests fail like tests"
)]

mod alike;
mod asked;
mod babble;
mod chat;
mod diagram;
mod double;
mod exact;
mod flows;
mod free_chat;
mod leaning;
mod model_chat;
mod model_failures;
mod model_flows;
mod model_months;
mod model_pickers;
mod model_properties;
mod model_routing;
mod ordinary_names;
mod own_words;
mod owner;
mod peers;
mod pickers;
mod plant_owner;
mod plant_words;
mod properties;
mod recovery;
mod reporting;
mod several;
mod silent;
mod snapshots;
mod stored;
mod talk;
mod threads;
mod two_ages;
mod two_periods;
