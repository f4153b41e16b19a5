//! The BI agent's five scenarios, end to end: through the bff and the orchestrator to the real
//! tools service over the demonstration's shipments, which end on the document's own day, 15
//! January 2025.

mod choices;
mod conversation;
mod faults;
mod figures;
mod killed;
mod models;
mod outside;
mod scenarios;

use heliograph::stack::StackConfig;
use tools::demo::shipping;

use crate::demo_stack::DemoStack;

pub(crate) use conversation::{Conversation, Person};

/// The stack with the demonstration's source.
async fn stack(adjust: impl FnOnce(&mut StackConfig)) -> DemoStack {
    Box::pin(DemoStack::start_with(|config| {
        config.tools.sources.push(shipping::source().unwrap());
        adjust(config);
    }))
    .await
}
