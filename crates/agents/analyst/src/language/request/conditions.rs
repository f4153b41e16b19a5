//! Conditions with amounts: "over 20 tonnes", "more than 5 containers", "value at least $10k",
//! "between 3 and 5 days late".

use std::ops::Range;

use chrono::Datelike;
use contracts::tools::meanings::TermRole;
use contracts::tools::search::FilterOp;
use serde_json::{Number, Value};

use super::measures::WEIGH;
use super::scan::{Scan, Use};
use super::superlatives;
use super::words::{FILLERS, HAVING};
use crate::language::text::{Kind, number_word, tokens};

/// Comparing words, the longest first.
pub(super) const COMPARING: &[(&[&str], FilterOp)] = &[
    (&["greater", "than", "or", "equal", "to"], FilterOp::Gte),
    (&["less", "than", "or", "equal", "to"], FilterOp::Lte),
    (&["no", "less", "than"], FilterOp::Gte),
    (&["not", "less", "than"], FilterOp::Gte),
    (&["no", "fewer", "than"], FilterOp::Gte),
    (&["no", "more", "than"], FilterOp::Lte),
    (&["not", "more", "than"], FilterOp::Lte),
    (&["more", "than"], FilterOp::Gt),
    (&["greater", "than"], FilterOp::Gt),
    (&["larger", "than"], FilterOp::Gt),
    (&["bigger", "than"], FilterOp::Gt),
    (&["higher", "than"], FilterOp::Gt),
    (&["heavier", "than"], FilterOp::Gt),
    (&["longer", "than"], FilterOp::Gt),
    (&["less", "than"], FilterOp::Lt),
    (&["fewer", "than"], FilterOp::Lt),
    (&["smaller", "than"], FilterOp::Lt),
    (&["lower", "than"], FilterOp::Lt),
    (&["lighter", "than"], FilterOp::Lt),
    (&["shorter", "than"], FilterOp::Lt),
    (&["warmer", "than"], FilterOp::Gt),
    (&["hotter", "than"], FilterOp::Gt),
    (&["colder", "than"], FilterOp::Lt),
    (&["cooler", "than"], FilterOp::Lt),
    (&["at", "least"], FilterOp::Gte),
    (&["minimum", "of"], FilterOp::Gte),
    (&["at", "most"], FilterOp::Lte),
    (&["maximum", "of"], FilterOp::Lte),
    (&["up", "to"], FilterOp::Lte),
    (&[">", "="], FilterOp::Gte),
    (&["<", "="], FilterOp::Lte),
    (&["equal", "to"], FilterOp::Is),
    (&["over"], FilterOp::Gt),
    (&["above"], FilterOp::Gt),
    (&["exceeding"], FilterOp::Gt),
    (&["exceeds"], FilterOp::Gt),
    (&["under"], FilterOp::Lt),
    (&["below"], FilterOp::Lt),
    (&["exactly"], FilterOp::Is),
    (&["equals"], FilterOp::Is),
    (&[">"], FilterOp::Gt),
    (&["<"], FilterOp::Lt),
    (&["≥"], FilterOp::Gte),
    (&["≤"], FilterOp::Lte),
    (&["="], FilterOp::Is),
];

/// Verbs of how long something lasts.
const TOOK: &[&str] = &[
    "took",
    "take",
    "takes",
    "taking",
    "taken",
    "lasted",
    "last",
    "lasting",
    "travelled",
    "sailed",
];

/// Words for large round numbers.
const SCALES: &[&str] = &["hundred", "thousand", "million", "billion"];

/// A number with what it counts.
#[derive(Debug, Clone, Copy)]
struct Amount {
    value: f64,
    unit: Option<Unit>,
    /// The factor of its scale word: a million.
    scale: f64,
    /// Whether a unit is behind the number: "2 kg", but not "$2".
    measured: bool,
    /// The place behind it.
    end: usize,
}

impl Amount {
    /// The lower bound with the scale and the unit of the upper one: "between 2 and 3 million
    /// dollars".
    fn before(self, high: &Self) -> Self {
        let shared = self.scale <= 1.0
            && high.scale > 1.0
            && !self.measured
            && self.value * high.scale <= high.value;
        Self {
            value: if shared {
                self.value * high.scale
            } else {
                self.value
            },
            unit: self.unit.or(high.unit),
            ..self
        }
    }
}

/// A unit, by what is measured and against the smallest common one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    of: Quantity,
    factor: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Mass,
    Duration,
    Money,
    Temperature,
    Teu,
    Distance,
    Share,
}

fn unit(word: &str) -> Option<Unit> {
    use Quantity as Q;
    let (of, factor) = match word {
        "kg" | "kilo" | "kilos" | "kilogram" | "kilograms" => (Q::Mass, 1.0),
        "t" | "tonne" | "tonnes" | "ton" | "tons" | "mt" => (Q::Mass, 1000.0),
        "g" | "gram" | "grams" => (Q::Mass, 0.001),
        "lb" | "lbs" | "pound" | "pounds" => (Q::Mass, 0.453_592_37),
        "s" | "sec" | "second" | "seconds" => (Q::Duration, 1.0 / 3600.0),
        "min" | "mins" | "minute" | "minutes" => (Q::Duration, 1.0 / 60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => (Q::Duration, 1.0),
        "d" | "day" | "days" => (Q::Duration, 24.0),
        "week" | "weeks" => (Q::Duration, 168.0),
        "$" | "usd" | "dollar" | "dollars" => (Q::Money, 1.0),
        "c" | "°" | "celsius" | "degrees" | "degree" => (Q::Temperature, 1.0),
        "teu" | "teus" => (Q::Teu, 1.0),
        "km" | "kilometres" | "kilometers" => (Q::Distance, 1000.0),
        "ft" | "foot" | "feet" | "footer" | "footers" => (Q::Distance, 0.3048),
        "m" | "metre" | "metres" | "meter" | "meters" => (Q::Distance, 1.0),
        "%" | "percent" => (Q::Share, 1.0),
        _ => return None,
    };
    Some(Unit { of, factor })
}

impl Unit {
    /// Whether both measure the same.
    pub(super) fn same_quantity(&self, other: &Self) -> bool {
        self.of == other.of
    }
}

/// The unit of a word, or of the description of a field.
pub(super) fn unit_of(word: &str) -> Option<Unit> {
    of_field(Some(word))
}

impl Scan<'_> {
    pub(super) fn conditions(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self
                .compared(at)
                .or_else(|| self.older(at))
                .or_else(|| self.between_amounts(at))
                .or_else(|| self.amount_to_amount(at))
                .or_else(|| self.amount_or_more(at))
                .or_else(|| self.exact_amount(at))
                .unwrap_or(at + 1);
        }
    }

    /// "More than 5 containers".
    fn compared(&mut self, at: usize) -> Option<usize> {
        if !self.free(at) {
            return None;
        }
        let (words, op) = COMPARING.iter().find(|(words, _)| {
            words
                .iter()
                .enumerate()
                .all(|(place, word)| self.is(at + place, &[word]) && self.free(at + place))
        })?;
        let begin = at + words.len();
        let begin = self.past(begin, &["the", "of"]);
        let amount = self
            .amount(begin)
            .or_else(|| self.amount(self.past(begin, &["a", "the", "of"])))?;
        if self.counts_records(at, amount) {
            return None;
        }
        let ends = (amount.end..self.tokens.len()).all(|at| !self.tokens[at].is_word());
        let end = self
            .condition(at..amount.end, &[(*op, amount)])
            .or_else(|| self.by_adjective(at, *op, amount));
        if end.is_none() && ends && amount.unit.is_none() {
            let place = self.tokens[at].start..self.tokens[amount.end - 1].end;
            self.request.bounds.push((place, *op, number(amount.value)));
        }
        end
    }

    /// "With more than 100 late shipments": a number of records that are so, not of what they have.
    fn counts_records(&mut self, at: usize, amount: Amount) -> bool {
        let mut place = amount.end;
        while let Some((end, _)) = self
            .vocabulary
            .valued(&self.tokens, place)
            .or_else(|| self.vocabulary.affirmed(&self.tokens, place))
        {
            place = end;
        }
        let Some((end, _)) = self.vocabulary.noun(&self.tokens, place) else {
            return false;
        };
        let groups = (0..at).any(|at| self.is(at, &["by", "per", "which"]))
            || self.things().is_some_and(|things| things.end <= at);
        if amount.unit.is_some() || place == amount.end || !groups {
            return false;
        }
        let said = self.words(at..end).to_lowercase();
        self.request.refusal = Some(format!(
            "I cannot choose groups by a number of records (\u{201c}{said}\u{201d}). Ask for the number of each: all of them are listed with their own."
        ));
        true
    }

    /// "Colder than -10": the word itself says what is compared.
    fn by_adjective(&mut self, at: usize, op: FilterOp, amount: Amount) -> Option<usize> {
        let adjective = match self.word(at)? {
            "heavier" | "lighter" => "heavy",
            "warmer" | "hotter" | "colder" | "cooler" => "warm",
            "longer" | "shorter" => "long",
            "bigger" | "larger" | "smaller" => "big",
            _ => return None,
        };
        let quantity = superlatives::of_adjective(adjective)?.quantity(&self.vocabulary)?;
        let value = self.in_the_fields_unit(quantity, amount);
        self.term(quantity.to_owned(), TermRole::Filter, Some(op), Some(value));
        self.mark(at..amount.end, Use::Read);
        Some(amount.end)
    }

    /// "Older than 20 years", of a year in which something was built.
    fn older(&mut self, at: usize) -> Option<usize> {
        let older = self.is(at, &["older"]);
        if !older && !self.is(at, &["younger", "newer"]) || !self.free(at) {
            return None;
        }
        let amount = self.amount(at + 2).filter(|_| self.is(at + 1, &["than"]))?;
        let end = amount.end;
        if !self.is(end, &["year", "years"]) || amount.value.fract() != 0.0 {
            return None;
        }
        let oldest = superlatives::at(&tokens("oldest"), 0)?;
        let built = oldest.quantity(&self.vocabulary)?;
        let year = f64::from(self.today.year()) - amount.value;
        let op = if older { FilterOp::Lt } else { FilterOp::Gt };
        let value = Some(number(year));
        self.term(built.to_owned(), TermRole::Filter, Some(op), value);
        self.mark(at..end + 1, Use::Read);
        Some(end + 1)
    }

    /// "Between 3 and 5 containers".
    fn between_amounts(&mut self, at: usize) -> Option<usize> {
        if !self.free(at) || !self.is(at, &["between", "from"]) {
            return None;
        }
        let low = self.amount(at + 1)?;
        if !self.is(low.end, &["and", "to", "-"]) {
            return None;
        }
        let high = self.amount(low.end + 1)?;
        let low = low.before(&high);
        if low.value > high.value {
            return None;
        }
        self.condition(at..high.end, &[(FilterOp::Gte, low), (FilterOp::Lte, high)])
    }

    /// "With 3 to 5 containers", "2-4 days late".
    fn amount_to_amount(&mut self, at: usize) -> Option<usize> {
        let low = self.amount(at)?;
        let either = self.is(low.end, &["or"]);
        if !either && !self.is(low.end, &["to", "-"]) {
            return None;
        }
        let high = self.amount(low.end + 1)?;
        // "2 or 3", but no span of "2 or 5".
        let beside =
            low.value.fract() == 0.0 && (high.value - low.value - 1.0).abs() < f64::EPSILON;
        let counts = low.unit.is_none() && high.unit.is_none();
        if either && !(beside && counts) {
            return None;
        }
        let low = low.before(&high);
        if low.value > high.value {
            return None;
        }
        self.condition(at..high.end, &[(FilterOp::Gte, low), (FilterOp::Lte, high)])
    }

    /// "5 or more containers", "20 tonnes or less", "10+ containers".
    fn amount_or_more(&mut self, at: usize) -> Option<usize> {
        let amount = self.amount(at)?;
        let (op, end) = if self.is(amount.end, &["or"])
            && self.is(
                amount.end + 1,
                &["more", "above", "over", "longer", "heavier"],
            ) {
            (FilterOp::Gte, amount.end + 2)
        } else if self.is(amount.end, &["or"])
            && self.is(amount.end + 1, &["less", "fewer", "below", "under"])
        {
            (FilterOp::Lte, amount.end + 2)
        } else if self.is(amount.end, &["+"]) && self.tokens[amount.end].glued {
            (FilterOp::Gte, amount.end + 1)
        } else {
            return None;
        };
        self.condition(at..end, &[(op, amount)])
    }

    /// "With 2 containers", "of 20 tonnes", "40 ft containers": exactly this amount.
    fn exact_amount(&mut self, at: usize) -> Option<usize> {
        const BEING: &[&str] = &["weighing", "weigh", "weighs", "weighed", "is", "are"];
        let amount = self.amount(at)?;
        // "2 days late": no less.
        let late = self.is(amount.end, &["late", "behind", "overdue", "delayed"]);
        if late
            && amount
                .unit
                .is_some_and(|unit| unit.of == Quantity::Duration)
        {
            return self.condition(at..amount.end, &[(FilterOp::Gte, amount)]);
        }
        // "Of size 40 ft".
        let called = (at.saturating_sub(3)..at).any(|from| {
            let named = self.vocabulary.named(&self.tokens, from);
            named.is_some_and(|(end, fields)| {
                let mut fields = fields.iter();
                end == at
                    && self.all_free(from..end)
                    && amount.unit.is_some()
                    && fields.any(|field| self.can_be_compared(*field, amount.unit))
            })
        });
        let having = called || at > 0 && (self.is(at - 1, HAVING) || self.is(at - 1, BEING));
        let behind = self.past(amount.end, &["-"]);
        let before_head = self.head.as_ref().is_some_and(|head| head.start == behind);
        let measured_noun = before_head && amount.unit.is_some();
        if !having && !measured_noun {
            return None;
        }
        // "2 days late" has words of its own; "is 5" names nothing that is counted.
        let named = self.vocabulary.named(&self.tokens, amount.end);
        let counted = named.is_some_and(|(_, fields)| {
            fields
                .iter()
                .any(|field| self.can_be_compared(*field, amount.unit))
        });
        let measured = amount.unit.is_some_and(|unit| {
            let mut fields = self.vocabulary.fields().iter();
            fields.any(|field| {
                let own = of_field(field.unit.as_deref());
                field.field_type.is_number() && own.is_some_and(|own| own.of == unit.of)
            })
        });
        if before_head && measured {
            let unit = amount.unit;
            let mut fields = self.vocabulary.fields().iter().filter(|field| {
                let own = of_field(field.unit.as_deref());
                field.field_type.is_number()
                    && own.is_some_and(|own| unit.is_some_and(|unit| own.of == unit.of))
            });
            let words = fields.next()?.name.clone();
            let value = self.in_the_fields_unit(&words, amount);
            self.term(words, TermRole::Filter, Some(FilterOp::Is), Some(value));
            self.mark(at..amount.end, Use::Read);
            return Some(amount.end);
        }
        (counted || measured).then(|| self.condition(at..amount.end, &[(FilterOp::Is, amount)]))?
    }

    /// Creates terms from amounts that are at `range`; the place behind all the words.
    fn condition(&mut self, range: Range<usize>, amounts: &[(FilterOp, Amount)]) -> Option<usize> {
        let unit = amounts.iter().find_map(|(_, amount)| amount.unit);
        let (words, used) = self.measured(&range, unit)?;
        for (op, amount) in amounts {
            let value = self.in_the_fields_unit(&words, *amount);
            self.term(words.clone(), TermRole::Filter, Some(*op), Some(value));
        }
        self.mark(used.clone(), Use::Read);
        Some(used.end)
    }

    /// The compared quantity: the words before, those behind, or the field with this unit; and the
    /// place of all the words.
    fn measured(&self, range: &Range<usize>, unit: Option<Unit>) -> Option<(String, Range<usize>)> {
        const LINKS: &[&str] = &[
            "is", "are", "was", "were", "of", "by", "with", "that", "which", "be", "has", "have",
            "a", "an", "weighing", "weigh", "weighs", "weighed", "worth", "being", "at", "for",
            "been",
        ];
        let mut before = range.start;
        loop {
            for from in (before.saturating_sub(3)..before).filter(|from| self.free(*from)) {
                let named = self.vocabulary.named(&self.tokens, from);
                if let Some((end, fields)) = named
                    && end == before
                    && self.all_free(from..end)
                    && fields
                        .iter()
                        .any(|field| self.can_be_compared(*field, unit))
                {
                    return Some((self.words(from..end), from..range.end));
                }
            }
            // "Worth" is a link, and the word for a value.
            if before == 0
                || range.start - before >= 3
                || !self.free(before - 1)
                || !self.is(before - 1, LINKS)
            {
                break;
            }
            before -= 1;
        }
        // "That weigh more than 5,000".
        let weighs = (before..range.start).any(|at| self.is(at, WEIGH));
        let weight = superlatives::of_adjective("heavy").filter(|_| weighs && unit.is_none());
        if let Some(weight) = weight.and_then(|weight| weight.quantity(&self.vocabulary)) {
            return Some((weight.to_owned(), before..range.end));
        }
        let behind = self.past(range.end, &["of", "in", "total"]);
        for begin in [range.end, behind] {
            let named = self.vocabulary.named(&self.tokens, begin);
            if let Some((end, fields)) = named
                && self.all_free(begin..end)
                && fields
                    .iter()
                    .any(|field| self.can_be_compared(*field, unit))
            {
                return Some((self.words(begin..end), range.start..end));
            }
        }
        // "Over 20 tonnes": what is weighed. "Took over 20 days" is not a delay.
        let took = before
            .checked_sub(1)
            .is_some_and(|verb| self.is(verb, TOOK));
        if let Some(unit) = unit.filter(|unit| unit.of != Quantity::Duration || !took) {
            let late = self.is(
                range.end,
                &["late", "overdue", "behind", "early", "delay", "delayed"],
            );
            let mut fields = self.vocabulary.fields().iter().filter(|field| {
                field.field_type.is_number()
                    && of_field(field.unit.as_deref()).is_some_and(|own| own.of == unit.of)
            });
            if let Some(field) = fields.next() {
                return Some((field.name.clone(), before..range.end + usize::from(late)));
            }
        }
        // "More than 5 pallets": an unknown word is reported.
        let word = self
            .word(behind)
            .filter(|_| self.free(behind) && !self.is(behind, FILLERS))?;
        let counted = unit.is_none() && word.len() > 2;
        counted.then(|| (self.words(behind..behind + 1), range.start..behind + 1))
    }

    fn can_be_compared(&self, field: usize, unit: Option<Unit>) -> bool {
        let field = self.vocabulary.field(field);
        let fits = match (unit, of_field(field.unit.as_deref())) {
            (Some(said), Some(own)) => said.of == own.of,
            _ => true,
        };
        field.field_type.is_number() && fits
    }

    /// The value in the unit of the field that the words name.
    fn in_the_fields_unit(&self, words: &str, amount: Amount) -> Value {
        let said = crate::language::text::tokens(words);
        let own = self.vocabulary.named(&said, 0).and_then(|(_, fields)| {
            fields
                .iter()
                .map(|field| self.vocabulary.field(*field))
                .filter(|field| field.field_type.is_number())
                .find_map(|field| of_field(field.unit.as_deref()))
        });
        let value = match (amount.unit, own) {
            (Some(said), Some(own)) if said.of == own.of => amount.value * said.factor / own.factor,
            _ => amount.value,
        };
        number(value)
    }

    /// Whether a number is at a place.
    pub(super) fn is_amount(&self, at: usize) -> bool {
        self.amount(at).is_some()
    }

    /// A number with its unit: `20 tonnes`, `$10k`, `1,500.5 kg`, `two days`.
    fn amount(&self, at: usize) -> Option<Amount> {
        let money = self.is(at, &["$", "€", "£", "usd"]);
        let at = at + usize::from(money);
        let negative = self.is(at, &["-"]);
        let at = at + usize::from(negative);
        let token = self.tokens.get(at).filter(|_| self.free(at))?;
        let (mut value, mut end) = if token.kind == Kind::Number {
            self.decimal(at)?
        } else if token.is(&["half"]) && self.is(at + 1, &["a"]) && self.is(at + 2, SCALES) {
            (0.5, at + 2)
        } else if token.is(SCALES) {
            (1.0, at)
        } else if token.is(&["a", "an"])
            && self
                .word(at + 1)
                .is_some_and(|word| unit(word).is_some() && word.len() > 2)
        {
            (1.0, at + 1)
        } else {
            (f64::from(number_word(&token.text)?), at + 1)
        };
        let scale = match self.word(end) {
            Some("k" | "thousand") => 1e3,
            Some("m" | "million" | "mio") if money || self.word(end) != Some("m") => 1e6,
            Some("hundred") => 1e2,
            Some("billion") => 1e9,
            _ => 1.0,
        };
        if scale > 1.0 {
            value *= scale;
            end += 1;
        }
        if negative {
            value = -value;
        }
        let after = self
            .tokens
            .get(end)
            .filter(|_| self.free(end))
            .and_then(|token| unit(&token.text));
        end += usize::from(after.is_some());
        if after.is_some_and(|unit| unit.of == Quantity::Temperature)
            && self.is(end, &["c", "celsius"])
        {
            end += 1;
        }
        let measured = after.is_some();
        let unit = if money { unit("$") } else { after };
        Some(Amount {
            value,
            unit,
            scale,
            measured,
            end,
        })
    }

    /// `1.000.000`: the value, and the place behind it.
    fn with_points(&self, at: usize) -> Option<(f64, usize)> {
        let mut digits = self.tokens.get(at)?.text.clone();
        let mut end = at + 1;
        while self.is(end, &["."]) && self.tokens[end].glued && digits.len() < 15 {
            let group = self.tokens.get(end + 1).filter(|group| {
                group.glued && group.kind == Kind::Number && group.text.len() == 3
            })?;
            digits.push_str(&group.text);
            end += 2;
        }
        // One point alone is a decimal one.
        (end > at + 3).then_some((digits.parse().ok()?, end))
    }

    /// `1,500.5`: the value, and the place behind it.
    fn decimal(&self, at: usize) -> Option<(f64, usize)> {
        if let Some(found) = self.with_points(at) {
            return Some(found);
        }
        let mut digits = self.tokens.get(at)?.text.clone();
        let mut end = at + 1;
        let touching = |mark: usize, wanted: &str| {
            self.is(mark, &[wanted])
                && self.tokens[mark].glued
                && self
                    .tokens
                    .get(mark + 1)
                    .is_some_and(|token| token.glued && token.kind == Kind::Number)
        };
        while touching(end, ",") && self.tokens[end + 1].text.len() == 3 && digits.len() < 15 {
            digits.push_str(&self.tokens[end + 1].text);
            end += 2;
        }
        if touching(end, ".") && self.tokens[end + 1].text.len() <= 9 {
            digits.push('.');
            digits.push_str(&self.tokens[end + 1].text);
            end += 2;
        }
        if digits.len() > 24 {
            return None;
        }
        Some((digits.parse().ok()?, end))
    }
}

/// The unit that a field is described with.
fn of_field(described: Option<&str>) -> Option<Unit> {
    let described = described?.to_lowercase();
    unit(described.trim_start_matches('°'))
}

/// Whole where it is whole.
#[expect(
    clippy::cast_possible_truncation,
    reason = "whole numbers below 2^53 are exact"
)]
fn number(value: f64) -> Value {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded.fract() == 0.0 && rounded.abs() < 9e15 {
        return Value::from(rounded as i64);
    }
    Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}
