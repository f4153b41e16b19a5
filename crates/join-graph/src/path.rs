//! Shortest paths between two tables.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::mem;
use std::sync::PoisonError;

use crate::Error;
use crate::graph::{Graph, Join};

/// The cheapest path from one table to another.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinPath<'g> {
    /// The joins from the first table to the last; empty for the path from a table to itself.
    pub joins: Vec<Join<'g>>,
}

impl JoinPath<'_> {
    /// The lowest confidence of the joins.
    pub fn confidence(&self) -> f64 {
        self.joins
            .iter()
            .map(|join| join.conditions[0].confidence)
            .fold(1.0, f64::min)
    }
}

impl Graph {
    /// The path with the least sum of 1 + (1 − confidence) over at most `max_hops` joins, or
    /// `None`. The path is the same in both directions and on every run. Results are cached. Fails
    /// with [`Error::UnknownTable`].
    pub fn path(
        &self,
        from: &str,
        to: &str,
        max_hops: usize,
    ) -> Result<Option<JoinPath<'_>>, Error> {
        let (from, to) = (self.id(from)?, self.id(to)?);
        let key = (from.min(to), from.max(to), max_hops);
        let known = self
            .cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key);
        let steps = known.unwrap_or_else(|| {
            let found = self.search(key.0, key.1, max_hops);
            self.cache
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .put(key, found.clone());
            found
        });
        Ok(steps.ok().map(|steps| self.follow(from, &key, &steps)))
    }

    /// As [`Graph::path`], without reading or filling the cache.
    pub fn path_uncached(
        &self,
        from: &str,
        to: &str,
        max_hops: usize,
    ) -> Result<Option<JoinPath<'_>>, Error> {
        let (from, to) = (self.id(from)?, self.id(to)?);
        let key = (from.min(to), from.max(to), max_hops);
        Ok(self
            .search(key.0, key.1, max_hops)
            .ok()
            .map(|steps| self.follow(from, &key, &steps)))
    }

    /// Turns steps from the smaller id to the larger into joins that start at `from`.
    fn follow(&self, from: u32, key: &Key, steps: &[Step]) -> JoinPath<'_> {
        let mut joins: Vec<Join> = steps
            .iter()
            .map(|step| self.join(step.from, step.group, 0))
            .collect();
        if from != key.0 {
            joins.reverse();
            for join in &mut joins {
                mem::swap(&mut join.left, &mut join.right);
                mem::swap(&mut join.left_column, &mut join.right_column);
            }
        }
        JoinPath { joins }
    }

    /// Dijkstra over (cost, hops). A more expensive label with fewer hops can still be the one that
    /// reaches the target within the limit. A table is therefore visited again as long as that
    /// takes fewer hops.
    fn search(&self, from: u32, to: u32, max_hops: usize) -> SearchResult {
        if from == to {
            return Ok(Vec::new());
        }
        let mut labels = vec![Label {
            table: from,
            parent: u32::MAX,
            group: u32::MAX,
        }];
        let mut fewest_hops = vec![usize::MAX; self.len()];
        let mut offered = vec![(u64::MAX, usize::MAX); self.len()];
        let mut heap = BinaryHeap::from([Reverse((0_u64, 0_usize, 0_u32))]);
        while let Some(Reverse((cost, hops, label))) = heap.pop() {
            let table = labels[label as usize].table;
            if table == to {
                return Ok(unwind(&labels, label));
            }
            if hops >= fewest_hops[table as usize] {
                continue;
            }
            fewest_hops[table as usize] = hops;
            if hops == max_hops {
                continue;
            }
            for arc in self.arcs(table) {
                let next = arc.to as usize;
                let passing = if arc.to == to {
                    0
                } else {
                    self.passing(arc.to)
                };
                let offer = (cost + arc.cost + passing, hops + 1);
                let last = arc.to != to && hops + 1 == max_hops;
                let dominated = offer.0 >= offered[next].0 && offer.1 >= offered[next].1;
                if last || dominated || offer.1 >= fewest_hops[next] {
                    continue;
                }
                if offer.0 < offered[next].0 {
                    offered[next] = offer;
                }
                heap.push(Reverse((
                    offer.0,
                    offer.1,
                    u32::try_from(labels.len()).unwrap_or(u32::MAX),
                )));
                labels.push(Label {
                    table: arc.to,
                    parent: label,
                    group: arc.group,
                });
            }
        }
        Err(NoPath)
    }
}

/// A table reached by the search, the join that leads to it, and the previous label.
struct Label {
    table: u32,
    parent: u32,
    group: u32,
}

/// One join of a path: the table it leaves, and the group that it uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    from: u32,
    group: u32,
}

fn unwind(labels: &[Label], mut label: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Label { parent, group, .. } = labels[label as usize]
        && parent != u32::MAX
    {
        steps.push(Step {
            from: labels[parent as usize].table,
            group,
        });
        label = parent;
    }
    steps.reverse();
    steps
}

type Key = (u32, u32, usize);
/// The steps of a path, or that no path exists.
type SearchResult = Result<Vec<Step>, NoPath>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NoPath;

/// A cache with two generations. A hit moves to the young generation; when the young one is full,
/// the old one is dropped. The size is bounded without any bookkeeping per look-up.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    young: HashMap<Key, SearchResult>,
    old: HashMap<Key, SearchResult>,
}

/// Number of paths per generation: all pairs of 122 tables at one limit.
const GENERATION: usize = 8192;

impl Cache {
    fn get(&mut self, key: &Key) -> Option<SearchResult> {
        if let Some(steps) = self.young.get(key) {
            return Some(steps.clone());
        }
        let steps = self.old.remove(key)?;
        self.put(*key, steps.clone());
        Some(steps)
    }

    fn put(&mut self, key: Key, steps: SearchResult) {
        if self.young.len() >= GENERATION {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key, steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded_and_keeps_repeated_keys() {
        let mut cache = Cache::default();
        cache.put((0, 1, 4), Err(NoPath));
        for other in 0..u32::try_from(GENERATION * 5).unwrap() {
            cache.put((2, other, 4), Err(NoPath));
            assert!(cache.get(&(0, 1, 4)).is_some());
        }
        assert!(cache.young.len() + cache.old.len() <= 2 * GENERATION);
        assert!(cache.get(&(2, 0, 4)).is_none());
    }
}
