//! Failures in the words of the person who asked.

use super::{OF_DATA, TargetError};

impl TargetError {
    /// What happened, for the person who asked: with its figures, and without advice on writing
    /// SQL.
    pub fn for_person(&self) -> String {
        match self {
            TargetError::TimedOut { after } => format!(
                "The database was stopped after {:.0} s: what this asks for takes longer.",
                after.as_secs_f64().max(1.0)
            ),
            TargetError::TooExpensive { estimated, limit } => format!(
                "The database would have to read {} rows for this; at most {} are allowed at once.",
                estimated.map_or_else(|| "too many".to_owned(), |rows| format!("about {}", large(rows))),
                large(rounded(*limit))
            ),
            TargetError::Stopped { bound } => format!("The database was stopped: {bound}."),
            TargetError::Rejected { message } if message == OF_DATA => {
                "The database could not work this out for some of the rows: a division by zero, or a value that is no number or date where \
                 one is needed."
                    .to_owned()
            }
            TargetError::Rejected { message } | TargetError::UnknownName { message, .. } => {
                rejected(message)
            }
            error => error.to_string(),
        }
    }

    /// What happened, for the operator of the target: with the privileges of a role and the
    /// statements that take them away.
    pub fn for_operator(&self) -> String {
        match self {
            TargetError::Role { beyond, .. } => {
                format!(
                    "{self} Use a role that only reads, or accept it with `allow_writing_role` (`--allow-writing-role` on the command line). {}{}",
                    beyond[..1].to_uppercase(),
                    &beyond[1..]
                )
            }
            error => error.to_string(),
        }
    }
}

/// A database's message quotes a part of what it was given, which is not what the person wrote.
fn rejected(message: &str) -> String {
    let is_quoting = [" near ", "syntax", "LINE ", "secure_"]
        .iter()
        .any(|part| message.contains(part));
    if is_quoting {
        return "The database does not accept the query as it is written.".to_owned();
    }
    // What follows the first sentence is advice.
    let first = message.split(". ").next().unwrap_or(message);
    let first = first.trim().trim_end_matches('.');
    if first.starts_with("The database ") {
        format!("{first}.")
    } else {
        format!("The database does not accept the query: {first}.")
    }
}

#[expect(clippy::cast_precision_loss, reason = "for reading")]
fn rounded(count: u64) -> f64 {
    count as f64
}

/// A count as people read it: `9.5 million`.
fn large(count: f64) -> String {
    let count = count.round();
    for (size, word) in [(1e12, "trillion"), (1e9, "billion"), (1e6, "million")] {
        if count >= size {
            let text = format!("{:.1}", count / size);
            return format!("{} {word}", text.trim_end_matches(".0"));
        }
    }
    let digits = format!("{count:.0}");
    match digits.len().checked_sub(3).filter(|at| *at > 0) {
        Some(at) => format!("{},{}", &digits[..at], &digits[at..]),
        None => digits,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Away, Bound, Crowd};

    #[test]
    fn counts_are_read_in_words() {
        for (count, text) in [
            (12.0, "12"),
            (999_999.4, "999,999"),
            (50_000_000.0, "50 million"),
            (1_072_903_188_459.0, "1.1 trillion"),
            (2.5e9, "2.5 billion"),
        ] {
            assert_eq!(large(count), text);
        }
    }

    #[test]
    fn no_failure_tells_a_person_how_to_write_sql() {
        let rejected = |message: &str| TargetError::Rejected {
            message: message.to_owned(),
        };
        let all = [
            TargetError::Unavailable {
                target: "field".to_owned(),
                reason: Away::Unreachable,
            },
            TargetError::Busy {
                target: "field".to_owned(),
                crowd: Crowd::Own,
                retry_after: Duration::from_secs(5),
            },
            TargetError::TimedOut {
                after: Duration::from_secs(30),
            },
            TargetError::TooExpensive {
                estimated: Some(1_072_903_188_459.0),
                limit: 50_000_000,
            },
            TargetError::TooExpensive {
                estimated: None,
                limit: 50_000_000,
            },
            TargetError::Stopped {
                bound: Bound::Recursion,
            },
            TargetError::Stopped {
                bound: Bound::Growth,
            },
            TargetError::Stopped {
                bound: Bound::Space,
            },
            rejected(OF_DATA),
            rejected("You have an error near '(SELECT * FROM t WHERE secure_employ' at line 1"),
            rejected(
                "The database has no function 'FOO'. Use the one that it has; write it otherwise.",
            ),
            TargetError::UnknownName {
                message: "Unknown column 'wage' in 'field list'".to_owned(),
                of_rules: false,
            },
        ];
        for error in all {
            let text = error.for_person();
            let lower = text.to_lowercase();
            for word in [
                "ask for less",
                "use the",
                "nullif",
                "guard the",
                "leave it out",
                "secure_",
                "select",
                "write ",
                "fewer tables",
                "filter",
                "narrower",
            ] {
                assert!(!lower.contains(word), "{word}: {text}");
            }
        }
        let told = TargetError::TooExpensive {
            estimated: Some(1_072_903_188_459.0),
            limit: 50_000_000,
        };
        assert_eq!(
            told.for_person(),
            "The database would have to read about 1.1 trillion rows for this; at most 50 million are allowed at once."
        );
        assert_eq!(
            rejected("Illegal mix of collations.").for_person(),
            "The database does not accept the query: Illegal mix of collations."
        );
    }
}
