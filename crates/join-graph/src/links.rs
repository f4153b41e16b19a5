//! The tables that join others: what each refers to, and how well it represents the pair.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::cost::{BESIDE, DETAIL, SHARED};

/// The tables that each table refers to.
pub(crate) struct Links {
    refers_to: Vec<BTreeSet<u32>>,
    /// Pairs of things that exactly one table records and nothing else with it.
    pairs: BTreeMap<(u32, u32), u32>,
}

impl Links {
    /// The links of `tables` tables, with a reference for each pair of a table and its target.
    pub(crate) fn new(tables: usize, references: &HashSet<(u32, u32)>) -> Links {
        let mut refers_to = vec![BTreeSet::new(); tables];
        for (from, to) in references.iter().filter(|(from, to)| from != to) {
            refers_to[*from as usize].insert(*to);
        }
        let mut all: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for (table, things) in (0..).zip(&refers_to) {
            let mut things = things.iter();
            if let (Some(one), Some(other), None) = (things.next(), things.next(), things.next()) {
                all.entry((*one, *other)).or_default().push(table);
            }
        }
        let pairs = all
            .into_iter()
            .filter_map(|(pair, tables)| match tables[..] {
                [only] => Some((pair, only)),
                _ => None,
            })
            .collect();
        Links { refers_to, pairs }
    }

    /// Number of tables that a table refers to.
    pub(crate) fn refers_to(&self, table: u32) -> u64 {
        self.refers_to[table as usize].len() as u64
    }

    /// The tie-breaking cost of passing through a table, without its position in the file.
    pub(crate) fn passing(&self, table: u32) -> u64 {
        let things = &self.refers_to[table as usize];
        if things.len() < 2 {
            return SHARED;
        }
        let beside = self.pairs.iter().any(|((one, other), only)| {
            *only != table && things.contains(one) && things.contains(other)
        });
        let detail = things.iter().any(|thing| {
            let shared = self.refers_to[*thing as usize].intersection(things);
            shared.count() > 1
        });
        u64::from(beside) * BESIDE + u64::from(detail) * DETAIL
    }
}
