//! The cost of a join: its confidence, then how well its names and keys fit.

use crate::document::Relationship;
use crate::names::{Ownership, bare, ownership, stem};
use crate::ways::Keys;

/// A relationship and the direction of the reference that its names and keys suggest. The direction
/// in a file is not always right.
pub(crate) struct Oriented {
    /// Whether the `to` column refers to the `from` column.
    pub(crate) turned: bool,
    from: Ownership,
    to: Ownership,
}

impl Oriented {
    pub(crate) fn of(relationship: &Relationship, keys: &Keys<'_>) -> Oriented {
        let owns = |table: &str, column: &str| {
            if keys.is_unique(table, column) {
                Ownership::Whole
            } else {
                ownership(table, column)
            }
        };
        let from = owns(&relationship.from_table, &relationship.from_column);
        let to = owns(&relationship.to_table, &relationship.to_column);
        Oriented {
            turned: from > to,
            from,
            to,
        }
    }

    /// The referenced table; `None` where both columns are keys.
    pub(crate) fn referred<'r>(&self, relationship: &'r Relationship) -> Option<&'r str> {
        if self.from.min(self.to) == Ownership::Whole {
            None
        } else if self.turned {
            Some(&relationship.from_table)
        } else {
            Some(&relationship.to_table)
        }
    }
}

/// The column that holds the reference.
pub(crate) fn referring<'r>(relationship: &'r Relationship, keys: &Keys<'_>) -> &'r str {
    if Oriented::of(relationship, keys).turned {
        &relationship.to_column
    } else {
        &relationship.from_column
    }
}

// A cost packs four parts into one number, so that comparing and adding are single instructions.
// The bits from 34 on hold the weight in millionths. The bits below break ties: first how well the
// names agree, then how many tables the referring table refers to, and in the last 14 bits the
// position in the file.
const WEIGHT_SHIFT: u32 = 34;
const NAME_SHIFT: u32 = 22;
pub(crate) const REFERRING_SHIFT: u32 = 14;
pub(crate) const RANKS: u64 = 500;
/// The extra cost of passing through a table that two others refer to. Two such tables share a
/// value (a city, a department), which says little about them. A table that refers to both of them
/// records that they met.
pub(crate) const SHARED: u64 = 16 << NAME_SHIFT;
/// The extra cost of passing through a table that records more than the pair of things that it
/// joins, where another table records the pair alone.
pub(crate) const BESIDE: u64 = 7 << NAME_SHIFT;
/// The extra cost of passing through a table that belongs to another one with the same pair of
/// things: a payment of a rental.
pub(crate) const DETAIL: u64 = 1 << NAME_SHIFT;
/// For the same reason, ties prefer the joins of a table that refers to many others. Higher counts
/// are treated as this count.
const MANY: u64 = 6;

/// The tie-breaking cost of two tables of a tree that both refer to a third: every row is joined
/// with all rows that share the value.
pub(crate) const MEETING: u64 = 8 << NAME_SHIFT;
/// The bonus for a table that a word of the question names: half a join.
pub(crate) const NAMED: u64 = 500_000 << WEIGHT_SHIFT;

/// 1 + (1 − confidence), then the distance of the columns' names, then a penalty for a table that
/// refers to few others, then the position in the file.
pub(crate) fn cost(
    relationship: &Relationship,
    oriented: &Oriented,
    refers_to: u64,
    rank: u64,
) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most two million, because loading checks the confidence"
    )]
    let weight = ((2.0 - relationship.confidence) * 1e6).round() as u64;
    let few = MANY - refers_to.min(MANY);
    (weight << WEIGHT_SHIFT)
        + (unlikeness(relationship, oriented) << NAME_SHIFT)
        + (few << REFERRING_SHIFT)
        + rank
}

/// How little the names suggest a reference: 0 for the same name on both ends, 1 where one is the
/// name of the other's table and column, 2 where one contains the other, 3 otherwise (`follows.f1 =
/// user.uid`). The value is higher where neither column is the key of its table, because such a
/// join matches many rows with many.
fn unlikeness(relationship: &Relationship, oriented: &Oriented) -> u64 {
    let (from, to, table) = if oriented.turned {
        (
            &relationship.to_column,
            &relationship.from_column,
            &relationship.from_table,
        )
    } else {
        (
            &relationship.from_column,
            &relationship.to_column,
            &relationship.to_table,
        )
    };
    let names = unlike_names(from, to, table);
    if oriented.from.max(oriented.to) > Ownership::None {
        return names;
    }
    let tables = [bare(&relationship.from_table), bare(&relationship.to_table)];
    let stems = [stem(from), stem(to)];
    let of_a_table = stems
        .iter()
        .any(|stem| !stem.is_empty() && tables.iter().any(|table| table.contains(stem)));
    names + if of_a_table { NO_KEY } else { NO_KEY + 2 }
}

/// The penalty when neither column is a key.
const NO_KEY: u64 = 3;

fn unlike_names(from: &str, to: &str, table: &str) -> u64 {
    let (from_bare, to_bare) = (bare(from), bare(to));
    if from_bare == to_bare {
        return 0;
    }
    let table = bare(table);
    let singular = table.trim_end_matches('s');
    let named =
        |rest: &str| rest.trim_start_matches('s') == to_bare || matches!(rest, "" | "s" | "id");
    if !singular.is_empty() && from_bare.strip_prefix(singular).is_some_and(named) {
        return 1;
    }
    if stem(from) == stem(to) {
        return 0;
    }
    let without_plural = from_bare.trim_end_matches('s');
    let alike = from_bare.contains(&to_bare)
        || to_bare.contains(&from_bare)
        || (!singular.is_empty() && from_bare.contains(singular))
        || table.contains(without_plural);
    if alike { 2 } else { 3 }
}

/// Number of words in a name: three in `billing_customer_id` and `billingCustomerId`. A name of
/// fewer words is less likely to be a special role.
pub(crate) fn words(name: &str) -> usize {
    let mut words = 0;
    let mut before = '_';
    for c in name.chars() {
        let starts = before == '_' || (c.is_uppercase() && before.is_lowercase());
        words += usize::from(c != '_' && starts);
        before = c;
    }
    words
}
