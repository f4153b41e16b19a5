//! Comparison of join trees with the joins of correct queries.
//!
//! The comparison uses sets of column pairs without direction. A query is *comparable* if each of
//! its joins is a relationship that the schema declares, and the joins form a tree over exactly the
//! tables of the query. All columns of a composite key are one join. Other queries join a table
//! twice, use a table only in a subquery, or join undeclared columns. Their tables do not determine
//! their joins, so they are counted separately, by reason. The shares over all queries with joins
//! are reported as well.

use std::collections::{BTreeMap, BTreeSet};

use join_graph::{Graph, QuestionWords, Relationship};

use crate::checks::Case;
use crate::databases::Database;

/// The results of the comparison.
#[derive(Debug, Clone, Default)]
pub struct Joins {
    /// Queries whose tables determine their joins.
    pub comparable: Shares,
    /// Queries whose joins are all declared, comparable or not.
    pub declared: Shares,
    /// The same, by the `source` of the schema.
    pub by_source: BTreeMap<String, Shares>,
    /// All queries with a join.
    pub all: Shares,
    /// Number of queries that are not comparable, by reason.
    pub not_compared: BTreeMap<NotCompared, usize>,
    /// Comparable queries with another tree.
    pub differing: Vec<Differing>,
    /// The joins of declared queries that a tree over all of their tables can equal, by database
    /// and tables, each with the number of its queries.
    derivable: BTreeMap<(String, BTreeSet<String>), BTreeMap<Edges, usize>>,
}

/// Number of equal trees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares {
    /// Number of queries.
    pub queries: usize,
    /// Equal, given all tables.
    pub equal: usize,
    /// Equal, given only the tables with a single join.
    pub equal_leaf_only: usize,
    /// Equal, given all tables and the question.
    pub equal_with_question: usize,
    /// Equal, given the tables with a single join and the question.
    pub equal_leaf_only_with_question: usize,
    /// The same pairs of tables, given all tables. Other columns may join them.
    pub same_tables: usize,
    /// The correct columns are among the choices of each join, given all tables.
    pub among_choices: usize,
}

/// Why the tables of a query do not determine its joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotCompared {
    /// A pair of columns is not a declared relationship.
    Undeclared,
    /// The joins do not form a tree: a cycle, two joins of one pair of tables, a self-join, or
    /// separate parts.
    NoTree,
    /// The query uses tables that it does not join.
    OtherTables,
}

/// A tree that differs from the query's joins.
#[derive(Debug, Clone)]
pub struct Differing {
    /// The line in the file of cases.
    pub line: usize,
    /// The joins of the query.
    pub gold: Vec<String>,
    /// The tree over all tables of the query.
    pub tree: Vec<String>,
    /// The tree over the leaf tables.
    pub leaf_only: Vec<String>,
}

impl Joins {
    pub(crate) fn add(&mut self, other: Joins) {
        self.comparable.add(other.comparable);
        self.declared.add(other.declared);
        for (source, shares) in other.by_source {
            self.by_source.entry(source).or_default().add(shares);
        }
        self.all.add(other.all);
        for (tables, joins) in other.derivable {
            let known = self.derivable.entry(tables).or_default();
            for (edges, queries) in joins {
                *known.entry(edges).or_default() += queries;
            }
        }
        for (reason, count) in other.not_compared {
            *self.not_compared.entry(reason).or_default() += count;
        }
        self.differing.extend(other.differing);
        self.differing.sort_by_key(|differing| differing.line);
    }

    /// Maximum number of declared queries that any rule can get right from their tables alone.
    /// Queries that do not join all of their tables count as wrong, and so do all but the most
    /// frequent joins of the same tables.
    pub fn most_from_tables(&self) -> usize {
        let most = |joins: &BTreeMap<Edges, usize>| joins.values().copied().max().unwrap_or(0);
        self.derivable.values().map(most).sum()
    }
}

impl Shares {
    fn add(&mut self, other: Shares) {
        self.queries += other.queries;
        self.equal += other.equal;
        self.equal_leaf_only += other.equal_leaf_only;
        self.equal_with_question += other.equal_with_question;
        self.equal_leaf_only_with_question += other.equal_leaf_only_with_question;
        self.same_tables += other.same_tables;
        self.among_choices += other.among_choices;
    }
}

/// A pair of columns without direction, folded.
type Edge = [(String, String); 2];
type Edges = BTreeSet<Edge>;

/// Compares the trees of one query. A query without joins is skipped.
pub(crate) fn compare(joins: &mut Joins, line: usize, case: &Case, database: &Database) {
    let graph = &database.graph;
    let gold: Edges = case
        .gold_join_edges
        .iter()
        .map(|[from, from_column, to, to_column]| edge((from, from_column), (to, to_column)))
        .collect();
    if gold.is_empty() {
        return;
    }
    let used: BTreeSet<String> = case.tables_used.iter().map(|name| fold(name)).collect();
    let leaves = leaves(&gold);
    let (silent, asked) = (QuestionWords::default(), QuestionWords::new(&case.question));
    let [given, leaf_only, given_asked, leaf_asked] = [
        (&used, &silent),
        (&leaves, &silent),
        (&used, &asked),
        (&leaves, &asked),
    ]
    .map(|(tables, question)| Tree::of(graph, tables, question));
    let result = Shares {
        queries: 1,
        equal: usize::from(given.edges == gold),
        equal_leaf_only: usize::from(leaf_only.edges == gold),
        equal_with_question: usize::from(given_asked.edges == gold),
        equal_leaf_only_with_question: usize::from(leaf_asked.edges == gold),
        same_tables: usize::from(table_pairs(&given.edges) == table_pairs(&gold)),
        among_choices: usize::from(
            gold.is_subset(&given.choices) && table_pairs(&given.edges) == table_pairs(&gold),
        ),
    };
    joins.all.add(result);
    let obstacle = obstacle(&gold, &used, graph);
    if obstacle != Some(NotCompared::Undeclared) {
        joins.declared.add(result);
        if gold.iter().flatten().all(|(table, _)| used.contains(table))
            && used.iter().all(|table| touches(&gold, table))
        {
            let tables = (case.db.clone(), used.clone());
            let known = joins.derivable.entry(tables).or_default();
            *known.entry(gold.clone()).or_default() += 1;
        }
        if let Some(source) = &database.source {
            let shares = joins.by_source.entry(source.clone()).or_default();
            shares.add(result);
        }
    }
    if let Some(reason) = obstacle {
        *joins.not_compared.entry(reason).or_default() += 1;
        return;
    }
    joins.comparable.add(result);
    if result.equal == 0 || result.equal_leaf_only == 0 {
        let [gold, tree, leaf_only] = [&gold, &given.edges, &leaf_only.edges]
            .map(|edges| edges.iter().map(written).collect());
        joins.differing.push(Differing {
            line,
            gold,
            tree,
            leaf_only,
        });
    }
}

fn obstacle(gold: &Edges, used: &BTreeSet<String>, graph: &Graph) -> Option<NotCompared> {
    let touched: BTreeSet<&String> = gold.iter().flatten().map(|(table, _)| table).collect();
    let declared = gold.iter().all(|[one, other]| {
        graph.choices(&one.0, &other.0).is_ok_and(|choices| {
            choices
                .iter()
                .any(|it| pair(it) == [one.clone(), other.clone()])
        })
    });
    let pairs = table_pairs(gold);
    let twice = pairs.iter().any(|pair| {
        let columns = gold
            .iter()
            .filter(|[one, other]| (&one.0, &other.0) == *pair);
        let (ones, others): (Vec<_>, Vec<_>) = columns.map(|[one, other]| (one, other)).unzip();
        let distinct = |ends: &[_]| ends.iter().collect::<BTreeSet<_>>().len() == ends.len();
        pair.0 == pair.1 || !distinct(&ones) || !distinct(&others)
    });
    if !declared {
        Some(NotCompared::Undeclared)
    } else if twice || pairs.len() + 1 != touched.len() || !connected(gold) {
        Some(NotCompared::NoTree)
    } else if !used.iter().eq(touched) {
        Some(NotCompared::OtherTables)
    } else {
        None
    }
}

fn touches(gold: &Edges, table: &str) -> bool {
    gold.iter().flatten().any(|(joined, _)| joined == table)
}

/// Whether every joined table is reachable from the first.
fn connected(gold: &Edges) -> bool {
    let mut reached: BTreeSet<&String> = gold.first().iter().map(|[one, _]| &one.0).collect();
    for _ in 0..gold.len() {
        for [one, other] in gold {
            if reached.contains(&one.0) || reached.contains(&other.0) {
                reached.extend([&one.0, &other.0]);
            }
        }
    }
    gold.iter()
        .flatten()
        .all(|(table, _)| reached.contains(table))
}

/// The tables with a single join.
fn leaves(gold: &Edges) -> BTreeSet<String> {
    let mut joins: BTreeMap<&String, usize> = BTreeMap::new();
    for table in table_pairs(gold)
        .into_iter()
        .flat_map(|(one, other)| [one, other])
    {
        *joins.entry(table).or_default() += 1;
    }
    joins
        .into_iter()
        .filter(|(_, joins)| *joins == 1)
        .map(|(table, _)| table.clone())
        .collect()
}

#[derive(Default)]
struct Tree {
    edges: Edges,
    choices: Edges,
}

impl Tree {
    /// The tree over some tables; empty if the graph does not have one of them.
    fn of(graph: &Graph, tables: &BTreeSet<String>, question: &QuestionWords) -> Tree {
        let names: Vec<&str> = tables.iter().map(String::as_str).collect();
        let mut tree = Tree::default();
        let (steps, further) = graph
            .join_tree_for(&names, question)
            .map_or_else(|_| Default::default(), |tree| (tree.steps, tree.further));
        let further = further.into_iter().map(|further| further.join);
        for join in steps.into_iter().map(|step| step.join).chain(further) {
            tree.edges.extend(join.conditions.iter().map(pair));
            tree.choices.extend(join.choices.iter().map(pair));
        }
        tree
    }
}

fn table_pairs(edges: &Edges) -> BTreeSet<(&String, &String)> {
    edges
        .iter()
        .map(|[one, other]| (&one.0, &other.0))
        .collect()
}

fn pair(it: &Relationship) -> Edge {
    edge(
        (&it.from_table, &it.from_column),
        (&it.to_table, &it.to_column),
    )
}

fn edge(one: (&str, &str), other: (&str, &str)) -> Edge {
    let mut edge = [one, other].map(|(table, column)| (fold(table), fold(column)));
    edge.sort();
    edge
}

fn written([one, other]: &Edge) -> String {
    format!("{}.{} = {}.{}", one.0, one.1, other.0, other.1)
}

fn fold(name: &str) -> String {
    name.to_lowercase()
}
