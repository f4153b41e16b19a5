//! Idempotency keys: the same request, sent twice, is done once.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// A key that a client chose, and what it was sent with. Kept for 24 hours, unique within its
/// owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    pub(crate) key: String,
    pub(crate) fingerprint: Vec<u8>,
}

impl Idempotency {
    /// The key with the request that it came with: the body as the client sent it, nothing that
    /// differs per try.
    pub fn new(
        key: impl Into<String>,
        request: &impl Serialize,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self {
            key: key.into(),
            fingerprint: Sha256::digest(serde_json::to_vec(request)?).to_vec(),
        })
    }
}
