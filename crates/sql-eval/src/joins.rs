//! Join trees beside the joins of correct queries.
//!
//! Compared are sets of column pairs without direction. A query's joins can be told from the schema, and are *comparable*,
//! if each is a relationship the schema declares and together they are a tree over exactly the tables the query uses (with
//! all columns of a composite key as one join). Other
//! queries join a table twice, use a table in a subquery only, or join columns nothing declares: the tables do not tell
//! that, so they are counted apart, by reason, and the shares over all queries with joins are told, too.

use std::collections::{BTreeMap, BTreeSet};

use join_graph::{Graph, Question, Relationship};

use crate::checks::Case;
use crate::databases::Database;

/// What came of comparing.
#[derive(Debug, Clone, Default)]
pub struct Joins {
    /// Queries whose joins the tables tell.
    pub comparable: Shares,
    /// Queries whose joins are all declared, whether the tables tell them or not.
    pub declared: Shares,
    /// The same, by the corpus that the schema's line names as its `source`.
    pub by_source: BTreeMap<String, Shares>,
    /// Every query with a join.
    pub all: Shares,
    /// Why queries were not comparable.
    pub not_compared: BTreeMap<NotCompared, usize>,
    /// Comparable queries whose tree is another one.
    pub differing: Vec<Differing>,
}

/// How many trees were equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares {
    /// Queries counted.
    pub queries: usize,
    /// Equal when all tables are given.
    pub equal: usize,
    /// Equal when only the tables with a single join are given.
    pub equal_leaf_only: usize,
    /// Equal when all tables and the question are given.
    pub equal_with_question: usize,
    /// Equal when the tables with a single join and the question are given.
    pub equal_leaf_only_with_question: usize,
    /// All tables given: the same pairs of tables, whatever columns join them.
    pub same_tables: usize,
    /// All tables given: the gold columns are among the choices of each join.
    pub among_choices: usize,
}

/// Why the schema does not tell a query's joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotCompared {
    /// A pair of columns is no declared relationship.
    Undeclared,
    /// The joins form no tree: a circle, two joins of one pair of tables, a table joined with itself, or separate parts.
    NoTree,
    /// The query uses tables beside those it joins.
    OtherTables,
}

/// A tree that is not the query's.
#[derive(Debug, Clone)]
pub struct Differing {
    /// Where the query stands in its file.
    pub line: usize,
    /// The query's joins.
    pub gold: Vec<String>,
    /// The tree over all its tables.
    pub tree: Vec<String>,
    /// The tree over its leaf tables.
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
        for (reason, count) in other.not_compared {
            *self.not_compared.entry(reason).or_default() += count;
        }
        self.differing.extend(other.differing);
        self.differing.sort_by_key(|differing| differing.line);
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

/// Compares the trees of one query; without joins it is passed over.
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
    let (silent, asked) = (Question::default(), Question::new(&case.question));
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

/// Whether every joined table can be reached from the first.
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

/// The tables that a single join touches.
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
    /// The tree over some tables; empty where the graph does not know one of them.
    fn of(graph: &Graph, tables: &BTreeSet<String>, question: &Question) -> Tree {
        let names: Vec<&str> = tables.iter().map(String::as_str).collect();
        let mut tree = Tree::default();
        for step in graph
            .join_tree_for(&names, question)
            .map_or_else(|_| Vec::new(), |tree| tree.steps)
        {
            let join = step.join;
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
