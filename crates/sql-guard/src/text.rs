//! Checks before parsing: size, comments that a database executes, tokens.

use sqlparser::dialect::{MySqlDialect, PostgreSqlDialect};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::finding::{Finding, Kind};
use crate::guard::Dialect;

/// Longer statements are not looked at.
const LONGEST: usize = 64 * 1024;
/// Nor are those of more tokens.
const MOST_TOKENS: usize = 4000;

/// The tokens of a statement that is fit for parsing, without spaces and comments.
pub(crate) fn tokens(sql: &str, dialect: Dialect) -> Result<Vec<TokenWithSpan>, Finding> {
    let too_large = || Finding::new(Kind::TooLarge, "The statement is too long.");
    if sql.len() > LONGEST {
        return Err(too_large());
    }
    if let Some(finding) = executable_comment(sql, dialect) {
        return Err(finding);
    }
    let mut tokens = tokenize(sql, dialect).map_err(|error| syntax(&error))?;
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_)));
    if tokens.len() > MOST_TOKENS {
        Err(too_large())
    } else {
        Ok(tokens)
    }
}

/// Tokens with literals as they are written.
pub(crate) fn tokenize(sql: &str, dialect: Dialect) -> Result<Vec<TokenWithSpan>, String> {
    match dialect {
        Dialect::MySql => Tokenizer::new(&MySqlDialect {}, sql)
            .with_unescape(false)
            .tokenize_with_location(),
        Dialect::PostgreSql => Tokenizer::new(&PostgreSqlDialect {}, sql)
            .with_unescape(false)
            .tokenize_with_location(),
    }
    .map_err(|error| error.to_string())
}

pub(crate) fn syntax(error: &str) -> Finding {
    Finding::new(
        Kind::Syntax,
        format!("The statement does not parse: {error}."),
    )
}

/// Refuses `/*! … */` and `/*M! … */`, which `MySQL` and `MariaDB` execute, and `/*+ … */`, which
/// can set variables. Quoted text is not a comment.
pub(crate) fn executable_comment(sql: &str, dialect: Dialect) -> Option<Finding> {
    let bytes = sql.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            quote @ (b'\'' | b'"' | b'`') => after_quoted(bytes, at, quote, dialect),
            b'#' if dialect == Dialect::MySql => after_line(bytes, at),
            b'-' if line_comment(bytes, at, dialect) => after_line(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => {
                let rest = &bytes[at + 2..];
                let length = rest
                    .windows(2)
                    .position(|pair| pair == b"*/")
                    .unwrap_or(rest.len());
                let content = &rest[..length];
                let opens = |text: &[u8]| {
                    text.starts_with(b"!") || text.starts_with(b"M!") || text.starts_with(b"+")
                };
                // Not every reader agrees on where a comment within a comment ends.
                if opens(content)
                    || (0..length).any(|inner| {
                        content[inner..].starts_with(b"/*") && opens(&content[inner + 2..])
                    })
                {
                    let message =
                        "Comments that the database executes (/*! … */, /*+ … */) are not allowed.";
                    return Some(Finding::new(Kind::ExecutableComment, message));
                }
                at + 2 + length + 2
            }
            _ => at + 1,
        };
    }
    None
}

fn line_comment(bytes: &[u8], at: usize, dialect: Dialect) -> bool {
    let rest = &bytes[at..];
    rest.starts_with(b"--")
        && (dialect == Dialect::PostgreSql || rest.get(2).is_none_or(u8::is_ascii_whitespace))
}

fn after_line(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |end| at + end + 1)
}

fn after_quoted(bytes: &[u8], start: usize, quote: u8, dialect: Dialect) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        if bytes[at] == b'\\' && dialect == Dialect::MySql && quote != b'`' {
            at += 2;
        } else if bytes[at] == quote {
            return at + 1;
        } else {
            at += 1;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executable_comments_are_found_where_they_are_comments() {
        let refused = |sql: &str| executable_comment(sql, Dialect::MySql).is_some();
        assert!(refused("SELECT 1 /*!50000 , SLEEP(1) */"));
        assert!(refused("SELECT 1 /*M!100 , 2 */"));
        assert!(refused("SELECT /*+ SET_VAR(x=1) */ 1"));
        assert!(refused("SELECT 'a\\'' /*! x */"));
        assert!(refused("SELECT 1 --x\n/*! y */"));
        assert!(
            !refused("SELECT 1--'\n/*! y */ '"),
            "two minus signs and a text"
        );
        assert!(refused("SELECT /* /*! x */ 1"));
        assert!(!refused("SELECT '/*! x */', \"/*! y */\", `/*! z */`"));
        assert!(!refused("SELECT 1 -- /*! x\n"));
        assert!(refused("/* ' */ SELECT 1 /*! x */ -- '"));
        assert!(!refused("/* plain */ SELECT 1 # /*!"));
    }
}
