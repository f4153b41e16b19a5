//! What the server emits, and what it refuses.
