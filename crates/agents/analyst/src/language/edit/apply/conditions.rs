//! Conditions of the old query that a change adds, replaces or takes away.

use contracts::tools::search::{Filter, FilterOp, IndexDescription};
use serde_json::Value;

use super::Editor;
use super::spoken::{described, spoken};
use crate::language::compose::join;
use crate::language::text::{stem, tokens};

impl Editor<'_> {
    /// Of several values one is wanted no longer.
    pub(super) fn without_value(&mut self, place: usize, value: usize) {
        let Some(old) = self.old.filters.get(place) else {
            return;
        };
        let Some(now) = self.now.filters.iter_mut().find(|known| *known == old) else {
            return;
        };
        let Some(gone) = now.values.get(value).cloned() else {
            return;
        };
        now.values.remove(value);
        let mut name = spoken(&gone);
        if let Some(label) = &old.label {
            let mut labels: Vec<&str> = label.split(" or ").collect();
            if labels.len() == old.values.len() {
                labels.remove(value).clone_into(&mut name);
                now.label = Some(labels.join(" or "));
            } else {
                now.label = None;
            }
        }
        self.changed(format!("without {name}"));
    }

    /// Of several values one is wanted only.
    pub(super) fn only_value(&mut self, place: usize, value: usize) {
        let Some(old) = self.old.filters.get(place) else {
            return;
        };
        let Some(now) = self.now.filters.iter_mut().find(|known| *known == old) else {
            return;
        };
        let Some(kept) = now.values.get(value).cloned() else {
            return;
        };
        now.label = old.label.as_ref().and_then(|label| {
            let labels: Vec<&str> = label.split(" or ").collect();
            let label = labels
                .get(value)
                .filter(|_| labels.len() == old.values.len());
            label.map(|label| (*label).to_owned())
        });
        now.values = vec![kept];
        let phrase = described(now);
        self.changed(phrase);
    }

    /// A new bound takes the place of the old ones of the same number: of an exact amount, and of
    /// one with which no number would be left. Bounds that leave a span narrow it together.
    pub(super) fn replaced_bounds(&mut self, wanted: &[Filter]) {
        let number = |filter: &Filter| match filter.values.as_slice() {
            [value] => value.as_f64(),
            _ => None,
        };
        for new in wanted {
            let Some(value) = number(new) else { continue };
            let both = wanted
                .iter()
                .filter(|other| other.field == new.field)
                .count()
                > 1;
            let gone = |known: &Filter| {
                if known.field != new.field || self.old.filters.iter().all(|old| old != known) {
                    return false;
                }
                let Some(before) = number(known) else {
                    return false;
                };
                let apart = match (kind(new.op), kind(known.op)) {
                    (1, 2) => value >= before,
                    (2, 1) => value <= before,
                    _ => true,
                };
                both || apart
            };
            let before = self.now.filters.len();
            self.now
                .filters
                .retain(|known| !gone(known) || known == new);
            if self.now.filters.len() < before {
                self.changed(described(new));
            }
        }
    }

    /// "Or from Hamburg", "or late": the condition is the alternative of the one on its field, of
    /// the same thing in another place, or of the only one.
    pub(super) fn alternatives(&mut self, wanted: &[Filter]) {
        let [new] = wanted else {
            if !wanted.is_empty() {
                self.unclear_alternative(wanted);
            }
            return;
        };
        let on_field = |known: &Filter| known.field == new.field;
        let same_thing = |known: &Filter| {
            known.label.is_some() && known.label == new.label && known.values == new.values
        };
        let filters = &self.now.filters;
        let found = filters
            .iter()
            .position(on_field)
            .or_else(|| filters.iter().position(same_thing))
            .or_else(|| (filters.len() == 1).then_some(0));
        let Some(place) = found else {
            self.unclear_alternative(wanted);
            return;
        };
        let old = self.now.filters[place].clone();
        let joins = old.op == FilterOp::Is && new.op == FilterOp::Is && old.or.is_empty();
        if on_field(&old) && joins {
            join(&mut self.now.filters[place], new.clone());
        } else if let Some(joined) = Filter::any_of([old, new.clone()]) {
            self.now.filters[place] = joined;
        }
        self.changed(format!("or {}", bare(new)));
    }

    fn unclear_alternative(&mut self, wanted: &[Filter]) {
        let said: Vec<String> = wanted.iter().map(bare).collect();
        let said = crate::words::list(said);
        let conditions: Vec<String> = self.now.filters.iter().map(bare).collect();
        let known = if conditions.is_empty() {
            "The query has no condition to which it is one".to_owned()
        } else {
            format!(
                "The query has the conditions {}",
                crate::words::list(conditions)
            )
        };
        self.refusal = Some(format!(
            "I cannot tell what the alternative is of \u{201c}or\u{201d} ({said}). {known}: say the whole request with \u{201c}or\u{201d} between the two."
        ));
    }

    /// A condition takes the place of those of its kind on its field, or joins them.
    /// "Early", "on time" and "late" are states of one quantity, of which a record has one: the new
    /// one takes the place of the old one, although they are conditions on two fields.
    fn other_state(&mut self, new: &Filter) {
        let is_early = |filter: &Filter| {
            filter.op == FilterOp::Lt
                && filter
                    .values
                    .iter()
                    .all(|value| value.as_f64() == Some(0.0))
        };
        let is_so = |filter: &Filter| {
            matches!(filter.op, FilterOp::Is | FilterOp::IsNot)
                && filter.values.iter().all(Value::is_boolean)
        };
        let index = self.index;
        self.now.filters.retain(|known| {
            let states = is_early(known) && is_so(new) || is_so(known) && is_early(new);
            !(states && share_a_word(index, &known.field, &new.field))
        });
    }

    pub(super) fn filter(&mut self, filter: Filter) {
        let before = self.now.filters.clone();
        let phrase = described(&filter);
        let field = filter.field.clone();
        self.other_state(&filter);
        match filter.op {
            FilterOp::Is => self.is(filter),
            FilterOp::IsNot => self.is_not(filter),
            _ => {
                let kind = kind(filter.op);
                let field = filter.field.clone();
                let same = |known: &Filter| known.field == field && self::kind(known.op) == kind;
                // An exact value says more than a bound.
                let new_bounds = before.iter().any(|known| known == &filter);
                if new_bounds {
                    return;
                }
                let place = self.now.filters.iter().position(same);
                self.now.filters.retain(|known| !same(known));
                let place = place.unwrap_or(self.now.filters.len());
                self.now
                    .filters
                    .insert(place.min(self.now.filters.len()), filter);
            }
        }
        if !same_conditions(&self.now.filters, &before) {
            let joined = self
                .now
                .filters
                .iter()
                .find(|known| (self.edit.compares || self.edit.widens) && known.field == field);
            let phrase = joined.map_or(phrase, described);
            self.changed(phrase);
        }
    }

    pub(super) fn is(&mut self, filter: Filter) {
        let compares = |known: &Filter| {
            known.field == filter.field && matches!(known.op, FilterOp::Is | FilterOp::IsNot)
        };
        let known = self.now.filters.iter().position(compares);
        // Without a condition on the field they are in already.
        if self.edit.widens && known.is_none() && !self.edit.adds {
            return;
        }
        if let Some(place) = known.filter(|_| self.edit.widens || self.edit.compares) {
            let known = &mut self.now.filters[place];
            if known.op == FilterOp::Is {
                join(known, filter);
            } else {
                take_away(known, &filter.values);
                if known.values.is_empty() {
                    self.now.filters.remove(place);
                }
            }
            return;
        }
        let place = self.now.filters.iter().position(compares);
        self.now.filters.retain(|known| !compares(known));
        // "From Hamburg" of what went to Hamburg: the same thing in another place.
        let moved = |known: &Filter| {
            self.old.filters.contains(known)
                && known.op == FilterOp::Is
                && known.label.is_some()
                && known.label == filter.label
                && known.values == filter.values
        };
        self.now.filters.retain(|known| !moved(known));
        let place = place.unwrap_or(self.now.filters.len());
        self.now
            .filters
            .insert(place.min(self.now.filters.len()), filter);
    }

    fn is_not(&mut self, filter: Filter) {
        let same = |known: &Filter, op| known.field == filter.field && known.op == op;
        // Of several values that are wanted, those are wanted no longer.
        if let Some(place) = self
            .now
            .filters
            .iter()
            .position(|known| same(known, FilterOp::Is))
        {
            let known = &mut self.now.filters[place];
            take_away(known, &filter.values);
            if known.values.is_empty() {
                self.now.filters[place] = filter;
            }
            return;
        }
        match self
            .now
            .filters
            .iter_mut()
            .find(|known| same(known, FilterOp::IsNot))
        {
            Some(known) => join(known, filter),
            None => self.now.filters.push(filter),
        }
    }
}

/// A condition beside others: "what is late".
fn bare(filter: &Filter) -> String {
    described(filter).trim_start_matches("only ").to_owned()
}

/// Whether conditions are the same, whatever they are called.
fn same_conditions(one: &[Filter], other: &[Filter]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            (&one.field, one.op, &one.values) == (&other.field, other.op, &other.values)
        })
}

/// Conditions that take each other's place.
pub(super) fn kind(op: FilterOp) -> u8 {
    match op {
        FilterOp::Is | FilterOp::IsNot => 0,
        FilterOp::Gt | FilterOp::Gte => 1,
        FilterOp::Lt | FilterOp::Lte => 2,
        FilterOp::Exists | FilterOp::Missing => 3,
        FilterOp::Matches => 4,
    }
}

/// Takes values away from a condition, with their names.
fn take_away(filter: &mut Filter, gone: &[Value]) {
    let labels: Option<Vec<String>> = filter.label.as_ref().and_then(|label| {
        let labels: Vec<String> = label.split(" or ").map(str::to_owned).collect();
        (labels.len() == filter.values.len()).then_some(labels)
    });
    let kept: Vec<usize> = (0..filter.values.len())
        .filter(|at| !gone.contains(&filter.values[*at]))
        .collect();
    filter.label = labels.map(|labels| {
        let kept: Vec<&str> = kept.iter().map(|at| labels[*at].as_str()).collect();
        kept.join(" or ")
    });
    filter.values.retain(|value| !gone.contains(value));
}

/// Whether two fields have a word in common: `delay_hours` and `is_late`, which is also called
/// "delayed".
fn share_a_word(index: &IndexDescription, one: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let field = index.fields.iter().find(|field| field.name == name);
        let synonyms = field.iter().flat_map(|field| field.synonyms.clone());
        let texts = synonyms.chain([name.replace('_', " ")]);
        texts
            .flat_map(|text| tokens(&text))
            .map(|token| stem(&token.text))
            .collect()
    };
    let other = words(other);
    words(one).iter().any(|word| other.contains(word))
}
