//! `find_join_paths`: the tree of joins over some tables, and the shortest way between each two.

use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{
    BeyondTree, FindJoinPathsArguments, JoinEdge, JoinPlan, PairPath, PlannedJoin, ProposedJoin,
};
use service_kit::identity::Identity;
use targets::join_graph::{self, Graph, JoinPath, Purpose, QuestionWords};

use super::known_tables::{Known, known_tables};
use super::{SqlTools, count, edge, unanswered};
use crate::error::Error;

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: FindJoinPathsArguments,
) -> Result<ToolEnvelope<JoinPlan>, Error> {
    let tenant = &caller.tenant;
    let target = tools.target(tenant, arguments.target.as_deref()).await?;
    let catalogue = tools.catalogue(&target).await?;
    let Known { tables, unknown } = known_tables(&catalogue, &arguments.tables);
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    let impossible = |error: join_graph::Error| Error::impossible(error.to_string());
    let proposed = if arguments.proposed.is_empty() {
        Vec::new()
    } else {
        target
            .proposed(&wanted(&arguments.proposed))
            .await
            .map_err(|error| unanswered(target.name(), &error))?
    };
    let other;
    let graph = match arguments.min_confidence {
        None if proposed.is_empty() => &catalogue.graph,
        confidence => {
            let mut document = catalogue.document.clone();
            document.relationships.extend(proposed);
            let confidence = confidence.unwrap_or(target.confidence_threshold());
            other = Graph::new(&document, confidence).map_err(impossible)?;
            &other
        }
    };
    let question = QuestionWords::new(arguments.question.as_deref().unwrap_or_default());
    let planned = plan(
        graph,
        &names,
        &question,
        usize::try_from(arguments.max_hops).unwrap_or(usize::MAX),
        usize::try_from(arguments.max_paths).unwrap_or(usize::MAX),
    )
    .map_err(impossible)?;
    Ok(ToolEnvelope::ok(JoinPlan {
        target: target.name().to_owned(),
        unknown,
        ..planned
    }))
}

/// The proposed joins, as the join graph writes them.
fn wanted(proposed: &[ProposedJoin]) -> Vec<[&str; 4]> {
    proposed
        .iter()
        .map(|join| {
            [
                join.from_table.as_str(),
                join.from_column.as_str(),
                join.to_table.as_str(),
                join.to_column.as_str(),
            ]
        })
        .collect()
}

/// The plan over tables that the graph has. A table that only more than `max_hops` joins would
/// reach is in a group of its own.
fn plan(
    graph: &Graph,
    names: &[&str],
    question: &QuestionWords,
    max_hops: usize,
    max_paths: usize,
) -> Result<JoinPlan, join_graph::Error> {
    let mut plan = JoinPlan {
        target: String::new(),
        tables: names.iter().map(|name| (*name).to_owned()).collect(),
        bridges: Vec::new(),
        unknown: Vec::new(),
        steps: Vec::new(),
        groups: Vec::new(),
        paths: Vec::new(),
        relationships: Vec::new(),
    };
    let mut groups: Vec<Vec<&str>> = names.iter().map(|name| vec![*name]).collect();
    for (at, from) in names.iter().enumerate() {
        for to in &names[at + 1..] {
            if let Some(path) = graph.path(from, to, max_hops)? {
                unite(&mut groups, from, to);
                plan.paths.push(pair_path(from, to, &path));
            }
            for way in graph.ways(from, to)? {
                add(&mut plan.relationships, edge(way));
            }
        }
        for way in graph.ways(from, from)? {
            add(&mut plan.relationships, edge(way));
        }
    }
    for group in &groups {
        let tree = graph.join_tree_for(group, question)?;
        for step in &tree.steps {
            let taken = edge(step.join.conditions);
            let choices: Vec<JoinEdge> = step.join.alternatives().filter_map(edge).collect();
            add(&mut plan.relationships, taken.clone());
            for choice in &choices {
                add(&mut plan.relationships, Some(choice.clone()));
            }
            plan.steps.extend(taken.map(|edge| PlannedJoin {
                edge,
                choices,
                beyond: None,
            }));
        }
        for further in &tree.further {
            let taken = edge(further.join.conditions);
            add(&mut plan.relationships, taken.clone());
            let beyond = match further.purpose {
                Purpose::Role => BeyondTree::Role,
                Purpose::Circle => BeyondTree::Condition,
            };
            plan.steps.extend(taken.map(|edge| PlannedJoin {
                edge,
                choices: Vec::new(),
                beyond: Some(beyond),
            }));
        }
        plan.bridges
            .extend(tree.bridges.iter().map(|name| (*name).to_owned()));
    }
    plan.bridges.sort();
    plan.bridges.dedup();
    plan.tables.extend(
        plan.bridges
            .iter()
            .filter(|name| !names.contains(&name.as_str()))
            .cloned(),
    );
    plan.groups = groups
        .into_iter()
        .map(|group| group.into_iter().map(str::to_owned).collect())
        .collect();
    plan.paths.sort_by(|a, b| {
        a.hops
            .cmp(&b.hops)
            .then(b.confidence.total_cmp(&a.confidence))
    });
    plan.paths.truncate(max_paths);
    Ok(plan)
}

fn pair_path(from: &str, to: &str, path: &JoinPath<'_>) -> PairPath {
    let joins: Vec<JoinEdge> = path
        .joins
        .iter()
        .filter_map(|join| edge(join.conditions))
        .collect();
    PairPath {
        from: from.to_owned(),
        to: to.to_owned(),
        hops: count(joins.len()),
        confidence: joins.iter().map(|join| join.confidence).product(),
        joins,
    }
}

/// Puts the groups of two tables together.
fn unite<'n>(groups: &mut Vec<Vec<&'n str>>, one: &'n str, other: &'n str) {
    let place =
        |groups: &Vec<Vec<&str>>, name: &str| groups.iter().position(|group| group.contains(&name));
    if let (Some(one), Some(other)) = (place(groups, one), place(groups, other))
        && one != other
    {
        let (first, second) = (one.min(other), one.max(other));
        let moved = groups.remove(second);
        groups[first].extend(moved);
    }
}

fn add(edges: &mut Vec<JoinEdge>, edge: Option<JoinEdge>) {
    edges.extend(edge.filter(|edge| !edges.contains(edge)));
}

#[cfg(test)]
mod tests {
    use targets::join_graph::Document;

    use super::*;

    fn graph() -> Graph {
        let edge = |from: &str, column: &str, to: &str, confidence: f64| {
            serde_json::json!({
                "from_table": from, "from_column": column, "to_table": to, "to_column": "id",
                "type": "foreign_key", "confidence": confidence, "cardinality": "N:1",
            })
        };
        let table =
            |columns: &[&str]| serde_json::json!({ "columns": columns, "unique_columns": ["id"] });
        let document = serde_json::json!({
            "version": 1,
            "tables": {
                "employee": table(&["id", "managerId"]), "workTime": table(&["id", "employeeId", "approverId", "workOrderId"]),
                "workOrder": table(&["id", "customerId"]), "customer": table(&["id", "regionId"]), "region": table(&["id"]),
                "setting": table(&["id"]),
            },
            "relationships": [
                edge("workTime", "employeeId", "employee", 1.0), edge("workTime", "approverId", "employee", 0.9),
                edge("workTime", "workOrderId", "workOrder", 1.0), edge("workOrder", "customerId", "customer", 0.8),
                edge("customer", "regionId", "region", 1.0), edge("employee", "managerId", "employee", 1.0),
            ],
        });
        Graph::new(&Document::from_json(&document.to_string()).unwrap(), 0.7).unwrap()
    }

    #[test]
    fn the_plan_has_steps_bridges_choices_and_paths() {
        let graph = graph();
        let planned = plan(
            &graph,
            &["employee", "customer"],
            &QuestionWords::default(),
            4,
            15,
        )
        .unwrap();
        assert_eq!(planned.bridges, ["workOrder", "workTime"]);
        assert_eq!(
            planned.tables,
            ["employee", "customer", "workOrder", "workTime"]
        );
        assert_eq!(planned.steps.len(), 3);
        assert_eq!(planned.steps[0].edge.from_column, "employeeId");
        assert_eq!(planned.steps[0].choices[0].from_column, "approverId");
        assert_eq!(planned.groups, [["employee", "customer"]]);
        let path = &planned.paths[0];
        assert_eq!(
            (path.hops, path.from.as_str(), path.to.as_str()),
            (3, "employee", "customer")
        );
        assert!((path.confidence - 0.8).abs() < 1e-9);
        assert!(
            planned
                .relationships
                .iter()
                .any(|edge| edge.from_column == "managerId")
        );
        assert!(
            planned
                .relationships
                .iter()
                .any(|edge| edge.from_column == "approverId")
        );
    }

    #[test]
    fn a_composite_key_is_one_join_and_another_role_one_choice() {
        let mut document = Document::empty();
        let table = |columns: &[&str]| join_graph::Table {
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            ..join_graph::Table::default()
        };
        let port = join_graph::Table {
            primary_key: vec!["land".to_owned(), "no".to_owned()],
            ..table(&["land", "no"])
        };
        let leg = table(&["id", "from_land", "from_no", "to_land", "to_no"]);
        document
            .tables
            .extend([("port".to_owned(), port), ("leg".to_owned(), leg)]);
        for role in ["from", "to"] {
            for column in ["land", "no"] {
                let edge = serde_json::json!({
                    "from_table": "leg", "from_column": format!("{role}_{column}"), "to_table": "port", "to_column": column,
                    "type": "foreign_key", "confidence": 1.0, "key": role,
                });
                document
                    .relationships
                    .push(serde_json::from_value(edge).unwrap());
            }
        }
        let graph = Graph::new(&document, 0.7).unwrap();
        let planned = plan(&graph, &["leg", "port"], &QuestionWords::default(), 4, 15).unwrap();
        let step = &planned.steps[0];
        assert_eq!(
            step.edge.condition(),
            "leg.from_land = port.land AND leg.from_no = port.no"
        );
        assert_eq!(step.edge.cardinality, "N:1");
        let others: Vec<String> = step.choices.iter().map(JoinEdge::condition).collect();
        assert_eq!(others, ["leg.to_land = port.land AND leg.to_no = port.no"]);
        assert_eq!(planned.relationships.len(), 2);
        assert_eq!(planned.paths[0].joins[0].and.len(), 1);
    }

    #[test]
    fn what_is_too_far_or_not_joined_at_all_stands_apart() {
        let graph = graph();
        let planned = plan(
            &graph,
            &["employee", "region", "setting", "workTime"],
            &QuestionWords::default(),
            3,
            15,
        )
        .unwrap();
        assert_eq!(
            planned.groups,
            [vec!["employee", "workTime", "region"], vec!["setting"]]
        );
        let planned = plan(
            &graph,
            &["employee", "region"],
            &QuestionWords::default(),
            3,
            15,
        )
        .unwrap();
        assert_eq!(planned.groups, [["employee"], ["region"]]);
        assert!(planned.steps.is_empty() && planned.paths.is_empty() && planned.bridges.is_empty());
        assert_eq!(
            plan(
                &graph,
                &["employee", "workTime", "workOrder"],
                &QuestionWords::default(),
                4,
                1
            )
            .unwrap()
            .paths
            .len(),
            1
        );
    }
}
