//! The smallest tree of joins over a set of tables.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use crate::Error;
use crate::cost::{MEETING, NAMED};
use crate::graph::{Graph, Join};
use crate::question::Question;

/// How to join a set of tables.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinTree<'g> {
    /// The joins in an order in which a `FROM` clause can name them: each step's `left` stands already. With tables that
    /// cannot be joined, every group begins anew.
    pub steps: Vec<JoinStep<'g>>,
    /// Tables that were not asked for and are needed to get from one to another.
    pub bridges: Vec<&'g str>,
    /// The tables asked for, by what can be joined; more than one group means that no single statement of joins exists.
    pub groups: Vec<Vec<&'g str>>,
}

/// One join of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JoinStep<'g> {
    /// The join; its `choices` are the relationships to choose from.
    pub join: Join<'g>,
    /// Whether its right-hand table is a bridge.
    pub bridge: bool,
}

impl JoinTree<'_> {
    /// Whether one statement can join all tables.
    pub fn is_connected(&self) -> bool {
        self.groups.len() <= 1
    }
}

/// Up to this many tables the tree is the best there is; beyond, it grows table by table from the nearest one.
const EXACT: usize = 9;
const UNREACHED: u64 = u64::MAX / 4;
/// Trees of more tables are left as they were found.
const IMPROVED: usize = 24;

impl Graph {
    /// The cheapest tree that joins `tables`, over bridges where it must. Costs are those of [`Graph::path`]; the answer
    /// does not depend on the order of the names, only the order of its steps does. Fails with [`Error::UnknownTable`].
    pub fn join_tree(&self, tables: &[&str]) -> Result<JoinTree<'_>, Error> {
        self.join_tree_for(tables, &Question::default())
    }

    /// As [`Graph::join_tree`], where the words of a question decide between equals: over which tables the way leads, and
    /// which of several ways joins two tables.
    pub fn join_tree_for(
        &self,
        tables: &[&str],
        question: &Question,
    ) -> Result<JoinTree<'_>, Error> {
        let mut asked: Vec<u32> = Vec::new();
        for table in tables {
            let id = self.id(table)?;
            if !asked.contains(&id) {
                asked.push(id);
            }
        }
        let mut tree = JoinTree {
            steps: Vec::new(),
            bridges: Vec::new(),
            groups: Vec::new(),
        };
        for group in self.split(&asked) {
            let mut sorted = group.clone();
            sorted.sort_unstable();
            let passing = self.passing_all(&sorted, question);
            let edges = if sorted.len() <= EXACT {
                self.exact(&sorted, &passing)
            } else {
                self.grown(&sorted, &passing)
            };
            let edges = self.improved(edges);
            self.lay_out(&group, &edges, question, &mut tree);
            tree.groups
                .push(group.iter().map(|&id| self.name(id)).collect());
        }
        Ok(tree)
    }

    /// The tables by what can be reached from what.
    fn split(&self, asked: &[u32]) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut placed: HashSet<u32> = HashSet::new();
        for &first in asked {
            if placed.contains(&first) {
                continue;
            }
            let mut seen = vec![false; self.len()];
            seen[first as usize] = true;
            let mut queue = VecDeque::from([first]);
            while let Some(table) = queue.pop_front() {
                for arc in self.arcs(table) {
                    if !std::mem::replace(&mut seen[arc.to as usize], true) {
                        queue.push_back(arc.to);
                    }
                }
            }
            let group: Vec<u32> = asked
                .iter()
                .copied()
                .filter(|&id| seen[id as usize])
                .collect();
            placed.extend(&group);
            groups.push(group);
        }
        groups
    }

    /// Dreyfus and Wagner: the best tree over each subset of the tables that ends in each table, from those of its parts.
    fn exact(&self, asked: &[u32], passing: &[i64]) -> Vec<Edge> {
        let Some((&root, others)) = asked.split_last() else {
            return Vec::new();
        };
        let n = self.len();
        let subsets = 1_usize << others.len();
        let mut cost = vec![UNREACHED; subsets * n];
        let mut from = vec![Came::Start; subsets * n];
        for (bit, &table) in others.iter().enumerate() {
            cost[(1 << bit) * n + table as usize] = 0;
        }
        for subset in 1..subsets {
            let row = subset * n;
            let mut part = (subset - 1) & subset;
            while part > subset / 2 {
                let rest = subset ^ part;
                for table in 0..n {
                    let joined = (cost[part * n + table] + cost[rest * n + table])
                        .saturating_add_signed(-passing[table]);
                    if joined < cost[row + table] {
                        cost[row + table] = joined;
                        from[row + table] = Came::Parts(part);
                    }
                }
                part = (part - 1) & subset;
            }
            self.spread(&mut cost[row..row + n], &mut from[row..row + n], passing);
        }
        let mut edges = Vec::new();
        let mut open = vec![(subsets - 1, root)];
        while let Some((subset, table)) = open.pop() {
            match from[subset * n + table as usize] {
                Came::Start => {}
                Came::Parts(part) => open.extend([(part, table), (subset ^ part, table)]),
                Came::Over(edge) => {
                    edges.push(edge);
                    open.push((subset, edge.from));
                }
            }
        }
        edges
    }

    /// Dijkstra from every table that has a cost already.
    fn spread(&self, cost: &mut [u64], from: &mut [Came], passing: &[i64]) {
        let mut heap: BinaryHeap<Reverse<(u64, u32)>> = (0..)
            .zip(cost.iter())
            .filter(|(_, cost)| **cost < UNREACHED)
            .map(|(id, cost)| Reverse((*cost, id)))
            .collect();
        while let Some(Reverse((so_far, table))) = heap.pop() {
            if so_far > cost[table as usize] {
                continue;
            }
            for arc in self.arcs(table) {
                let next = arc.to as usize;
                let offer = (so_far + arc.cost).saturating_add_signed(passing[next]);
                if offer < cost[next] {
                    cost[next] = offer;
                    from[next] = Came::Over(Edge {
                        from: table,
                        to: arc.to,
                        group: arc.group,
                    });
                    heap.push(Reverse((offer, arc.to)));
                }
            }
        }
    }

    /// What it costs, between equals, to pass through each table: nothing for those asked for, and less for those that the
    /// question names. A join costs more than any of this is worth.
    fn passing_all(&self, asked: &[u32], question: &Question) -> Vec<i64> {
        let of = |id: u32| {
            if asked.contains(&id) {
                return 0;
            }
            let passing = i64::try_from(self.passing(id)).unwrap_or(i64::MAX / 4);
            if self.names_table(question, id, asked) {
                passing - NAMED.cast_signed()
            } else {
                passing
            }
        };
        (0..).take(self.len()).map(of).collect()
    }

    /// The tree with joins exchanged as long as that makes it better: where two tables of a tree both refer to a third,
    /// rows that only share a value meet, which no sum of single joins tells.
    fn improved(&self, mut edges: Vec<Edge>) -> Vec<Edge> {
        let mut tables: Vec<u32> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        tables.sort_unstable();
        tables.dedup();
        if edges.len() < 2 || tables.len() > IMPROVED {
            return edges;
        }
        let within = |edge: &Edge| edge.from < edge.to && tables.binary_search(&edge.to).is_ok();
        let possible: Vec<Edge> = tables
            .iter()
            .flat_map(|&from| {
                self.arcs(from).iter().map(move |arc| Edge {
                    from,
                    to: arc.to,
                    group: arc.group,
                })
            })
            .filter(within)
            .collect();
        let mut best = self.whole_cost(&edges);
        loop {
            let mut better = None;
            for new in &possible {
                if edges.iter().any(|edge| edge.group == new.group) {
                    continue;
                }
                for at in 0..edges.len() {
                    let mut tried = edges.clone();
                    tried[at] = *new;
                    let cost = self.whole_cost(&tried);
                    if cost < best && spans(&tried, &tables) {
                        best = cost;
                        better = Some(tried);
                    }
                }
            }
            match better {
                Some(tree) => edges = tree,
                None => return edges,
            }
        }
    }

    /// What a tree costs: its joins, and each table beyond the first that refers to a table of it.
    fn whole_cost(&self, edges: &[Edge]) -> u64 {
        let mut referring: HashMap<u32, u64> = HashMap::new();
        let mut sum = 0;
        for edge in edges {
            let (_, cost, one) = self.ends(edge.group);
            sum += cost;
            if let Some(one) = one {
                *referring.entry(one).or_default() += 1;
            }
        }
        let meetings: u64 = referring.values().map(|count| count - 1).sum();
        sum + meetings * MEETING
    }

    /// From the first table, always adds the nearest one that is missing.
    fn grown(&self, asked: &[u32], passing: &[i64]) -> Vec<Edge> {
        let mut missing: HashSet<u32> = asked.iter().copied().collect();
        let mut standing: Vec<u32> = asked.iter().copied().take(1).collect();
        let mut edges = Vec::new();
        missing.retain(|id| !standing.contains(id));
        while !missing.is_empty() {
            let mut cost = vec![UNREACHED; self.len()];
            let mut from = vec![Came::Start; self.len()];
            for &table in &standing {
                cost[table as usize] = 0;
            }
            self.spread(&mut cost, &mut from, passing);
            let Some(&nearest) = missing.iter().min_by_key(|id| (cost[**id as usize], **id)) else {
                break;
            };
            let mut table = nearest;
            while let Came::Over(edge) = from[table as usize] {
                edges.push(edge);
                standing.push(edge.to);
                missing.remove(&edge.to);
                table = edge.from;
            }
            missing.remove(&nearest);
        }
        edges
    }

    /// Writes a tree's edges down from the first table asked for outwards.
    fn lay_out<'g>(
        &'g self,
        group: &[u32],
        edges: &[Edge],
        question: &Question,
        tree: &mut JoinTree<'g>,
    ) {
        let mut neighbours: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
        for edge in edges {
            neighbours
                .entry(edge.from)
                .or_default()
                .push((edge.to, edge.group));
            neighbours
                .entry(edge.to)
                .or_default()
                .push((edge.from, edge.group));
        }
        let place = |id: u32| {
            group
                .iter()
                .position(|&other| other == id)
                .unwrap_or(usize::MAX)
        };
        let mut standing: HashSet<u32> = group.iter().copied().take(1).collect();
        let mut queue: VecDeque<u32> = group.iter().copied().take(1).collect();
        while let Some(table) = queue.pop_front() {
            let mut next = neighbours.remove(&table).unwrap_or_default();
            next.sort_by_key(|&(id, _)| (place(id), id));
            for (id, pair) in next {
                if standing.insert(id) {
                    let bridge = !group.contains(&id);
                    if bridge {
                        tree.bridges.push(self.name(id));
                    }
                    tree.steps.push(JoinStep {
                        join: self.join(table, pair, self.meant(question, pair)),
                        bridge,
                    });
                    queue.push_back(id);
                }
            }
        }
    }
}

/// Whether as many joins as a tree of these tables has reach all of them.
fn spans(edges: &[Edge], tables: &[u32]) -> bool {
    let mut reached: HashSet<u32> = tables.iter().copied().take(1).collect();
    let mut before = 0;
    while reached.len() > before {
        before = reached.len();
        for edge in edges {
            if reached.contains(&edge.from) || reached.contains(&edge.to) {
                reached.extend([edge.from, edge.to]);
            }
        }
    }
    reached.len() == tables.len()
}

/// An edge of a tree.
#[derive(Debug, Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    group: u32,
}

/// How a table was reached in a partial tree.
#[derive(Debug, Clone, Copy)]
enum Came {
    /// It is where the part begins.
    Start,
    /// Two smaller trees meet here: that of this subset, and that of the rest.
    Parts(usize),
    /// Over a join.
    Over(Edge),
}
