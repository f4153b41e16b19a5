//! "Over 500" and `< 500`.

use super::{
    super::{
        names::singular,
        stated::{is_same, number},
        untested::{Asked, UNITS},
    },
    Contradiction, denies,
    parsed::{Comparison, Op, Parsed},
    text,
};

/// Words that compare, before a number.
const BEFORE: &[(&[&str], Op)] = &[
    (&["at", "least"], Op::AtLeast),
    (&["minimum", "of"], Op::AtLeast),
    (&["no", "fewer", "than"], Op::AtLeast),
    (&["no", "less", "than"], Op::AtLeast),
    (&["not", "fewer", "than"], Op::AtLeast),
    (&["not", "less", "than"], Op::AtLeast),
    (&["at", "most"], Op::AtMost),
    (&["maximum", "of"], Op::AtMost),
    (&["no", "more", "than"], Op::AtMost),
    (&["not", "exceeding"], Op::AtMost),
    (&["not", "more", "than"], Op::AtMost),
    (&["up", "to"], Op::AtMost),
    (&["above"], Op::Above),
    (&["exceed"], Op::Above),
    (&["exceeding"], Op::Above),
    (&["exceeds"], Op::Above),
    (&["over"], Op::Above),
    (&["bigger", "than"], Op::Above),
    (&["greater", "than"], Op::Above),
    (&["heavier", "than"], Op::Above),
    (&["higher", "than"], Op::Above),
    (&["larger", "than"], Op::Above),
    (&["longer", "than"], Op::Above),
    (&["more", "than"], Op::Above),
    (&["older", "than"], Op::Above),
    (&["taller", "than"], Op::Above),
    (&["below"], Op::Below),
    (&["under"], Op::Below),
    (&["cheaper", "than"], Op::Below),
    (&["fewer", "than"], Op::Below),
    (&["less", "than"], Op::Below),
    (&["lighter", "than"], Op::Below),
    (&["lower", "than"], Op::Below),
    (&["shorter", "than"], Op::Below),
    (&["smaller", "than"], Op::Below),
    (&["younger", "than"], Op::Below),
];

/// Words behind "or" and "and" that compare with the number before: "500 or more".
const BEHIND: &[(&str, Op)] = &[
    ("above", Op::AtLeast),
    ("below", Op::AtMost),
    ("fewer", Op::AtMost),
    ("higher", Op::AtLeast),
    ("larger", Op::AtLeast),
    ("less", Op::AtMost),
    ("lower", Op::AtMost),
    ("more", Op::AtLeast),
    ("older", Op::AtLeast),
    ("smaller", Op::AtMost),
    ("younger", Op::AtMost),
];

/// Columns where older is less.
const TEMPORAL: &[&str] = &["birth", "born", "created", "date", "day", "founded", "year"];

/// A comparison that a question states.
pub(super) struct Said {
    /// First and last place.
    pub(super) places: std::ops::Range<usize>,
    op: Op,
    number: Vec<String>,
    /// It counts days, months or years.
    is_time: bool,
    /// "Older than", which is less of a year.
    is_age: bool,
}

/// The comparisons of a question that each comparison of the query with the same number is
/// against.
pub(super) fn contradicted(asked: &[Asked], query: &Parsed<'_>) -> Vec<Contradiction> {
    // "Not one with over 500": the query takes out those.
    let takes_out = ["except", "not"].iter().any(|word| query.has(word));
    if takes_out && asked.iter().any(|one| denies(&one.word)) {
        return Vec::new();
    }
    let found = said(asked).into_iter().filter_map(|one| {
        let same = query.comparisons.iter().filter(|other| one.is_near(other));
        let same: Vec<&Comparison> = same.collect();
        let first = same.first()?;
        if same.iter().any(|other| one.fits(other)) {
            return None;
        }
        Some(Contradiction::Words {
            said: text(asked, one.places.clone()),
            reads: first.written(),
        })
    });
    found.collect()
}

/// The comparisons of a question with numbers.
pub(super) fn said(asked: &[Asked]) -> Vec<Said> {
    let is = |at: usize, words: &[&str]| {
        let there = asked.get(at..at + words.len());
        there.is_some_and(|there| {
            there
                .iter()
                .map(|one| one.word.as_str())
                .eq(words.iter().copied())
        })
    };
    let found = (0..asked.len()).filter_map(|at| {
        let value = value(&asked[at].word)?;
        let before = BEFORE.iter().find_map(|(words, op)| {
            let start = at.checked_sub(words.len())?;
            is(start, words).then(|| widened(asked, start..at + 1, *op))
        });
        // "Higher than or equal to 150".
        let or_equal = || {
            let start = at.checked_sub(5)?;
            let (_, op) = BEFORE
                .iter()
                .find(|(words, _)| words.len() == 2 && is(start, words))?;
            let with_limit = match op {
                Op::Above => Op::AtLeast,
                Op::Below => Op::AtMost,
                same => *same,
            };
            is(start + 2, &["or", "equal", "to"]).then_some((start..at + 1, with_limit, false))
        };
        let behind = || {
            let joins = is(at + 1, &["or"]) || is(at + 1, &["and"]);
            let word = asked.get(at + 2).filter(|_| joins)?;
            let (_, op) = BEHIND.iter().find(|(known, _)| *known == word.word)?;
            // "5 or more than 8" is another comparison.
            (!is(at + 3, &["than"])).then_some((at..at + 3, *op, false))
        };
        let (places, op, is_age) = before.or_else(or_equal).or_else(behind)?;
        // "Do not have more than", "not under".
        let is_denied = asked[places.start.saturating_sub(4)..places.start]
            .iter()
            .any(|one| denies(&one.word));
        (!is_denied).then_some(Said {
            places,
            op,
            number: value,
            is_time: of_time(asked, at),
            is_age,
        })
    });
    found.collect()
}

/// Whether a number counts units of time.
fn of_time(asked: &[Asked], at: usize) -> bool {
    let next = asked.get(at + 1).map(|one| singular(&one.word));
    next.is_some_and(|next| UNITS.contains(&next.as_str()))
}

/// The readings of a number, "once" and "twice" included.
pub(super) fn value(word: &str) -> Option<Vec<String>> {
    match word {
        "one" | "once" => Some(vec!["1".to_owned()]),
        "twice" => Some(vec!["2".to_owned()]),
        _ => number(word),
    }
}

/// "On and above", "equal or over": the limit is within.
fn widened(
    asked: &[Asked],
    places: std::ops::Range<usize>,
    op: Op,
) -> (std::ops::Range<usize>, Op, bool) {
    let is = |back: usize, words: &[&str]| {
        let at = places.start.checked_sub(back);
        at.is_some_and(|at| asked[at].is(words))
    };
    let is_age = asked[places.start].is(&["older", "younger"]);
    if is(1, &["and", "or"]) && is(2, &["at", "equal", "equals", "on", "to"]) {
        let op = match op {
            Op::Above => Op::AtLeast,
            Op::Below => Op::AtMost,
            same => same,
        };
        return (places.start - 2..places.end, op, is_age);
    }
    (places, op, is_age)
}

impl Said {
    /// The place of the number.
    pub(super) fn number_place(&self, asked: &[Asked]) -> usize {
        let mut places = self.places.clone().rev();
        let is_it = |at: &usize| value(&asked[*at].word).is_some();
        places.find(is_it).unwrap_or(self.places.start)
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.number.iter().filter_map(|number| number.parse().ok())
    }

    /// Whether a comparison is with this number, in any direction.
    fn is_near(&self, other: &Comparison) -> bool {
        let Some(number) = other.number() else {
            return false;
        };
        let exact = || {
            let value: Option<f64> = number.parse().ok();
            value.is_some_and(|value| self.numbers().any(|one| (one - value).abs() < 1e-9))
        };
        let is_it = if self.is_time {
            other.op.orders() && exact()
        } else if other.op.orders() {
            self.number.iter().any(|one| is_same(one, number))
        } else {
            exact()
        };
        is_it && !self.turns(other)
    }

    /// "Older than 1990" is less.
    fn turns(&self, other: &Comparison) -> bool {
        let words = other.words();
        self.is_age && words.iter().any(|word| TEMPORAL.contains(&word.as_str()))
    }

    fn fits(&self, other: &Comparison) -> bool {
        let Some(value) = other.number().and_then(|number| number.parse::<f64>().ok()) else {
            return false;
        };
        self.numbers().any(|said| {
            let step = value - said;
            let is_next = |step: f64| step > 0.0 && step <= 1.0;
            // In another unit.
            let is_scaled = step.abs() > 1.0 || said.fract() != 0.0 && step.abs() > 1e-9;
            let is_it = step.abs() < 1e-9 || is_scaled;
            match (self.op, other.op) {
                (Op::Above, Op::AtLeast) | (Op::AtMost, Op::Below) => is_next(step),
                (Op::Below, Op::AtMost) | (Op::AtLeast, Op::Above) => is_next(-step),
                (said, other) => said == other && is_it,
            }
        })
    }
}
