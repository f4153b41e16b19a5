//! The conditions of a query.

use super::{
    made_up::{KEYWORDS, Token, is_word},
    names::{singular, words},
};

/// A condition of a query.
#[derive(Debug, Default)]
pub(super) struct Test {
    pub(super) words: Vec<String>,
    /// Whether it holds for rows without what its words say; unknown within a value.
    pub(super) denies: Option<bool>,
    pub(super) is_time: bool,
    /// Whether it may say words of the question in other ones.
    pub(super) is_open: bool,
}

/// The words of the conditions of a query, in the sense in which it tests them.
pub(super) fn tested(tokens: &[Token]) -> Vec<String> {
    let tests = tests(tokens).into_iter();
    let said = tests.flat_map(|test| {
        let denies = test.denies == Some(true);
        let words = test.words.into_iter();
        words.map(move |word| if denies { format!("un{word}") } else { word })
    });
    said.collect()
}

/// The conditions of a query, without those that join its tables.
pub(super) fn tests(tokens: &[Token]) -> Vec<Test> {
    let mut parts: Vec<(Vec<Token>, bool)> = Vec::new();
    // Whether conditions are read here, and whether NOT is around them.
    let (mut inside, mut turned) = (false, false);
    let mut around: Vec<(bool, bool)> = Vec::new();
    let mut open: Vec<Token> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let denied_before = at > 0 && is_word(&tokens[at - 1], "not")
            || at > 1 && is_word(&tokens[at - 1], "exists") && is_word(&tokens[at - 2], "not");
        let mut close = |open: &mut Vec<Token>, turned: bool| {
            if !open.is_empty() {
                parts.push((std::mem::take(open), turned));
            }
        };
        match token {
            Token::Sign('(') => {
                around.push((inside, turned));
                let opens_query = tokens
                    .get(at + 1)
                    .is_some_and(|next| is_word(next, "select"));
                if opens_query && inside {
                    close(&mut open, turned);
                }
                if denied_before {
                    close(&mut open, turned);
                    turned = !turned;
                }
                if inside && !opens_query {
                    open.push(token.clone());
                }
            }
            Token::Sign(')') => {
                let (was_inside, was_turned) = around.pop().unwrap_or_default();
                if turned != was_turned || inside != was_inside {
                    close(&mut open, turned);
                } else if inside {
                    open.push(token.clone());
                }
                (inside, turned) = (was_inside, was_turned);
            }
            Token::Word(word) if ["where", "having", "on"].contains(&word.as_str()) => {
                close(&mut open, turned);
                inside = true;
            }
            Token::Word(word)
                if [
                    "cross",
                    "except",
                    "fetch",
                    "from",
                    "full",
                    "group",
                    "inner",
                    "intersect",
                    "join",
                    "left",
                    "limit",
                    "order",
                    "right",
                    "select",
                    "union",
                    "window",
                ]
                .contains(&word.as_str())
                    && tokens.get(at + 1) != Some(&Token::Sign('(')) =>
            {
                // `EXTRACT(YEAR FROM day)` is within a condition.
                let in_call = word == "from" && inside && !open.is_empty();
                if !in_call {
                    close(&mut open, turned);
                    inside = false;
                }
            }
            Token::Word(word) if inside && ["and", "or"].contains(&word.as_str()) => {
                close(&mut open, turned);
            }
            _ if inside => open.push(token.clone()),
            _ => {}
        }
    }
    if !open.is_empty() {
        parts.push((open, turned));
    }
    parts
        .iter()
        .filter_map(|(part, turned)| test(part, *turned))
        .collect()
}

/// The test of a part of the conditions; `None` for one that joins tables.
fn test(part: &[Token], turned: bool) -> Option<Test> {
    let has = |word: &str| part.iter().any(|one| is_word(one, word));
    let says = said_in(part);
    let numbers = part.iter().filter_map(|one| match one {
        Token::Number(number) => Some(number.clone()),
        Token::Word(_) | Token::Text(_) | Token::Sign(_) => None,
    });
    let sign = |sign: char| part.contains(&Token::Sign(sign));
    let has_literal = part
        .iter()
        .any(|one| matches!(one, Token::Text(_) | Token::Number(_)));
    let has_value = has_literal || ["null", "true", "false"].iter().any(|word| has(word));
    let calls = part
        .windows(2)
        .any(|two| matches!(two, [Token::Word(_), Token::Sign('(')]));
    let columns = part.iter().enumerate().filter(|(at, one)| {
        matches!(one, Token::Word(word) if !KEYWORDS.contains(&word.as_str()))
            && part.get(at + 1) != Some(&Token::Sign('.'))
            && part.get(at + 1) != Some(&Token::Sign('('))
    });
    let columns = columns.count();
    let joins = sign('=') && !sign('<') && !sign('>') && columns == 2 && !has_value && !calls;
    if joins {
        return None;
    }
    let is_zero = matches!(part, [.., Token::Sign('='), Token::Number(zero)] if zero == "0")
        && !sign('!')
        && !sign('<')
        && !sign('>');
    let unlike = sign('!')
        || part
            .windows(2)
            .any(|two| matches!(two, [Token::Sign('<'), Token::Sign('>')]));
    let to_zero = matches!(part, [.., Token::Number(zero)] if zero == "0");
    let denials = [
        has("not"),
        unlike,
        has("null"),
        has("false") || is_zero || unlike && to_zero,
    ];
    let denies = denials.iter().filter(|one| **one).count() % 2 == 1;
    let orders = (sign('<') || sign('>')) && !unlike;
    let is_all =
        says.iter().all(|word| word == "id") && (has("null") && has("not") || sign('>') && to_zero);
    let is_time = part.iter().any(|one| match one {
        Token::Text(text) => {
            text.len() >= 7
                && text.as_bytes()[..4].iter().all(u8::is_ascii_digit)
                && text[4..].starts_with('-')
        }
        Token::Word(word) => [
            "curdate",
            "current_date",
            "current_timestamp",
            "date_sub",
            "date_trunc",
            "extract",
            "interval",
            "month",
            "now",
            "quarter",
            "week",
            "year",
            "yearweek",
        ]
        .contains(&word.as_str()),
        Token::Number(_) | Token::Sign(_) => false,
    });
    Some(Test {
        is_open: (columns > 0 || calls) && !is_all,
        denies: (!orders).then_some(denies != turned),
        words: says.into_iter().chain(numbers).collect(),
        is_time,
    })
}

/// The words of the columns and texts of a part of a query.
pub(super) fn said_in(part: &[Token]) -> Vec<String> {
    let said = part.iter().enumerate().filter_map(|(at, one)| match one {
        Token::Word(word) => {
            let is_call = part.get(at + 1) == Some(&Token::Sign('('));
            let qualifies = part.get(at + 1) == Some(&Token::Sign('.'));
            (!is_call && !qualifies && !KEYWORDS.contains(&word.as_str())).then(|| words(word))
        }
        Token::Text(text) => Some(words(text)),
        Token::Number(_) | Token::Sign(_) => None,
    });
    said.flatten().map(|word| singular(&word)).collect()
}
