//! Labelled questions, one JSON object per line.

use serde::{Deserialize, Serialize};

use crate::Error;

/// A question whose passage is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledQuestion {
    /// The question in words.
    pub question: String,
    /// The document that answers the question.
    pub filename: String,
    /// Words of the answering passage that no other passage of the document has.
    pub contains: String,
    /// The kind of the question. Figures are also reported per kind.
    #[serde(default)]
    pub kind: String,
}

/// Parses questions.
pub fn questions(text: &str) -> Result<Vec<LabelledQuestion>, Error> {
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
    fn lines_are_parsed_and_an_invalid_one_is_named() {
        let good = r#"{"question": "q", "filename": "f.md", "contains": "c"}"#;
        assert_eq!(questions(&format!("{good}\n\n{good}\n")).unwrap().len(), 2);
        let error = questions(&format!("{good}\n{{}}")).unwrap_err();
        assert!(matches!(error, Error::Question { line: 2, .. }));
        assert!(matches!(questions(" \n"), Err(Error::NoQuestions)));
    }
}
