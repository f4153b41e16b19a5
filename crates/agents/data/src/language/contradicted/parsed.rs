//! The comparisons and the orders of a query.

use super::{
    super::{
        conditions::said_in,
        made_up::{Token, columns, is_word, named},
    },
    tables,
};

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Below,
    AtMost,
    Above,
    AtLeast,
    Is,
    IsNot,
}

impl Op {
    /// The same with NOT around it.
    fn turned(self) -> Self {
        match self {
            Self::Below => Self::AtLeast,
            Self::AtMost => Self::Above,
            Self::Above => Self::AtMost,
            Self::AtLeast => Self::Below,
            Self::Is => Self::IsNot,
            Self::IsNot => Self::Is,
        }
    }

    /// The same with its sides exchanged.
    fn mirrored(self) -> Self {
        match self {
            Self::Below => Self::Above,
            Self::AtMost => Self::AtLeast,
            Self::Above => Self::Below,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
            Self::Is => "=",
            Self::IsNot => "<>",
        }
    }

    pub(super) fn orders(self) -> bool {
        !matches!(self, Self::Is | Self::IsNot)
    }
}

/// A comparison with a literal.
#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) left: Vec<Token>,
    pub(super) op: Op,
    /// The literal, and what is made of it.
    pub(super) right: Vec<Token>,
}

impl Comparison {
    /// The words of what is compared.
    pub(super) fn words(&self) -> Vec<String> {
        words_of(&self.left)
    }

    /// The number that it is compared with, if that is all.
    pub(super) fn number(&self) -> Option<&str> {
        match self.right.as_slice() {
            [Token::Number(number)] => Some(number),
            [Token::Text(text)] if text.parse::<f64>().is_ok() => Some(text),
            _ => None,
        }
    }

    /// The text that it is compared with, if that is all.
    pub(super) fn text(&self) -> Option<&str> {
        match self.right.as_slice() {
            [Token::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// As the query has it.
    pub(super) fn written(&self) -> String {
        format!(
            "{} {} {}",
            written(&self.left),
            self.op.sign(),
            written(&self.right)
        )
    }
}

/// A list of rows that is cut: by what it is ordered first, and in which direction.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) key: Vec<Token>,
    pub(super) descends: bool,
    /// Whether LIMIT or FETCH cuts it.
    pub(super) is_cut: bool,
    /// Whether it is in no other query.
    pub(super) is_outermost: bool,
}

/// A query in parts.
pub(super) struct Parsed<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) comparisons: Vec<Comparison>,
    pub(super) orders: Vec<Order>,
    /// Tables by the names that the query uses for them.
    pub(super) tables: Vec<(String, String)>,
}

impl<'a> Parsed<'a> {
    pub(super) fn of(tokens: &'a [Token]) -> Self {
        Self {
            comparisons: comparisons(tokens),
            orders: orders(tokens),
            tables: tables(tokens),
            tokens,
        }
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.tokens.iter().any(|one| is_word(one, word))
    }

    pub(super) fn count(&self, word: &str) -> usize {
        self.tokens.iter().filter(|one| is_word(one, word)).count()
    }

    /// Places of `IS NULL`, or of `IS NOT NULL`.
    pub(super) fn nulls(&self, with_not: bool) -> Vec<usize> {
        let is = |at: usize, word: &str| self.tokens.get(at).is_some_and(|one| is_word(one, word));
        let found = (0..self.tokens.len()).filter(|&at| {
            is(at, "is")
                && if with_not {
                    is(at + 1, "not") && is(at + 2, "null")
                } else {
                    is(at + 1, "null")
                }
        });
        found.collect()
    }

    /// Whether rows are left out in another way than by a comparison: an outer join without a
    /// partner, a set less another one, a count of nothing.
    pub(super) fn leaves_out(&self) -> bool {
        let counts_none = self
            .comparisons
            .iter()
            .any(|one| one.op.orders() || one.op == Op::Is && one.number() == Some("0"));
        [
            "except", "minus", "not", "exists", "left", "right", "full", "case",
        ]
        .iter()
        .any(|word| self.has(word))
            || !self.nulls(false).is_empty()
            || counts_none
    }
}

/// The words of the columns and texts of a part of a query, those that are types, too.
pub(super) fn words_of(part: &[Token]) -> Vec<String> {
    let types = part.iter().enumerate().filter_map(|(at, one)| match one {
        Token::Word(word) if ["date", "time", "timestamp", "year"].contains(&word.as_str()) => {
            let is_call = part.get(at + 1) == Some(&Token::Sign('('));
            (!is_call).then(|| word.clone())
        }
        _ => None,
    });
    said_in(part).into_iter().chain(types).collect()
}

/// Tokens as SQL.
pub(super) fn written(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_tight = matches!(token, Token::Sign('(' | ')' | '.' | ','))
            || at > 0 && matches!(tokens[at - 1], Token::Sign('(' | '.'));
        if !is_tight && at > 0 {
            text.push(' ');
        }
        match token {
            Token::Word(word) => text.push_str(word),
            Token::Number(number) => text.push_str(number),
            Token::Text(literal) => {
                text.push('\'');
                text.push_str(literal);
                text.push('\'');
            }
            Token::Sign(sign) => text.push(*sign),
        }
    }
    text
}

/// What ends a side of a comparison.
fn is_edge(token: &Token) -> bool {
    let Token::Word(word) = token else {
        return *token == Token::Sign(',') || *token == Token::Sign(';');
    };
    [
        "and",
        "as",
        "asc",
        "between",
        "by",
        "desc",
        "else",
        "end",
        "except",
        "from",
        "group",
        "having",
        "in",
        "intersect",
        "is",
        "join",
        "like",
        "limit",
        "not",
        "on",
        "or",
        "order",
        "select",
        "then",
        "union",
        "when",
        "where",
    ]
    .contains(&word.as_str())
}

/// The side before a place: `EXTRACT(YEAR FROM day)` is whole.
fn before(tokens: &[Token], at: usize) -> &[Token] {
    let (mut depth, mut start) = (0_usize, at);
    for (place, token) in tokens[..at].iter().enumerate().rev() {
        match token {
            Token::Sign(')') => depth += 1,
            Token::Sign('(') if depth == 0 => break,
            Token::Sign('(') => depth -= 1,
            token if depth == 0 && is_edge(token) => break,
            _ => {}
        }
        start = place;
    }
    &tokens[start..at]
}

/// The side from a place on.
fn behind(tokens: &[Token], at: usize) -> &[Token] {
    let mut depth = 0_usize;
    let rest = tokens.get(at..).unwrap_or_default();
    for (place, token) in rest.iter().enumerate() {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') if depth == 0 => return &rest[..place],
            Token::Sign(')') => depth -= 1,
            token if depth == 0 && is_edge(token) => return &rest[..place],
            _ => {}
        }
    }
    rest
}

fn is_literal(side: &[Token]) -> bool {
    let has_query = side.iter().any(|one| is_word(one, "select"));
    let has = |wanted: fn(&Token) -> bool| side.iter().any(wanted);
    has(|one| matches!(one, Token::Text(_) | Token::Number(_))) && !has_query
}

fn comparisons(tokens: &[Token]) -> Vec<Comparison> {
    let mut found: Vec<Comparison> = Vec::new();
    let mut turned = false;
    let mut around: Vec<bool> = Vec::new();
    let word = |at: Option<usize>, word: &str| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|one| is_word(one, word))
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(') => {
                around.push(turned);
                let one = at.checked_sub(1);
                let two = at.checked_sub(2);
                let tests = word(one, "exists") || word(one, "in");
                turned ^= word(one, "not") || tests && word(two, "not");
                continue;
            }
            Token::Sign(')') => {
                turned = around.pop().unwrap_or_default();
                continue;
            }
            token if is_word(token, "except") => {
                turned = true;
                continue;
            }
            _ => {}
        }
        let Some((op, length)) = operator(tokens, at) else {
            continue;
        };
        let denied = word(at.checked_sub(1), "not");
        let left = before(tokens, at - usize::from(denied));
        let place = at - usize::from(denied) - left.len();
        let is_denied = denied ^ word(place.checked_sub(1), "not") ^ turned;
        let mut add = |left: &[Token], op: Op, right: &[Token]| {
            let (left, op, right) = if is_literal(right) {
                (left, op, right)
            } else if is_literal(left) {
                (right, op.mirrored(), left)
            } else {
                return;
            };
            found.push(Comparison {
                left: left.to_vec(),
                op: if is_denied { op.turned() } else { op },
                right: right.to_vec(),
            });
        };
        if is_word(token, "between") {
            let low = behind(tokens, at + 1);
            add(left, Op::AtLeast, low);
            let high = behind(tokens, at + 2 + low.len());
            add(left, Op::AtMost, high);
        } else if is_word(token, "in") {
            let mut start = at + 2;
            loop {
                let one = behind(tokens, start);
                add(left, Op::Is, one);
                start += one.len() + 1;
                if tokens.get(start - 1) != Some(&Token::Sign(',')) || one.is_empty() {
                    break;
                }
            }
        } else {
            add(left, op, behind(tokens, at + length));
        }
    }
    found
}

/// The operator at a place, and its length.
fn operator(tokens: &[Token], at: usize) -> Option<(Op, usize)> {
    let sign = |at: usize, sign: char| tokens.get(at) == Some(&Token::Sign(sign));
    let is_second = at > 0
        && ['<', '>', '!', '=', '-']
            .iter()
            .any(|one| sign(at - 1, *one));
    match &tokens[at] {
        Token::Sign(_) if is_second => None,
        Token::Sign('<') if sign(at + 1, '>') => Some((Op::IsNot, 2)),
        Token::Sign('<') if sign(at + 1, '=') => Some((Op::AtMost, 2)),
        Token::Sign('<') => Some((Op::Below, 1)),
        Token::Sign('>') if sign(at + 1, '=') => Some((Op::AtLeast, 2)),
        Token::Sign('>') => Some((Op::Above, 1)),
        Token::Sign('!') if sign(at + 1, '=') => Some((Op::IsNot, 2)),
        Token::Sign('=') if !sign(at + 1, '>') => Some((Op::Is, 1)),
        Token::Word(word) if ["like", "ilike"].contains(&word.as_str()) => Some((Op::Is, 1)),
        Token::Word(word) if word == "between" => Some((Op::AtLeast, 1)),
        Token::Word(word) if word == "in" && sign(at + 1, '(') => Some((Op::Is, 1)),
        _ => None,
    }
}

fn orders(tokens: &[Token]) -> Vec<Order> {
    let mut found = Vec::new();
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|one| is_word(one, word));
    let mut depth = 0_usize;
    // Whether each parenthesis is a window's or an aggregate's.
    let mut windows: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(') => {
                depth += 1;
                windows.push(!is(at + 1, "select") && !is(at + 1, "with"));
            }
            Token::Sign(')') => {
                depth = depth.saturating_sub(1);
                windows.pop();
            }
            _ if is(at, "order") && is(at + 1, "by") && windows.last() != Some(&true) => {
                let key = behind(tokens, at + 2);
                let end = at + 2 + key.len();
                let cut = until_closed(&tokens[end..]);
                let is_cut = cut
                    .iter()
                    .any(|one| is_word(one, "limit") || is_word(one, "fetch"));
                found.push(Order {
                    key: resolved(tokens, at, key),
                    descends: is(end, "desc"),
                    is_cut,
                    is_outermost: depth == 0,
                });
            }
            _ => {}
        }
    }
    found
}

/// Tokens up to the end of their parenthesis.
fn until_closed(tokens: &[Token]) -> &[Token] {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') if depth == 0 => return &tokens[..at],
            Token::Sign(')') => depth -= 1,
            _ => {}
        }
    }
    tokens
}

/// A key that is the name or the number of a column, as the value of that column.
fn resolved(tokens: &[Token], at: usize, key: &[Token]) -> Vec<Token> {
    let mut depth = 0_usize;
    let select = tokens[..at].iter().rposition(|token| {
        match token {
            Token::Sign(')') => depth += 1,
            Token::Sign('(') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && is_word(token, "select")
    });
    let listed = select.map_or_else(Vec::new, |select| columns(&tokens[select + 1..]).0);
    let value = match key {
        [Token::Number(number)] => {
            let place = number.parse::<usize>().ok();
            let place = place.and_then(|place| place.checked_sub(1));
            place.and_then(|place| listed.get(place).map(|column| named(column).0))
        }
        [Token::Word(name)] => listed.iter().find_map(|column| {
            let (value, alias) = named(column);
            (alias == Some(name.as_str())).then_some(value)
        }),
        _ => None,
    };
    let mut all = value.unwrap_or_default().to_vec();
    // The name says what the value is, too.
    if value.is_some() || !matches!(key, [Token::Number(_)]) {
        all.extend(key.iter().cloned());
    }
    all
}
