//! Statistics and patterns over rows, as pure functions.
