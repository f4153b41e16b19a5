//! Names and literals: only those are let through that print as they were read.

use sqlparser::ast::{Expr, Ident, Value};
use sqlparser::keywords::ALL_KEYWORDS;

use crate::guard::Dialect;

/// Whether a literal can be printed safely; `MySQL`'s double-quoted texts become single-quoted
/// ones, because whether they are texts at all depends on the session.
pub(crate) fn settle(value: &mut Value, dialect: Dialect) -> bool {
    match value {
        Value::DoubleQuotedString(text) if dialect == Dialect::MySql => {
            *value = Value::SingleQuotedString(requoted(text));
            true
        }
        // The tokenizer gives what these mean; written as a plain literal they mean it whatever the
        // session's settings.
        Value::EscapedStringLiteral(text) | Value::UnicodeStringLiteral(text)
            if dialect == Dialect::PostgreSql =>
        {
            let plain = !text.contains('\0');
            *value = Value::SingleQuotedString(text.replace('\'', "''"));
            plain
        }
        Value::DollarQuotedString(text) if dialect == Dialect::PostgreSql => {
            let plain = !text.value.contains('\0');
            *value = Value::SingleQuotedString(text.value.replace('\'', "''"));
            plain
        }
        Value::Number(..) | Value::SingleQuotedString(_) | Value::Boolean(_) | Value::Null => true,
        Value::NationalStringLiteral(text) | Value::EscapedStringLiteral(text) => {
            !text.contains(['\\', '\'']) && !text.contains(char::is_control)
        }
        Value::HexStringLiteral(digits) => digits.chars().all(|c| c.is_ascii_hexdigit()),
        Value::SingleQuotedByteStringLiteral(bits) => bits.chars().all(|c| c == '0' || c == '1'),
        _ => false,
    }
}

/// Turns what stood between double quotes into what may stand between single ones. Backslashes keep
/// what follows them.
fn requoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '"' => {
                chars.next_if_eq(&'"');
                out.push('"');
            }
            '\'' => out.push_str("''"),
            _ => out.push(c),
        }
    }
    out
}

/// Whether a name is one in every reading of it.
pub(crate) fn is_plain(name: &Ident) -> bool {
    match name.quote_style {
        None => name
            .value
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '$'),
        Some(_) => {
            !name.value.is_empty()
                && !name.value.contains(['`', '"', '\'', '\\'])
                && !name.value.contains(char::is_control)
        }
    }
}

/// A name as the database spells it, quoted if it must be.
pub(crate) fn spelt(name: &str, dialect: Dialect) -> Ident {
    match ALL_KEYWORDS.binary_search(&name.to_ascii_uppercase().as_str()) {
        Ok(_) => Ident::with_quote(dialect.quote(), name),
        Err(_) => spelt_column(name, dialect),
    }
}

/// As [`spelt`], for a name after a dot, where keywords are names.
pub(crate) fn spelt_column(name: &str, dialect: Dialect) -> Ident {
    let simple = |c: char| {
        c == '_'
            || c.is_ascii_digit()
            || c.is_ascii_lowercase()
            || (dialect == Dialect::MySql && c.is_ascii_uppercase())
    };
    if name.chars().all(simple) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        Ident::new(name)
    } else {
        Ident::with_quote(dialect.quote(), name)
    }
}

/// A share, written without an exponent.
pub(crate) fn decimal(number: f64) -> String {
    format!("{number:.9}")
}

pub(crate) fn number(number: u64) -> Expr {
    Expr::Value(Value::Number(number.to_string(), false).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_quotes_become_single_ones() {
        for (text, expected) in [
            ("it's", "it''s"),
            (r#"a""b"#, r#"a"b"#),
            (r"a\'b", r"a\'b"),
            (r"a\\", r"a\\"),
        ] {
            assert_eq!(requoted(text), expected);
        }
    }

    #[test]
    fn names_that_could_break_out_are_not_plain() {
        assert!(is_plain(&Ident::with_quote('`', "%_Change 2007")));
        assert!(!is_plain(&Ident::with_quote('`', "a`` b")));
        assert!(!is_plain(&Ident::new("@aesKey")));
    }
}
