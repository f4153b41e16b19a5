//! Delivery to peers that others wrote.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue fails here, helpers included"
)]

mod mail;
