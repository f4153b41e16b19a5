//! Questions that come with a target, with the queries that answer them.

use std::path::Path;

use serde::Deserialize;

use crate::TargetError;
use crate::dates::DateTemplate;

/// A question, and the query that answers it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// As a person asks it.
    pub question: String,
    /// With logical table names. Days of a period that the question names follow the calendar: see
    /// [`crate::dates`].
    pub sql: String,
}

/// Reads a questions file: a JSON list.
pub(crate) fn load(path: &Path) -> Result<Vec<Question>, TargetError> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let read = text.and_then(|text| {
        let questions: Vec<Question> =
            serde_json::from_str(&text).map_err(|error| error.to_string())?;
        for question in &questions {
            DateTemplate::parse(&question.sql)
                .map_err(|error| format!("\u{201c}{}\u{201d}: {error}", question.question))?;
        }
        Ok(questions)
    });
    read.map_err(|error| TargetError::Policy {
        message: format!(
            "The questions file {} cannot be used: {error}.",
            path.display()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_list_of_questions_or_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("questions.json");
        std::fs::write(&path, r#"[{"question": "How many?", "sql": "SELECT 1"}]"#).unwrap();
        assert_eq!(load(&path).unwrap()[0].sql, "SELECT 1");
        std::fs::write(&path, r#"[{"question": "How many?"}]"#).unwrap();
        let error = load(&path).unwrap_err();
        assert!(error.to_string().contains("questions.json"), "{error}");
        assert!(load(&folder.path().join("none.json")).is_err());
        std::fs::write(
            &path,
            r#"[{"question": "Hours last week?", "sql": "d > '{{wek-1}}'"}]"#,
        )
        .unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(
            error.contains("Hours last week?") && error.contains("{{wek-1}}"),
            "{error}"
        );
    }
}
