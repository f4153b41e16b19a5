//! The site assistant.
