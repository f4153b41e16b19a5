//! The index for path searches: table ids, and the neighbours of each table side by side in memory.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::{fmt, mem};

use crate::cost::{Oriented, RANKS, REFERRING_SHIFT, cost, referring, words};
use crate::document::{Document, Relationship};
use crate::hygiene::{Hygiene, clean};
use crate::links::Links;
use crate::path::Cache;
use crate::ways::{Keys, Way};
use crate::{Error, fold};

/// The index of tables and relationships. Build it once at start-up and share it behind an `Arc`.
#[derive(Debug)]
pub struct Graph {
    names: Vec<String>,
    ids: HashMap<String, u32>,
    /// Grouped by the pair of tables that they join, the preferred relationship of each group
    /// first.
    relationships: Vec<Relationship>,
    groups: Vec<Group>,
    /// The ways of all groups. The ways of one group are adjacent.
    ways: Vec<Way>,
    loops: HashMap<u32, usize>,
    /// The first arc of each table; one entry longer than `names`.
    starts: Vec<u32>,
    arcs: Vec<Arc>,
    /// The tie-breaking cost of passing through a table that is not in the request.
    passing: Vec<u64>,
    pub(crate) cache: Mutex<Cache>,
}

/// One direction of a joined pair of tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arc {
    pub(crate) to: u32,
    pub(crate) group: u32,
    pub(crate) cost: u64,
}

/// The relationships between one pair of tables as the ways that they form, the preferred way
/// first.
#[derive(Debug, Clone, Copy)]
struct Group {
    start: u32,
    end: u32,
    first_way: u32,
    last_way: u32,
    /// The ids of the two tables, the smaller first.
    tables: (u32, u32),
    /// The cost of a join over the group.
    cost: u64,
    /// The table that has one row for each row of the other; `None` if that holds for both tables
    /// or for neither.
    one: Option<u32>,
}

/// A join of two tables, read from `left` to `right`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Join<'g> {
    /// The table the join starts from.
    pub left: &'g str,
    /// The column of the left table.
    pub left_column: &'g str,
    /// The table the join leads to.
    pub right: &'g str,
    /// The column of the right table.
    pub right_column: &'g str,
    /// The conditions of the join: the pair of columns above, and for a composite key the other
    /// pairs of the key.
    pub conditions: &'g [Relationship],
    /// Every relationship that joins the two tables. The unused ones are alternatives.
    pub choices: &'g [Relationship],
    ways: &'g [Way],
    all: &'g [Relationship],
}

impl<'g> Join<'g> {
    /// The other ways to join the two tables: each is a pair of columns, or all pairs of another
    /// composite key.
    pub fn alternatives(&self) -> impl Iterator<Item = &'g [Relationship]> + use<'g> {
        let used = self.conditions.first().map(std::ptr::from_ref);
        let all = self.all;
        self.ways
            .iter()
            .map(move |way| &all[way.start as usize..way.end as usize])
            .filter(move |way| way.first().map(std::ptr::from_ref) != used)
    }
}

/// The join condition: `workTime.employeeId = employee.id`. The pairs of a composite key are joined
/// by `AND`.
impl fmt::Display for Join<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, pair) in self.conditions.iter().enumerate() {
            let (mut left, mut right) = (&pair.from_column, &pair.to_column);
            if pair.from_table != self.left {
                mem::swap(&mut left, &mut right);
            }
            let and = if at == 0 { "" } else { " AND " };
            write!(f, "{and}{}.{left} = {}.{right}", self.left, self.right)?;
        }
        Ok(())
    }
}

impl Graph {
    /// The graph of the document's relationships with a confidence of at least `threshold`, cleaned
    /// by the default [`Hygiene`]. Fails with [`Error::Threshold`], or where the document's own
    /// check does.
    pub fn new(document: &Document, threshold: f64) -> Result<Graph, Error> {
        Graph::with_hygiene(document, threshold, &Hygiene::default())
    }

    /// As [`Graph::new`], with other audit columns.
    pub fn with_hygiene(
        document: &Document,
        threshold: f64,
        hygiene: &Hygiene,
    ) -> Result<Graph, Error> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(Error::Threshold(threshold));
        }
        document.check()?;
        let cleaned = clean(document, hygiene).document;
        let keys = Keys::new(&cleaned.tables, &cleaned.relationships);
        let names: Vec<String> = cleaned.tables.keys().cloned().collect();
        let ids: HashMap<String, u32> = (0..)
            .zip(&names)
            .map(|(id, name)| (fold(name), id))
            .collect();
        let usable = cleaned
            .relationships
            .iter()
            .filter(|edge| edge.confidence >= threshold)
            .cloned()
            .collect();
        let mut graph = Graph {
            passing: Vec::new(),
            starts: Vec::new(),
            arcs: Vec::new(),
            relationships: Vec::new(),
            groups: Vec::new(),
            ways: Vec::new(),
            loops: HashMap::new(),
            cache: Mutex::default(),
            names,
            ids,
        };
        graph.index(usable, &keys);
        Ok(graph)
    }

    /// All tables, in the order of the document.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// All relationships in use.
    pub fn relationships(&self) -> &[Relationship] {
        &self.relationships
    }

    /// Whether the graph has `table`, ignoring case.
    pub fn contains(&self, table: &str) -> bool {
        self.ids.contains_key(&fold(table))
    }

    /// The relationships between two tables (or of one with itself), the preferred one first. The
    /// slice is empty if they are not joined directly. Fails with [`Error::UnknownTable`].
    pub fn choices(&self, one: &str, other: &str) -> Result<&[Relationship], Error> {
        let (one, other) = (self.id(one)?, self.id(other)?);
        if one == other {
            return Ok(self
                .loops
                .get(&one)
                .map_or(&[][..], |&group| self.group(group)));
        }
        let arc = self.arcs(one).iter().find(|arc| arc.to == other);
        Ok(arc.map_or(&[][..], |arc| self.group(arc.group as usize)))
    }

    /// The ways to join two tables: [`Graph::choices`] grouped so that each slice is one condition.
    pub fn ways(
        &self,
        one: &str,
        other: &str,
    ) -> Result<impl Iterator<Item = &[Relationship]>, Error> {
        let (one, other) = (self.id(one)?, self.id(other)?);
        let group = if one == other {
            self.loops.get(&one).copied()
        } else {
            let arc = self.arcs(one).iter().find(|arc| arc.to == other);
            arc.map(|arc| arc.group as usize)
        };
        let ways = group.map_or(&[][..], |group| self.ways_of(group));
        Ok(ways.iter().map(|way| self.way(*way)))
    }

    pub(crate) fn id(&self, table: &str) -> Result<u32, Error> {
        self.ids.get(&fold(table)).copied().ok_or_else(|| {
            let wanted = fold(table);
            let near = self
                .names
                .iter()
                .map(|name| (strsim::damerau_levenshtein(&fold(name), &wanted), name));
            let nearest = near
                .filter(|(distance, _)| *distance <= 2.max(wanted.len() / 3))
                .min();
            Error::UnknownTable {
                name: table.to_owned(),
                nearest: nearest.map(|(_, name)| name.clone()),
            }
        })
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        &self.names[id as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn arcs(&self, table: u32) -> &[Arc] {
        let table = table as usize;
        &self.arcs[self.starts[table] as usize..self.starts[table + 1] as usize]
    }

    pub(crate) fn passing(&self, table: u32) -> u64 {
        self.passing[table as usize]
    }

    fn group(&self, group: usize) -> &[Relationship] {
        let Group { start, end, .. } = self.groups[group];
        &self.relationships[start as usize..end as usize]
    }

    pub(crate) fn ways_of(&self, group: usize) -> &[Way] {
        let Group {
            first_way,
            last_way,
            ..
        } = self.groups[group];
        &self.ways[first_way as usize..last_way as usize]
    }

    pub(crate) fn way(&self, way: Way) -> &[Relationship] {
        &self.relationships[way.start as usize..way.end as usize]
    }

    /// The two tables of a group, the cost of joining them, and the referenced table.
    pub(crate) fn ends(&self, group: u32) -> ((u32, u32), u64, Option<u32>) {
        let group = &self.groups[group as usize];
        (group.tables, group.cost, group.one)
    }

    /// The join over an arc's group that starts at `from`, by the way with the index `way`.
    pub(crate) fn join(&self, from: u32, group: u32, way: usize) -> Join<'_> {
        let ways = self.ways_of(group as usize);
        let conditions = self.way(ways[way]);
        let used = &conditions[0];
        let (left, right) = (
            (&used.from_table, &used.from_column),
            (&used.to_table, &used.to_column),
        );
        let (left, right) = if left.0 == self.name(from) {
            (left, right)
        } else {
            (right, left)
        };
        Join {
            left: left.0,
            left_column: left.1,
            right: right.0,
            right_column: right.1,
            conditions,
            choices: self.group(group as usize),
            ways,
            all: &self.relationships,
        }
    }

    /// Groups relationships by pair of tables and builds the arcs. The order in the file breaks
    /// ties.
    fn index(&mut self, relationships: Vec<Relationship>, keys: &Keys<'_>) {
        let total = relationships.len().max(1);
        let oriented: Vec<Oriented> = relationships
            .iter()
            .map(|relationship| Oriented::of(relationship, keys))
            .collect();
        let ends = |relationship: &Relationship, oriented: &Oriented| {
            let id = |name: &str| self.ids[&fold(name)];
            let (from, to) = (id(&relationship.from_table), id(&relationship.to_table));
            if oriented.turned {
                (to, from)
            } else {
                (from, to)
            }
        };
        let targets: HashSet<(u32, u32)> = relationships
            .iter()
            .zip(&oriented)
            .map(|(relationship, oriented)| ends(relationship, oriented))
            .collect();
        let links = Links::new(self.names.len(), &targets);
        let mut pairs: HashMap<(u32, u32), Vec<(u64, Relationship)>> = HashMap::new();
        let mut ranks = vec![RANKS; self.names.len()];
        for (position, (relationship, oriented)) in
            relationships.into_iter().zip(&oriented).enumerate()
        {
            let (from, to) = ends(&relationship, oriented);
            let rank = (position as u64) * RANKS / total as u64;
            for end in [from, to] {
                ranks[end as usize] = ranks[end as usize].min(rank);
            }
            let cost = cost(&relationship, oriented, links.refers_to(from), rank);
            pairs
                .entry((from.min(to), from.max(to)))
                .or_default()
                .push((cost, relationship));
        }
        let mut sorted: Vec<_> = pairs.into_iter().collect();
        sorted.sort_by_key(|(pair, _)| *pair);
        let mut lists: Vec<Vec<Arc>> = vec![Vec::new(); self.names.len()];
        for (group, ((one, other), mut choices)) in (0..).zip(sorted) {
            choices.sort_by_key(|(cost, choice)| {
                (
                    *cost >> REFERRING_SHIFT,
                    words(referring(choice, keys)),
                    *cost,
                )
            });
            let cost = choices.first().map_or(0, |(cost, _)| *cost);
            let first_way = narrow(self.ways.len());
            let start = narrow(self.relationships.len());
            let referred = choices
                .first()
                .and_then(|(_, choice)| Oriented::of(choice, keys).referred(choice))
                .map(|table| self.ids[&fold(table)]);
            let mut rest = &mut choices[..];
            while !rest.is_empty() {
                let together = keys.together(rest).max(1);
                let start = narrow(self.relationships.len());
                let (way, later) = rest.split_at_mut(together);
                // The columns of a key in the order of its declaration.
                way.sort_by_key(|(cost, _)| cost & (u64::MAX >> (64 - REFERRING_SHIFT)));
                self.relationships
                    .extend(way.iter().map(|(_, relationship)| relationship.clone()));
                self.ways.push(Way {
                    start,
                    end: narrow(self.relationships.len()),
                });
                rest = later;
            }
            self.groups.push(Group {
                start,
                end: narrow(self.relationships.len()),
                first_way,
                last_way: narrow(self.ways.len()),
                tables: (one, other),
                cost,
                one: referred,
            });
            if one == other {
                self.loops.insert(one, group as usize);
                continue;
            }
            for (from, to) in [(one, other), (other, one)] {
                lists[from as usize].push(Arc { to, group, cost });
            }
        }
        self.starts.push(0);
        for list in lists {
            self.arcs.extend(list);
            self.starts.push(narrow(self.arcs.len()));
        }
        let passing = |(table, rank): (u32, u64)| links.passing(table) + rank;
        self.passing = (0..).zip(ranks).map(passing).collect();
    }
}

/// A position in a list that was read from a file. Files have fewer than 2³² entries.
fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
