//! Tests of the all-in-one program and of what only it can see: the whole stack, the workspace, the configurations.

mod arrows;
mod clients;
mod configuration;
mod demo_stack;
mod journeys;
mod outages;
mod traces;
