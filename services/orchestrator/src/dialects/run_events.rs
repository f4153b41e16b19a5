//! The events of a run as they are, for what encodes them elsewhere.

use contracts::run::RunEvent;

use super::Out;

/// One frame for each event.
pub(super) fn encode(event: &RunEvent, out: &mut Out<'_>) {
    out.data(event);
}
