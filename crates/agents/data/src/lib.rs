//! The data assistant.
