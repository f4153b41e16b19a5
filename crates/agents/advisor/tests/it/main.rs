//! The advisor with tools and a model of the tests' own.

mod bench;
mod diagram;
mod model;
mod rules;
