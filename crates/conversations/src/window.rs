//! What of a thread a model sees.
