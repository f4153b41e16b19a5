//! The index that paths are sought in: table ids, and each table's neighbours side by side in memory.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::{fmt, mem};

use crate::document::{Document, Relationship, RelationshipType};
use crate::hygiene::{Hygiene, clean};
use crate::path::Cache;
use crate::{Error, fold};

/// Tables and what joins them, for asking. Made once at start-up; cheap to share behind an `Arc`.
#[derive(Debug)]
pub struct Graph {
    names: Vec<String>,
    ids: HashMap<String, u32>,
    /// Grouped by the pair of tables they join, the preferred one of each group first.
    relationships: Vec<Relationship>,
    groups: Vec<Group>,
    loops: HashMap<u32, usize>,
    /// Where each table's arcs begin; one longer than `names`.
    starts: Vec<u32>,
    arcs: Vec<Arc>,
    /// What it costs, between equals, to pass through a table that was not asked for.
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

/// The relationships of one pair of tables.
#[derive(Debug, Clone, Copy)]
struct Group {
    start: u32,
    end: u32,
    /// How many at its start hold together: all pairs of a composite key, else one.
    together: u32,
}

/// A join of two tables, read from `left` to `right`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Join<'g> {
    /// The table come from.
    pub left: &'g str,
    /// Its column.
    pub left_column: &'g str,
    /// The table come to.
    pub right: &'g str,
    /// Its column.
    pub right_column: &'g str,
    /// What the join asks for: the pair of columns above, and the other pairs of the same key where that is a composite one.
    pub conditions: &'g [Relationship],
    /// Every relationship that joins the two tables, those used first; the others are choices.
    pub choices: &'g [Relationship],
}

/// The join condition: `workTime.employeeId = employee.id`; a composite key's pairs with `AND` between them.
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
    /// The graph of a document's relationships whose confidence is `threshold` or more, cleaned by the default
    /// [`Hygiene`]. Fails with [`Error::Threshold`], or where the document's own check does.
    pub fn new(document: &Document, threshold: f64) -> Result<Graph, Error> {
        Graph::with_hygiene(document, threshold, &Hygiene::default())
    }

    /// As [`Graph::new`], with other names for audit columns.
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
        let names: Vec<String> = cleaned.tables.keys().cloned().collect();
        let ids: HashMap<String, u32> = (0..)
            .zip(&names)
            .map(|(id, name)| (fold(name), id))
            .collect();
        let usable = cleaned
            .relationships
            .into_iter()
            .filter(|edge| edge.confidence >= threshold)
            .collect();
        let mut graph = Graph {
            passing: Vec::new(),
            starts: Vec::new(),
            arcs: Vec::new(),
            relationships: Vec::new(),
            groups: Vec::new(),
            loops: HashMap::new(),
            cache: Mutex::default(),
            names,
            ids,
        };
        graph.index(usable);
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

    /// Whether the graph has `table`, in any case.
    pub fn contains(&self, table: &str) -> bool {
        self.ids.contains_key(&fold(table))
    }

    /// The relationships between two tables (or of one with itself), the preferred one first; none if they are not
    /// joined directly. Fails with [`Error::UnknownTable`].
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

    /// The join over an arc's group that leaves `from`.
    pub(crate) fn join(&self, from: u32, group: u32) -> Join<'_> {
        let choices = self.group(group as usize);
        let used = &choices[0];
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
            conditions: &choices[..self.groups[group as usize].together as usize],
            choices,
        }
    }

    /// Groups relationships by pair and lays the neighbours out. Their order in the file breaks ties.
    fn index(&mut self, relationships: Vec<Relationship>) {
        let total = relationships.len().max(1);
        let ends = |relationship: &Relationship| {
            let id = |name: &str| self.ids[&fold(name)];
            (id(&relationship.from_table), id(&relationship.to_table))
        };
        let targets: HashSet<(u32, u32)> = relationships.iter().map(ends).collect();
        let mut refers_to = vec![0_u64; self.names.len()];
        for (from, _) in targets.iter().filter(|(from, to)| from != to) {
            refers_to[*from as usize] += 1;
        }
        let mut pairs: HashMap<(u32, u32), Vec<(u64, Relationship)>> = HashMap::new();
        let mut ranks = vec![RANKS; self.names.len()];
        for (position, relationship) in relationships.into_iter().enumerate() {
            let (from, to) = ends(&relationship);
            let rank = (position as u64) * RANKS / total as u64;
            for end in [from, to] {
                ranks[end as usize] = ranks[end as usize].min(rank);
            }
            let cost = cost(&relationship, refers_to[from as usize], rank);
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
                (*cost >> REFERRING_SHIFT, words(&choice.from_column), *cost)
            });
            let start = narrow(self.relationships.len());
            let cheapest = choices.first().map_or(0, |(cost, _)| *cost);
            let together = composite(&mut choices);
            self.relationships
                .extend(choices.into_iter().map(|(_, relationship)| relationship));
            let end = narrow(self.relationships.len());
            self.groups.push(Group {
                start,
                end,
                together,
            });
            if one == other {
                self.loops.insert(one, group as usize);
                continue;
            }
            lists[one as usize].push(Arc {
                to: other,
                group,
                cost: cheapest,
            });
            lists[other as usize].push(Arc {
                to: one,
                group,
                cost: cheapest,
            });
        }
        self.starts.push(0);
        for list in lists {
            self.arcs.extend(list);
            self.starts.push(narrow(self.arcs.len()));
        }
        let passing = |(refers_to, rank): (u64, u64)| {
            let shared = if refers_to < 2 { SHARED } else { 0 };
            shared + rank
        };
        self.passing = refers_to.into_iter().zip(ranks).map(passing).collect();
    }
}

/// Brings the pairs that belong to one composite key with the preferred one to the front, and counts them. Files keep a
/// composite key as one relationship for each of its columns: keys that a database declares, from other columns to other
/// columns. Two references to the same column are two roles (`startStation`, `endStation`) instead.
fn composite(choices: &mut [(u64, Relationship)]) -> u32 {
    let mut together = 1;
    for at in 1..choices.len() {
        let (standing, candidate) = (&choices[..together], &choices[at].1);
        let same_key = |other: &Relationship| {
            other.kind == RelationshipType::ForeignKey
                && candidate.kind == RelationshipType::ForeignKey
                && other.from_table == candidate.from_table
                && other.from_column != candidate.from_column
                && other.to_column != candidate.to_column
                && (other.confidence - candidate.confidence).abs() < f64::EPSILON
                && (other.evidence == candidate.evidence || other.evidence.is_empty())
        };
        if standing.iter().all(|(_, other)| same_key(other)) {
            choices[together..=at].rotate_right(1);
            together += 1;
        }
    }
    narrow(together)
}

// A cost has four parts in one number, so that comparing and adding are single instructions: above bit 34 the weight in
// millionths; below it what decides between equals, first how well the names agree, then how many tables the referring one
// refers to, in the last 14 bits the order of the file.
const WEIGHT_SHIFT: u32 = 34;
const NAME_SHIFT: u32 = 22;
const REFERRING_SHIFT: u32 = 14;
const RANKS: u64 = 500;
/// Two tables that both refer to a third share a value (a city, a department), which says little about them; a table that
/// refers to both of them says that they met.
const SHARED: u64 = 16 << NAME_SHIFT;
/// For the same reason, between equals, the joins of a table that refers to many others are preferred. More than these are
/// as many.
const MANY: u64 = 6;

/// 1 + (1 − confidence), then how far the columns' names are apart, then how few tables the referring one refers to, then
/// the place in the file.
fn cost(relationship: &Relationship, refers_to: u64, rank: u64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a million, checked on loading"
    )]
    let weight = ((2.0 - relationship.confidence) * 1e6).round() as u64;
    let few = MANY - refers_to.min(MANY);
    (weight << WEIGHT_SHIFT)
        + (unlikeness(relationship) << NAME_SHIFT)
        + (few << REFERRING_SHIFT)
        + rank
}

/// 0 for the same name on both ends, 1 where the one is the name of the other's table and column, 2 where one tells of the
/// other, 3 otherwise (`follows.f1 = user.uid`).
fn unlikeness(relationship: &Relationship) -> u64 {
    let bare = |name: &str| fold(name).replace('_', "");
    let (from, to) = (
        bare(&relationship.from_column),
        bare(&relationship.to_column),
    );
    if from == to {
        return 0;
    }
    let table = bare(&relationship.to_table);
    let singular = table.trim_end_matches('s');
    let named = |rest: &str| rest.trim_start_matches('s') == to || matches!(rest, "" | "s" | "id");
    if !singular.is_empty() && from.strip_prefix(singular).is_some_and(named) {
        return 1;
    }
    let stem = from.trim_end_matches('s');
    let alike = from.contains(&to)
        || to.contains(&from)
        || (!singular.is_empty() && from.contains(singular))
        || table.contains(stem);
    if alike { 2 } else { 3 }
}

/// The words of a name: `billing_customer_id` and `billingCustomerId` have three. The fewer, the less of a special role.
fn words(name: &str) -> usize {
    let mut words = 0;
    let mut before = '_';
    for c in name.chars() {
        let starts = before == '_' || (c.is_uppercase() && before.is_lowercase());
        words += usize::from(c != '_' && starts);
        before = c;
    }
    words
}

/// A position in a list that was read from a file; no file holds four thousand million entries.
fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
