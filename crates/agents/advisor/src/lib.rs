//! The advisor.
