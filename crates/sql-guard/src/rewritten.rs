//! Spellings that the parser does not know, in those that it does: what they mean stays the same.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::frames;
use crate::guard::Dialect;

/// The tokens with such spellings replaced.
pub(crate) fn rewritten(mut tokens: Vec<TokenWithSpan>, dialect: Dialect) -> Vec<TokenWithSpan> {
    // `TABLE t` is `SELECT * FROM t`.
    if tokens
        .first()
        .is_some_and(|first| is_word(&first.token, "TABLE"))
    {
        let select = [
            Token::make_keyword("SELECT"),
            Token::Mul,
            Token::make_keyword("FROM"),
        ];
        tokens.splice(0..1, select.map(TokenWithSpan::wrap));
    }
    if dialect == Dialect::PostgreSql {
        only(&mut tokens);
        frames::mark(&mut tokens);
    }
    if dialect == Dialect::MySql {
        let mut at = 0;
        while at < tokens.len() {
            if is_word(&tokens[at].token, "YEAR_MONTH") {
                extract(&mut tokens, at);
                interval(&mut tokens, at);
            }
            at += 1;
        }
    }
    tokens
}

/// `FROM ONLY t` is `FROM ONLY (t)`, which reads as a call.
fn only(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 1;
    while at < tokens.len() {
        let before = &tokens[at - 1].token;
        let stands = *before == Token::Comma
            || *before == Token::LParen
            || is_word(before, "FROM")
            || is_word(before, "JOIN");
        let is_only = stands
            && is_word(&tokens[at].token, "ONLY")
            && matches!(
                tokens.get(at + 1).map(|next| &next.token),
                Some(Token::Word(_))
            );
        if is_only {
            let mut end = at + 2;
            while matches!(
                (
                    tokens.get(end).map(|it| &it.token),
                    tokens.get(end + 1).map(|it| &it.token)
                ),
                (Some(Token::Period), Some(Token::Word(_)))
            ) {
                end += 2;
            }
            tokens.insert(end, TokenWithSpan::wrap(Token::RParen));
            tokens.insert(at + 1, TokenWithSpan::wrap(Token::LParen));
        }
        at += 1;
    }
}

/// `EXTRACT(YEAR_MONTH FROM d)` is the number that the year and the month of `d` make.
fn extract(tokens: &mut Vec<TokenWithSpan>, at: usize) {
    let begins = at >= 2
        && is_word(&tokens[at - 2].token, "EXTRACT")
        && tokens[at - 1].token == Token::LParen
        && tokens
            .get(at + 1)
            .is_some_and(|next| is_word(&next.token, "FROM"));
    let Some(end) = begins.then(|| closing(tokens, at - 1)).flatten() else {
        return;
    };
    let after = [
        Token::Comma,
        Token::SingleQuotedString("%Y%m".to_owned()),
        Token::RParen,
        Token::make_keyword("AS"),
        Token::make_keyword("UNSIGNED"),
        Token::RParen,
    ];
    tokens.splice(end..=end, after.map(TokenWithSpan::wrap));
    let before = [
        Token::make_keyword("CAST"),
        Token::LParen,
        Token::make_word("DATE_FORMAT", None),
        Token::LParen,
    ];
    tokens.splice(at - 2..=at + 1, before.map(TokenWithSpan::wrap));
}

/// `INTERVAL '1-2' YEAR_MONTH` is fourteen months.
fn interval(tokens: &mut [TokenWithSpan], at: usize) {
    if at < 2 || !is_word(&tokens[at - 2].token, "INTERVAL") {
        return;
    }
    let Token::SingleQuotedString(text) = &tokens[at - 1].token else {
        return;
    };
    let months = text.split_once('-').and_then(|(years, months)| {
        let (years, months): (u32, u32) = (years.trim().parse().ok()?, months.trim().parse().ok()?);
        years.checked_mul(12)?.checked_add(months)
    });
    if let Some(months) = months {
        tokens[at - 1] = TokenWithSpan::wrap(Token::Number(months.to_string(), false));
        tokens[at] = TokenWithSpan::wrap(Token::make_keyword("MONTH"));
    }
}

/// The closing parenthesis for the one that opens at a place.
fn closing(tokens: &[TokenWithSpan], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn is_word(token: &Token, wanted: &str) -> bool {
    match token {
        Token::Word(word) => {
            word.quote_style.is_none()
                && (word.value.eq_ignore_ascii_case(wanted))
                && (word.keyword != Keyword::NoKeyword || wanted.contains('_'))
        }
        _ => false,
    }
}
