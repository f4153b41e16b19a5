//! The answer to a plan that waits for approval.

use serde::{Deserialize, Serialize};

/// What a person says to a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAnswer {
    /// Run it.
    Run,
    /// Do not.
    Cancel,
    /// Not like this, but so; empty when it is not said how.
    Change(String),
}

/// The values of the picker.
pub(crate) const RUN: &str = "run";
pub(crate) const CHANGE: &str = "change";
pub(crate) const CANCEL: &str = "cancel";

/// How clients begin a message that says what was picked.
const PICKED: [&str; 4] = ["selected:", "user selected:", "i selected:", "i choose:"];

/// Reads the answer: yes, no, or else what should be different.
pub(crate) fn read(text: &str) -> PlanAnswer {
    let text = text.trim();
    let lower = text.to_lowercase();
    let picked = PICKED.iter().find_map(|begin| {
        lower
            .strip_prefix(begin)
            .map(|rest| text.len() - rest.len())
    });
    // Lower case may have other lengths; then the words are taken as they are.
    let said = picked.and_then(|at| text.get(at..)).unwrap_or(text).trim();
    let words: Vec<String> = said
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && *word != "please")
        .map(str::to_owned)
        .collect();
    match words.join(" ").as_str() {
        "run" | "run it" | "yes" | "y" | "yes run it" | "yes run" | "yes go ahead" | "ok"
        | "okay" | "ok run it" | "go" | "go ahead" | "do it" | "execute" | "execute it"
        | "approve" | "approved" | "sure" | "yes do it" | "looks good" | "fine" => PlanAnswer::Run,
        "" | "cancel" | "cancel it" | "no" | "n" | "no thanks" | "no thank you" | "stop"
        | "abort" | "don t" | "dont" | "don t run it" | "do not run it" | "never mind"
        | "nevermind" | "forget it" | "no cancel" => PlanAnswer::Cancel,
        "change" | "change it" => PlanAnswer::Change(String::new()),
        _ => PlanAnswer::Change(said.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_no_and_anything_else() {
        for text in [
            "run",
            "Selected: run",
            "User selected: Run it",
            "Yes!",
            "ok, run it",
            "go ahead please",
        ] {
            assert_eq!(read(text), PlanAnswer::Run, "{text}");
        }
        for text in [
            "no",
            "Selected: cancel",
            "Never mind.",
            "don't run it",
            "  ",
        ] {
            assert_eq!(read(text), PlanAnswer::Cancel, "{text}");
        }
        assert_eq!(read("Selected: change"), PlanAnswer::Change(String::new()));
        assert_eq!(
            read("only those in Bonn"),
            PlanAnswer::Change("only those in Bonn".to_owned())
        );
        assert_eq!(
            read("yes, but only those in Bonn"),
            PlanAnswer::Change("yes, but only those in Bonn".to_owned())
        );
    }
}
