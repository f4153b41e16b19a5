//! The tools service.
