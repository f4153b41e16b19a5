//! Values that travel through the state but are never written down.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of this process only: it is stored as nothing and read back as absent.
pub struct Transient<T>(pub Option<Arc<T>>);

impl<T> Clone for Transient<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Transient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> fmt::Debug for Transient<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Transient(present)"
        } else {
            "Transient(absent)"
        })
    }
}

impl<T> Serialize for Transient<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de, T> Deserialize<'de> for Transient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer)?;
        Ok(Self(None))
    }
}
