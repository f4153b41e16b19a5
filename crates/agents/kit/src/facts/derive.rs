//! What follows from the values: what people say in words.

use std::collections::BTreeMap;

use contracts::{figures, tools::Period};

use super::{Bounds, Direction, Fact, FactRegistry, Kind, Measure, Series, Subject, Unit};

/// Subjects up to which each is compared with each.
const EACH_WITH_EACH: usize = 4;

impl FactRegistry {
    /// Derives what follows from the values that are new: who has most and least of a measure, and
    /// by how much.
    pub fn derive(&mut self) {
        let mut groups: BTreeMap<String, Vec<Fact>> = BTreeMap::new();
        for fact in &self.facts[self.derived_from..] {
            let comparable = fact.kind == Kind::Value
                && fact.number.is_some_and(f64::is_finite)
                && fact.subject.name().is_some()
                && fact.bounds.at.is_none()
                && !super::keys::is_place(&fact.measure.label);
            if comparable {
                let period = fact.period.map(|period| (period.start, period.end));
                let unit = match &fact.unit {
                    Unit::Count => &Unit::Plain,
                    unit => unit,
                };
                let is_site = fact.bounds.is_site;
                let key = format!("{} {unit:?} {period:?} {is_site}", fact.measure.label);
                groups.entry(key).or_default().push(fact.clone());
            }
        }
        for mut group in groups.into_values() {
            let value = |fact: &Fact| fact.number.unwrap_or_default();
            group.sort_by(|a, b| value(b).total_cmp(&value(a)));
            let mut names: Vec<_> = group.iter().map(|fact| fact.subject.name()).collect();
            names.sort_unstable();
            let twice = names.windows(2).any(|pair| pair[0] == pair[1]);
            if group.len() > 1 && !twice {
                self.compare(&group);
            }
        }
        self.derived_from = self.facts.len();
    }

    /// Facts of one measure, the greatest first.
    fn compare(&mut self, group: &[Fact]) {
        // Of a list that is cut, another one may have more.
        let whole = !group.iter().any(|fact| fact.bounds.is_cut);
        let stands_out = |a: &Fact, b: &Fact| whole && a.text != b.text;
        if let [first, second, ..] = group
            && stands_out(first, second)
        {
            self.extreme(first, true);
        }
        if let [.., second, last] = group
            && stands_out(second, last)
        {
            self.extreme(last, false);
        }
        if whole {
            self.places(group);
        }
        let pairs = (0..group.len()).flat_map(|a| (a + 1..group.len()).map(move |b| (a, b)));
        let last = group.len() - 1;
        let near = group.len() <= EACH_WITH_EACH;
        for (a, b) in pairs.filter(|pair| near || *pair == (0, last)) {
            self.difference(&group[a], &group[b]);
        }
    }

    fn extreme(&mut self, fact: &Fact, greatest: bool) {
        let text = fact.subject.name().unwrap_or_default().to_owned();
        self.insert(Series::Derived, Kind::Extreme { greatest }, |id, kind| {
            Fact {
                id,
                text,
                kind,
                ..fact.clone()
            }
        });
    }

    /// The difference of two values in both directions, and their ratio.
    fn difference(&mut self, greater: &Fact, other: &Fact) {
        let (Some(more), Some(less)) = (greater.number, other.number) else {
            return;
        };
        if greater.text == other.text {
            return;
        }
        for (fact, against, is_more) in [(greater, other, true), (other, greater, false)] {
            let kind = Kind::Difference {
                other: against.text_subject(),
                more: is_more,
            };
            let text = fact.unit.write(more - less);
            self.insert(Series::Derived, kind, |id, kind| Fact {
                id,
                number: Some(more - less),
                text,
                kind,
                ..fact.clone()
            });
        }
        if less > 0.0 && more / less >= 1.05 && !matches!(greater.unit, Unit::Percent | Unit::Share)
        {
            let kind = Kind::Ratio {
                other: other.text_subject(),
            };
            let text = format!("{} times", figures::figure(more / less));
            self.insert(Series::Derived, kind, |id, kind| Fact {
                id,
                number: Some(more / less),
                text,
                kind,
                ..greater.clone()
            });
        }
    }

    /// `k` of `n` are something.
    pub(super) fn part(
        &mut self,
        subject: Subject,
        period: Option<Period>,
        label: &str,
        k: u64,
        n: u64,
    ) {
        let text = if k == n {
            format!("{n}")
        } else {
            format!("{k} of {n}")
        };
        let bounds = self.bounds.clone();
        self.insert(Series::Derived, Kind::Part { k, n }, |id, kind| Fact {
            id,
            subject,
            measure: Measure::of(label),
            unit: Unit::Count,
            number: Some(k as f64),
            text,
            period,
            kind,
            bounds,
        });
    }

    /// A measure changed by this much.
    pub fn trend(&mut self, subject: Subject, label: &str, change: f64) {
        let direction = match change {
            change if change > 0.0 => Direction::Up,
            change if change < 0.0 => Direction::Down,
            _ => Direction::Flat,
        };
        self.add_trend(subject, label, direction);
    }

    pub(super) fn add_trend(&mut self, subject: Subject, label: &str, direction: Direction) {
        let text = direction.word().to_owned();
        self.insert(Series::Derived, Kind::Trend(direction), |id, kind| Fact {
            id,
            subject,
            measure: Measure::of(label),
            unit: Unit::Plain,
            number: None,
            text,
            period: None,
            kind,
            bounds: Bounds::default(),
        });
    }
}

impl Direction {
    fn word(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Flat => "steady",
        }
    }
}

impl Fact {
    fn text_subject(&self) -> String {
        self.subject.name().unwrap_or_default().to_owned()
    }
}

/// A derived fact in words for a model; `None` of other facts.
pub(super) fn line(fact: &Fact) -> Option<String> {
    let subject = fact.subject.name().unwrap_or("the whole");
    let (label, text) = (&fact.measure.label, &fact.text);
    Some(match &fact.kind {
        Kind::Value | Kind::Word | Kind::Days => return None,
        Kind::Part { k, n } => format!(
            "{label}: {k} of {n}{}",
            match (*k, k == n) {
                (0, _) => " (none)",
                (_, true) => " (all)",
                _ => "",
            }
        ),
        Kind::Extreme { greatest: true } => format!("{subject} has the highest {label}"),
        Kind::Extreme { greatest: false } => format!("{subject} has the lowest {label}"),
        Kind::Difference { other, more } => {
            let word = if *more { "more" } else { "less" };
            format!("{subject} has {text} {word} {label} than {other}")
        }
        Kind::Ratio { other } => format!("{subject} has {text} as much {label} as {other}"),
        Kind::Trend(_) => format!("{label} of {subject} is {text}"),
        Kind::Share => format!("{subject} has a share of {text} of all {label}"),
        Kind::Place(2) => format!("{subject} has the second highest {label}"),
        Kind::Place(_) => format!("{subject} has the third highest {label}"),
    })
}
