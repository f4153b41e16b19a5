//! Devices by number: "inverter 1", "logger #925", "30339".

use contracts::tools::LoggerRole;

use super::Scan;
use crate::language::loggers::ids::{canonical, exact, ranges};
use crate::language::loggers::{Mentioned, Reading};
use crate::language::text::Kind;

impl Scan<'_, '_> {
    /// "Inverter 1", "logger #925".
    pub(super) fn numbered(&self, at: usize) -> Option<(Mentioned, usize)> {
        let role = role_of(self.tokens[at].text)?;
        let number_at = self.number_after(at + 1)?;
        let number = &self.tokens[number_at];
        let candidates = self.with_number(canonical(number), role);
        Some((
            self.mentioned(at, number_at + 1, candidates, Reading::One),
            number_at + 1,
        ))
    }

    /// "… and 2" after "inverter 1".
    pub(super) fn more_numbers(
        &self,
        at: usize,
        mut next: usize,
    ) -> (Vec<(Mentioned, usize)>, usize) {
        let mut more = Vec::new();
        let Some(role) = self.tokens.get(at).and_then(|token| role_of(token.text)) else {
            return (more, next);
        };
        while self.tokens.get(next).is_some_and(|token| {
            matches!(token.text, "and" | "," | "&" | "or" | "vs" | "with") || self.joins_range(next)
        }) && let Some(number) = self
            .tokens
            .get(next + 1)
            .filter(|token| token.kind == Kind::Number && token.text.len() <= 3)
            && !self.is_quantity(next + 1)
        {
            let last = canonical(number).parse::<u32>().unwrap_or_default();
            let before = self.tokens[next - 1].number();
            let from = match before.filter(|_| self.joins_range(next)) {
                Some(first) if first < last => first + 1,
                _ => last,
            };
            more.extend((from..=last).map(|one| {
                let candidates = self.with_number(&one.to_string(), role);
                let mentioned = self.mentioned(next + 1, next + 2, candidates, Reading::One);
                (mentioned, number.end)
            }));
            next += 2;
        }
        (more, next)
    }

    /// Whether a token joins the two ends of a range: "inverters 1 to 3", "inverters 1-3".
    fn joins_range(&self, at: usize) -> bool {
        ranges::joint(self.tokens, at) == 1 || self.tokens[at].is("-")
    }

    fn with_number(&self, number: &str, role: Option<LoggerRole>) -> Vec<usize> {
        let mut candidates = self.matching(|segments| segments.last_number() == Some(number));
        candidates.retain(|index| role.is_none_or(|role| self.loggers[*index].role == role));
        candidates
    }

    /// The index of a number that follows: "1", "#1", "no. 1".
    pub(super) fn number_after(&self, mut at: usize) -> Option<usize> {
        while self
            .tokens
            .get(at)
            .is_some_and(|token| matches!(token.text, "#" | "no" | "nr" | "number" | "." | "-"))
        {
            at += 1;
        }
        self.tokens
            .get(at)
            .filter(|token| token.kind == Kind::Number && !self.is_quantity(at))
            .map(|_| at)
    }

    /// "5 days", "10 kW", "30 %".
    fn is_quantity(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_some_and(|next| {
            matches!(
                next.text,
                "%" | "days"
                    | "day"
                    | "weeks"
                    | "week"
                    | "hours"
                    | "months"
                    | "kwh"
                    | "kw"
                    | "kwp"
                    | "mw"
                    | "w"
                    | "ct"
                    | "cents"
                    | "years"
            )
        })
    }

    /// An id of digits, or a significant part of one: "925", "30339".
    pub(super) fn by_number(&self, at: usize) -> Option<(Mentioned, usize)> {
        let token = self.tokens[at];
        let lonely = !token.glued
            && self.tokens.get(at + 1).is_none_or(|next| {
                !next.glued
                    || next.kind == Kind::Mark && !matches!(next.text, "-" | "/" | "." | ":")
            });
        if !lonely || self.is_quantity(at) || token.text.len() < 3 {
            return None;
        }
        let whole =
            self.matching(|segments| segments.0.len() == 1 && segments.0[0] == canonical(&token));
        let candidates = if whole.is_empty() && token.text.len() >= 4 {
            self.matching(|segments| {
                segments
                    .0
                    .iter()
                    .any(|segment| segment == canonical(&token))
            })
        } else {
            exact(whole, token.text, self.loggers)
        };
        (!candidates.is_empty())
            .then(|| (self.mentioned(at, at + 1, candidates, Reading::One), at + 1))
    }
}

/// The role that a numbered device word asks for; `Some(None)` for any.
#[expect(
    clippy::option_option,
    reason = "no device word, a word for any role, a word for one role"
)]
fn role_of(word: &str) -> Option<Option<LoggerRole>> {
    match word {
        "inverter" | "inverters" | "inv" | "invs" => Some(Some(LoggerRole::Inverter)),
        "meter" | "meters" => Some(Some(LoggerRole::Meter)),
        "logger" | "loggers" | "device" | "devices" | "unit" | "units" => Some(None),
        _ => None,
    }
}
