//! `EXCLUDE` in the frame of a window, which the parser does not know: it takes the current row,
//! its peers or both out of the frame.
//!
//! Where a frame has it, a marker is put first among what the window is partitioned by before the
//! statement is parsed, and the clause in the marker's place when it is printed. No statement that
//! comes from outside may hold a marker.

use sqlparser::ast::{Expr, FunctionArguments};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// How every marker begins.
const MARK: &str = "heliograph_exclude";

/// Markers, and the clauses that they represent.
const CLAUSES: [(&str, &[&str]); 3] = [
    ("heliograph_exclude_row", &["EXCLUDE", "CURRENT", "ROW"]),
    ("heliograph_exclude_group", &["EXCLUDE", "GROUP"]),
    ("heliograph_exclude_ties", &["EXCLUDE", "TIES"]),
];

/// The clause that changes nothing.
const NOTHING: [&str; 3] = ["EXCLUDE", "NO", "OTHERS"];

/// Whether a statement has what only markers are called.
pub(crate) fn is_taken(sql: &str) -> bool {
    sql.to_lowercase().contains(MARK)
}

/// Puts markers in the place of the clauses.
pub(crate) fn mark(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at < tokens.len() {
        if ends_frame(tokens, at, &NOTHING) {
            tokens.drain(at..at + NOTHING.len());
            continue;
        }
        let clause = CLAUSES
            .iter()
            .find(|(_, clause)| ends_frame(tokens, at, clause));
        if let Some((marker, clause)) = clause
            && let Some(open) = opening(tokens, at)
        {
            tokens.drain(at..at + clause.len());
            put(tokens, open, marker);
        }
        at += 1;
    }
}

/// Whether an expression is a marker.
pub(crate) fn is_marker(expression: &Expr) -> bool {
    let Expr::Function(function) = expression else {
        return false;
    };
    let name = function.name.to_string();
    let is_bare = matches!(&function.args, FunctionArguments::List(list) if list.args.is_empty());
    is_bare && CLAUSES.iter().any(|(marker, _)| *marker == name)
}

/// The printed statement with the clauses in the places of their markers; `None` where one has no
/// place.
pub(crate) fn restored(mut sql: String) -> Option<String> {
    for (marker, clause) in CLAUSES {
        let call = format!("{marker}()");
        while let Some(at) = sql.find(&call) {
            let end = at + call.len();
            let close = closing(&sql, end)?;
            sql.insert_str(close, &format!(" {}", clause.join(" ")));
            if sql[end..].starts_with(", ") {
                sql.replace_range(at..end + 2, "");
            } else {
                let start = sql[..at].strip_suffix("PARTITION BY ")?.len();
                let space = usize::from(sql[end..].starts_with(' '));
                sql.replace_range(start..end + space, "");
            }
        }
    }
    Some(sql)
}

/// Whether these words and the end of the parentheses stand here.
fn ends_frame(tokens: &[TokenWithSpan], at: usize, words: &[&str]) -> bool {
    let is = |(offset, wanted): (usize, &&str)| {
        let token = tokens.get(at + offset);
        token.is_some_and(|token| is_word(&token.token, wanted))
    };
    words.iter().enumerate().all(is)
        && tokens
            .get(at + words.len())
            .is_some_and(|next| next.token == Token::RParen)
}

/// The opening parenthesis around a place, if it is a window's.
fn opening(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let open = (0..at).rev().find(|&before| match tokens[before].token {
        Token::RParen => {
            depth += 1;
            false
        }
        Token::LParen if depth == 0 => true,
        Token::LParen => {
            depth -= 1;
            false
        }
        _ => false,
    })?;
    let before = &tokens[open.checked_sub(1)?].token;
    let is_window = is_word(before, "OVER") || is_word(before, "AS");
    is_window.then_some(open)
}

/// Puts a marker first among what the window that opens here is partitioned by.
fn put(tokens: &mut Vec<TokenWithSpan>, open: usize, marker: &str) {
    let begins = ["PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS"];
    let first = &tokens[open + 1].token;
    let is_named = matches!(first, Token::Word(_)) && !begins.iter().any(|it| is_word(first, it));
    let at = open + 1 + usize::from(is_named);
    let call = [Token::make_word(marker, None), Token::LParen, Token::RParen];
    let partitioned = tokens
        .get(at)
        .is_some_and(|token| is_word(&token.token, "PARTITION"));
    if partitioned {
        let call = call.into_iter().chain([Token::Comma]);
        tokens.splice(at + 2..at + 2, call.map(TokenWithSpan::wrap));
    } else {
        let by = [Token::make_keyword("PARTITION"), Token::make_keyword("BY")];
        let call = by.into_iter().chain(call);
        tokens.splice(at..at, call.map(TokenWithSpan::wrap));
    }
}

/// The closing parenthesis around a place of a printed statement. Quoted parts are text.
fn closing(sql: &str, from: usize) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, byte) in sql.bytes().enumerate().skip(from) {
        match (quote, byte) {
            (Some(open), byte) => quote = quote.filter(|_| open != byte),
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') if depth == 0 => return Some(at),
            (None, b')') => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_word(token: &Token, wanted: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(wanted))
}
