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
