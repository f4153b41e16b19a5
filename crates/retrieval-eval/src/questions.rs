//! Labelled questions, one JSON object a line.

use serde::{Deserialize, Serialize};

use crate::Error;

/// A question whose passage is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What is asked.
    pub question: String,
    /// The document that answers it.
    pub filename: String,
    /// Words of the passage that answers it, and of no other of the document.
    pub contains: String,
    /// What sort of question it is; figures are told by it, too.
    #[serde(default)]
    pub kind: String,
}

/// Reads questions.
pub fn questions(text: &str) -> Result<Vec<Question>, Error> {
    let mut questions = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if !text.trim().is_empty() {
            let question = serde_json::from_str(text);
            questions.push(question.map_err(|source| Error::Question { line, source })?);
        }
    }
    if questions.is_empty() {
        return Err(Error::NoQuestions);
    }
    Ok(questions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_the_wrong_one_is_named() {
        let good = r#"{"question": "q", "filename": "f.md", "contains": "c"}"#;
        assert_eq!(questions(&format!("{good}\n\n{good}\n")).unwrap().len(), 2);
        let error = questions(&format!("{good}\n{{}}")).unwrap_err();
        assert!(matches!(error, Error::Question { line: 2, .. }));
        assert!(matches!(questions(" \n"), Err(Error::NoQuestions)));
    }
}
