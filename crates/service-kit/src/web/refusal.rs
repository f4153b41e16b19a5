//! The reason why a document does not fit its type, in plain words without internals of the parser.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

/// Characters of a value that are repeated in a refusal of it.
const SHOWN: usize = 60;

/// Names of a list of alternatives that are repeated.
const LISTED: usize = 24;

/// The first characters of a text that a client sent, for a message to that client.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A refusal on its way out of a document, which gathers where it happened.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) reason: Reason,
    /// The names and indices from the value to the document.
    path: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Reason {
    /// The text is not JSON; what `serde_json` says of it.
    Malformed(String),
    /// The value has another type than it should, or one that is out of range.
    WrongType {
        found: String,
        /// A description in plain words, where there is one.
        expected: Option<String>,
        /// Whether the code that asked for the value may know better what is expected.
        guessed: bool,
    },
    /// Anything else, in words.
    Invalid(String),
}

impl Refusal {
    /// A text that is not valid JSON.
    pub(super) fn malformed(error: &impl fmt::Display) -> Self {
        Self::of(Reason::Malformed(error.to_string()))
    }

    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        Self::of(Reason::Invalid(detail.into()))
    }

    /// A value of another type.
    pub(super) fn wrong_type(found: Unexpected<'_>, expected: &str) -> Self {
        Self::of(Reason::WrongType {
            found: found_words(&found),
            expected: Some(expected.to_owned()),
            guessed: false,
        })
    }

    /// PostgreSQL keeps no such text, and no person types it.
    pub(super) fn null_character() -> Self {
        Self::invalid("must not contain the null character U+0000")
    }

    /// Says what is expected, which the one who asked for the value knows best.
    pub(super) fn expecting(mut self, words: impl FnOnce() -> Option<String>) -> Self {
        if let Reason::WrongType {
            expected,
            guessed: true,
            ..
        } = &mut self.reason
            && self.path.is_empty()
            && let Some(words) = words()
        {
            *expected = Some(words);
        }
        self
    }

    /// The refusal as seen from the object or array around it.
    pub(super) fn within(mut self, segment: impl Into<String>) -> Self {
        self.path.push(segment.into());
        self
    }

    /// An RFC 6901 pointer to the value.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.path.iter().rev() {
            pointer.push('/');
            pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
        }
        pointer
    }

    /// A description of the fault in the value.
    pub(super) fn detail(&self) -> String {
        match &self.reason {
            Reason::Malformed(error) => malformed_words(error),
            Reason::WrongType {
                found,
                expected: Some(expected),
                ..
            } => format!("must be {expected}, got {found}"),
            Reason::WrongType {
                found,
                expected: None,
                ..
            } => format!("does not take {found}"),
            Reason::Invalid(detail) => detail.clone(),
        }
    }

    fn of(reason: Reason) -> Self {
        Self {
            reason,
            path: Vec::new(),
        }
    }
}

impl Error for Refusal {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::invalid(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::of(Reason::WrongType {
            found: found_words(&found),
            expected: expected_words(&expected.to_string()),
            guessed: true,
        })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, _expected: &dyn Expected) -> Self {
        Self::invalid(format!("does not take {length} items"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::wrong_type(Unexpected::Str(variant), &one_of(expected))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let detail = match expected {
            [] => "is not known here, where nothing is".to_owned(),
            names => format!("is not known here; known: {}", list(names)),
        };
        Self::invalid(detail).within(field)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::invalid("is required").within(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::invalid("is given more than once").within(field)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail())
    }
}

impl std::error::Error for Refusal {}

/// `one of a, b, c`.
pub(super) fn one_of(names: &[&str]) -> String {
    match names {
        [] => "one of the known names".to_owned(),
        [only] => format!("`{only}`"),
        names => format!("one of {}", list(names)),
    }
}

fn list(names: &[&str]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(LISTED)
        .map(|name| format!("`{name}`"))
        .collect();
    let rest = if names.len() > LISTED { ", …" } else { "" };
    format!("{}{rest}", shown.join(", "))
}

fn found_words(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Float(value) => serde_json::Number::from_f64(*value)
            .map_or_else(|| value.to_string(), |number| number.to_string()),
        Unexpected::Char(value) => format!("{:?}", value.to_string()),
        Unexpected::Str(text) => serde_json::Value::from(excerpt(text)).to_string(),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq | Unexpected::TupleVariant => "an array".to_owned(),
        Unexpected::Map
        | Unexpected::StructVariant
        | Unexpected::Enum
        | Unexpected::NewtypeStruct
        | Unexpected::NewtypeVariant => "an object".to_owned(),
        Unexpected::UnitVariant => "a string".to_owned(),
        Unexpected::Bytes(_) | Unexpected::Other(_) => "a value of another type".to_owned(),
    }
}

/// What serde's own types say that they expect, in the words of JSON.
fn expected_words(expected: &str) -> Option<String> {
    let words = match expected {
        "a boolean" => "true or false",
        "a string" | "a borrowed string" | "a character" => "a string",
        "f32" | "f64" => "a number",
        "unit" => "null",
        "option" => return None,
        _ if is_integer(expected) => "an integer",
        _ if begins(
            expected,
            &["struct", "a map", "map", "internally", "adjacently"],
        ) =>
        {
            "an object"
        }
        _ if begins(expected, &["a sequence", "sequence", "tuple", "an array"]) => "an array",
        _ => return None,
    };
    Some(words.to_owned())
}

fn is_integer(expected: &str) -> bool {
    let digits = expected.strip_prefix(['u', 'i']).unwrap_or_default();
    digits == "size" || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn begins(text: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| text.starts_with(prefix))
}

/// A description of the fault in a text that is not JSON, with its position.
fn malformed_words(error: &str) -> String {
    let (said, place) = match error.rsplit_once(" at line ") {
        Some((said, place)) => (said, format!(" at line {place}")),
        None => (error, String::new()),
    };
    let fault = if said.starts_with("EOF") {
        "it ends too early"
    } else if said.starts_with("recursion limit") {
        "it is nested too deep"
    } else if said.starts_with("trailing characters") {
        "something follows its end"
    } else if said.starts_with("number out of range") {
        "a number is out of range"
    } else if said.starts_with("control character") {
        "a string holds a bare control character"
    } else {
        "something is wrong"
    };
    format!("{fault}{place}")
}
