//! Set operations whose operands have an order or a limit of their own and no parentheses, as
//! models like to write them: `SELECT … ORDER BY … LIMIT 3 INTERSECT SELECT … ORDER BY … LIMIT 3`.
//! Databases refuse that; there is one thing it can mean.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The tokens with every operand in parentheses, if some operand before the last has an order or a
/// limit.
pub(crate) fn parenthesized(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    let end = tokens
        .iter()
        .rposition(|token| !matches!(token.token, Token::SemiColon | Token::EOF))?
        + 1;
    if keyword(tokens.first()?) != Keyword::SELECT {
        return None;
    }
    let (mut depth, mut ordered, mut needed) = (0_usize, false, false);
    let mut out = vec![TokenWithSpan::wrap(Token::LParen)];
    let mut tokens_left = tokens[..end].iter().peekable();
    while let Some(token) = tokens_left.next() {
        match (&token.token, keyword(token)) {
            (Token::LParen, _) => depth += 1,
            (Token::RParen, _) => depth = depth.checked_sub(1)?,
            (_, Keyword::ORDER | Keyword::LIMIT) if depth == 0 => ordered = true,
            (_, Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT) if depth == 0 => {
                needed |= std::mem::take(&mut ordered);
                out.extend([TokenWithSpan::wrap(Token::RParen), token.clone()]);
                out.extend(
                    tokens_left
                        .next_if(|next| matches!(keyword(next), Keyword::ALL | Keyword::DISTINCT))
                        .cloned(),
                );
                out.push(TokenWithSpan::wrap(Token::LParen));
                continue;
            }
            _ => {}
        }
        out.push(token.clone());
    }
    out.push(TokenWithSpan::wrap(Token::RParen));
    out.push(TokenWithSpan::new_eof());
    needed.then_some(out)
}

fn keyword(token: &TokenWithSpan) -> Keyword {
    match &token.token {
        Token::Word(word) => word.keyword,
        _ => Keyword::NoKeyword,
    }
}
