//! What several sections check their values for.

use std::ops::RangeInclusive;

use service_kit::config::Invalid;

/// A whole number of a range.
pub(super) fn within(
    key: &'static str,
    value: u64,
    range: RangeInclusive<u64>,
) -> Result<(), Invalid> {
    if range.contains(&value) {
        Ok(())
    } else {
        let bounds = format!("must be {} to {}", range.start(), range.end());
        Err(Invalid::new(key, bounds))
    }
}

/// A part of one.
pub(super) fn share(key: &'static str, value: f64) -> Result<(), Invalid> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Invalid::new(key, "must be 0 to 1"))
    }
}
