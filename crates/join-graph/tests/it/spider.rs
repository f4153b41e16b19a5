//! Join trees against those of people, on real schemas.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use join_graph::{Document, Graph};
use serde_json::Value;

type Edge = [(String, String); 2];

fn fixture(name: &str) -> Vec<Value> {
    let path = format!(
        "{}/../sql-guard/fixtures/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn edge(from: (&str, &str), to: (&str, &str)) -> Edge {
    let mut edge = [from, to].map(|(table, column)| (table.to_lowercase(), column.to_lowercase()));
    edge.sort();
    edge
}

fn gold(case: &Value) -> BTreeSet<Edge> {
    let text = |value: &Value, at: usize| value[at].as_str().unwrap().to_owned();
    let edges = case["gold_join_edges"].as_array().unwrap();
    edges
        .iter()
        .map(|it| edge((&text(it, 0), &text(it, 1)), (&text(it, 2), &text(it, 3))))
        .collect()
}

/// The tables that a single edge touches.
fn leaves(gold: &BTreeSet<Edge>) -> BTreeSet<String> {
    let mut degree: BTreeMap<&String, usize> = BTreeMap::new();
    for (table, _) in gold.iter().flatten() {
        *degree.entry(table).or_default() += 1;
    }
    degree
        .into_iter()
        .filter(|(_, degree)| *degree == 1)
        .map(|(table, _)| table.clone())
        .collect()
}

fn tree(graph: &Graph, tables: &BTreeSet<String>) -> BTreeSet<Edge> {
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    let steps = graph.join_tree(&tables).unwrap().steps;
    steps
        .iter()
        .map(|step| {
            edge(
                (step.join.left, step.join.left_column),
                (step.join.right, step.join.right_column),
            )
        })
        .collect()
}

/// Counted are the queries whose joins are a tree over the tables they use, made of relationships the schema declares:
/// nobody could find the others in the schema.
#[test]
fn join_trees_are_those_of_the_gold_queries() {
    let graphs: HashMap<String, Graph> = fixture("schemas.jsonl")
        .iter()
        .map(|line| {
            let document = Document::from_json(&line.to_string()).unwrap();
            (
                line["db"].as_str().unwrap().to_owned(),
                Graph::new(&document, 0.7).unwrap(),
            )
        })
        .collect();
    let (mut counted, mut equal, mut equal_leaf_only) = (0_u32, 0_u32, 0_u32);
    for case in fixture("cases.jsonl") {
        let graph = &graphs[case["db"].as_str().unwrap()];
        let gold = gold(&case);
        let used: BTreeSet<String> = case["tables_used"]
            .as_array()
            .unwrap()
            .iter()
            .map(|table| table.as_str().unwrap().to_lowercase())
            .collect();
        let touched: BTreeSet<String> = gold
            .iter()
            .flatten()
            .map(|(table, _)| table.clone())
            .collect();
        let pairs: BTreeSet<_> = gold.iter().map(|[from, to]| (&from.0, &to.0)).collect();
        let declared: BTreeSet<Edge> = graph
            .relationships()
            .iter()
            .map(|it| {
                edge(
                    (&it.from_table, &it.from_column),
                    (&it.to_table, &it.to_column),
                )
            })
            .collect();
        let is_tree = touched == used && gold.len() + 1 == used.len() && pairs.len() == gold.len();
        if gold.is_empty() || !is_tree || !gold.is_subset(&declared) {
            continue;
        }
        counted += 1;
        equal += u32::from(tree(graph, &used) == gold);
        equal_leaf_only += u32::from(tree(graph, &leaves(&gold)) == gold);
    }
    let share = |part: u32| f64::from(part) / f64::from(counted);
    println!(
        "join trees equal to gold, {counted} queries of {} databases",
        graphs.len()
    );
    println!("  tables given      {:.2} %", share(equal) * 100.0);
    println!(
        "  leaf tables only  {:.2} %",
        share(equal_leaf_only) * 100.0
    );
    assert!(counted > 450);
    assert!(share(equal) >= 0.96, "{equal} of {counted}");
    assert!(
        share(equal_leaf_only) >= 0.90,
        "{equal_leaf_only} of {counted}"
    );
}
