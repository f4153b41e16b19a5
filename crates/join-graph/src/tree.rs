//! The smallest tree of joins over a set of tables.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use crate::Error;
use crate::cost::{MEETING, NAMED};
use crate::further::FurtherJoin;
use crate::graph::{Graph, Join};
use crate::question::QuestionWords;

/// The joins that connect a set of tables.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinTree<'g> {
    /// The joins in an order that a `FROM` clause can use: the `left` table of each step is already
    /// joined. If some tables cannot be connected, each group starts again.
    pub steps: Vec<JoinStep<'g>>,
    /// Tables that are not in the request but are needed to connect those that are.
    pub bridges: Vec<&'g str>,
    /// Joins beyond the tree, which the question needs besides: a table in a second role, and
    /// conditions that close a circle.
    pub further: Vec<FurtherJoin<'g>>,
    /// The requested tables, grouped by what can be joined. With more than one group, a single
    /// statement cannot join them all.
    pub groups: Vec<Vec<&'g str>>,
}

/// One join of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JoinStep<'g> {
    /// The join. Its `choices` are the relationships to choose from.
    pub join: Join<'g>,
    /// Whether the right-hand table is a bridge.
    pub bridge: bool,
}

impl JoinTree<'_> {
    /// Whether one statement can join all tables.
    pub fn is_connected(&self) -> bool {
        self.groups.len() <= 1
    }
}

/// Up to this many tables the tree is optimal. Beyond, it grows table by table from the nearest
/// one.
const EXACT: usize = 9;
const UNREACHED: u64 = u64::MAX / 4;
/// Maximum number of tables of a tree that is improved by exchanging joins.
const IMPROVED: usize = 24;

impl Graph {
    /// The cheapest tree that joins `tables`, through bridges where necessary. Costs are those of
    /// [`Graph::path`]. The tree does not depend on the order of the names; only the order of its
    /// steps does. Fails with [`Error::UnknownTable`].
    pub fn join_tree(&self, tables: &[&str]) -> Result<JoinTree<'_>, Error> {
        self.join_tree_for(tables, &QuestionWords::default())
    }

    /// As [`Graph::join_tree`], with the words of a question as tie-breakers: for the tables on the
    /// path, and for the way between two tables.
    pub fn join_tree_for(
        &self,
        tables: &[&str],
        question: &QuestionWords,
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
            further: Vec::new(),
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
            tree.further.extend(self.circle_joins(&group, &edges));
            tree.further.extend(self.role_joins(&edges, question));
            tree.groups
                .push(group.iter().map(|&id| self.name(id)).collect());
        }
        Ok(tree)
    }

    /// Groups the tables by reachability.
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

    /// The Dreyfus–Wagner algorithm: the best tree over each subset of the tables that ends in each
    /// table, built from the trees of smaller subsets.
    fn exact(&self, asked: &[u32], passing: &[i64]) -> Vec<Edge> {
        let Some((&root, others)) = asked.split_last() else {
            return Vec::new();
        };
        let n = self.len();
        let subsets = 1_usize << others.len();
        let mut cost = vec![UNREACHED; subsets * n];
        let mut from = vec![Predecessor::Start; subsets * n];
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
                        from[row + table] = Predecessor::Parts(part);
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
                Predecessor::Start => {}
                Predecessor::Parts(part) => open.extend([(part, table), (subset ^ part, table)]),
                Predecessor::Over(edge) => {
                    edges.push(edge);
                    open.push((subset, edge.from));
                }
            }
        }
        edges
    }

    /// Dijkstra from every table that has a cost already.
    fn spread(&self, cost: &mut [u64], from: &mut [Predecessor], passing: &[i64]) {
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
                    from[next] = Predecessor::Over(Edge {
                        from: table,
                        to: arc.to,
                        group: arc.group,
                    });
                    heap.push(Reverse((offer, arc.to)));
                }
            }
        }
    }

    /// The tie-breaking cost of passing through each table: zero for requested tables, lower for
    /// tables that the question names. The sum never outweighs a join.
    fn passing_all(&self, asked: &[u32], question: &QuestionWords) -> Vec<i64> {
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

    /// Exchanges joins as long as that lowers the whole cost. Where two tables of a tree both refer
    /// to a third, rows match that only share a value; a sum of single joins does not include that
    /// cost.
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

    /// The cost of a tree: its joins, and a penalty for each table beyond the first that refers to
    /// the same table.
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

    /// Starts at the first table and repeatedly adds the nearest missing one.
    fn grown(&self, asked: &[u32], passing: &[i64]) -> Vec<Edge> {
        let mut missing: HashSet<u32> = asked.iter().copied().collect();
        let mut standing: Vec<u32> = asked.iter().copied().take(1).collect();
        let mut edges = Vec::new();
        missing.retain(|id| !standing.contains(id));
        while !missing.is_empty() {
            let mut cost = vec![UNREACHED; self.len()];
            let mut from = vec![Predecessor::Start; self.len()];
            for &table in &standing {
                cost[table as usize] = 0;
            }
            self.spread(&mut cost, &mut from, passing);
            let Some(&nearest) = missing.iter().min_by_key(|id| (cost[**id as usize], **id)) else {
                break;
            };
            let mut table = nearest;
            while let Predecessor::Over(edge) = from[table as usize] {
                edges.push(edge);
                standing.push(edge.to);
                missing.remove(&edge.to);
                table = edge.from;
            }
            missing.remove(&nearest);
        }
        edges
    }

    /// Lists the edges of a tree from the first requested table outwards.
    fn lay_out<'g>(
        &'g self,
        group: &[u32],
        edges: &[Edge],
        question: &QuestionWords,
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
                    let roles = self.roles(question, pair);
                    let way = roles.first().copied();
                    tree.steps.push(JoinStep {
                        join: self.join(
                            table,
                            pair,
                            way.unwrap_or_else(|| self.meant(question, pair)),
                        ),
                        bridge,
                    });
                    queue.push_back(id);
                }
            }
        }
    }
}

/// Whether the edges form a tree over all of these tables.
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
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) group: u32,
}

/// How the search reached a table in a partial tree.
#[derive(Debug, Clone, Copy)]
enum Predecessor {
    /// The partial tree starts at the table.
    Start,
    /// Two smaller trees meet here: that of this subset, and that of the rest.
    Parts(usize),
    /// Over a join from another table.
    Over(Edge),
}
