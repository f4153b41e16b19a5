//! What to ask next.

use contracts::ui::Suggestion;

use super::{Branch, Facts};

/// Up to three things to ask next, the most pressing first, each label once. Every action works when it is sent back as a message.
pub fn suggestions(facts: &Facts<'_>, branch: Branch) -> Vec<Suggestion> {
    let _ = (facts, branch);
    Vec::new()
}
