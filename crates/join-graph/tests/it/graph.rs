//! Paths and trees on small and on generated graphs.

use join_graph::{Document, Error, Graph, QuestionWords};
use proptest::prelude::*;

/// Builds a graph from one `a.b_id=b.id@0.9` per relationship. Tables and columns follow from the
/// relationships.
pub(crate) fn graph(edges: &[&str], threshold: f64) -> Graph {
    Graph::new(&document(edges), threshold).unwrap()
}

fn document(edges: &[&str]) -> Document {
    let mut document = Document::empty();
    for edge in edges {
        let (ends, confidence) = edge.split_once('@').unwrap_or((edge, "1.0"));
        let words: Vec<&str> = ends.split(['.', '=']).collect();
        for end in words.chunks(2) {
            let table = document.tables.entry(end[0].to_owned()).or_default();
            if !table.has(end[1]) {
                table.columns.push(end[1].to_owned());
            }
        }
        let text = format!(
            r#"{{"from_table":"{}","from_column":"{}","to_table":"{}","to_column":"{}","type":"foreign_key","confidence":{confidence}}}"#,
            words[0], words[1], words[2], words[3]
        );
        document
            .relationships
            .push(serde_json::from_str(&text).unwrap());
    }
    document
}

fn with_key(edges: &[&str], table: &str, key: &[&str]) -> Document {
    let mut document = document(edges);
    document.tables[table].primary_key = key.iter().map(|&column| column.to_owned()).collect();
    document
}

fn path(graph: &Graph, from: &str, to: &str, hops: usize) -> Option<Vec<String>> {
    graph
        .path(from, to, hops)
        .unwrap()
        .map(|path| path.joins.iter().map(ToString::to_string).collect())
}

#[test]
fn a_path_reads_in_the_direction_asked_for() {
    let graph = graph(
        &[
            "workTime.employeeId=employee.id",
            "workTime.orderId=order.id",
        ],
        0.7,
    );
    let there = [
        "employee.id = workTime.employeeId",
        "workTime.orderId = order.id",
    ];
    let back = [
        "order.id = workTime.orderId",
        "workTime.employeeId = employee.id",
    ];
    assert_eq!(path(&graph, "EMPLOYEE", "Order", 4).unwrap(), there);
    assert_eq!(path(&graph, "order", "employee", 4).unwrap(), back);
    assert_eq!(
        path(&graph, "order", "order", 0).unwrap(),
        Vec::<String>::new()
    );
}

#[test]
fn unknown_tables_are_named_with_the_nearest() {
    let graph = graph(&["workTime.employeeId=employee.id"], 0.7);
    let error = graph.path("employe", "workTime", 4).unwrap_err();
    assert_eq!(
        error.to_string(),
        "table 'employe' is not in the join graph; did you mean 'employee'?"
    );
    assert!(matches!(
        graph.join_tree(&["zzz"]),
        Err(Error::UnknownTable { nearest: None, .. })
    ));
}

#[test]
fn the_threshold_is_inclusive() {
    let edges = ["a.b_id=b.id@0.7", "b.c_id=c.id@0.69"];
    assert!(path(&graph(&edges, 0.7), "a", "b", 4).is_some());
    assert!(path(&graph(&edges, 0.7), "b", "c", 4).is_none());
}

#[test]
fn the_hop_limit_counts_joins_whatever_their_confidence() {
    let chain = graph(
        &[
            "a.b=b.a@0.1",
            "b.c=c.b@0.1",
            "c.d=d.c@0.1",
            "d.e=e.d@0.1",
            "e.f=f.e@0.1",
        ],
        0.0,
    );
    assert_eq!(path(&chain, "a", "e", 4).unwrap().len(), 4);
    assert!(path(&chain, "a", "f", 4).is_none());
    assert!(
        path(&chain, "a", "f", 5).is_some(),
        "the result of a smaller limit is not used for a larger one"
    );
}

#[test]
fn a_dearer_path_of_fewer_hops_is_found_under_a_limit() {
    // a to d: three certain joins cost 3.0, two uncertain ones 3.6.
    let graph = graph(
        &[
            "a.b=b.a",
            "b.c=c.b",
            "c.d=d.c",
            "a.x=x.a@0.2",
            "x.d=d.x@0.2",
        ],
        0.0,
    );
    assert_eq!(path(&graph, "a", "d", 3).unwrap().len(), 3);
    assert_eq!(
        path(&graph, "a", "d", 2).unwrap(),
        ["a.x = x.a", "x.d = d.x"]
    );
}

#[test]
fn parallel_edges_are_choices() {
    let graph = graph(
        &[
            "trip.start=station.id",
            "trip.station_id=station.id",
            "trip.end=station.id@0.8",
        ],
        0.7,
    );
    let found = graph.path("trip", "station", 1).unwrap().unwrap();
    let choices: Vec<String> = found.joins[0]
        .choices
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        choices,
        [
            "trip.station_id = station.id",
            "trip.start = station.id",
            "trip.end = station.id"
        ]
    );
    assert_eq!(graph.choices("station", "trip").unwrap().len(), 3);
    assert_eq!(graph.choices("station", "station").unwrap().len(), 0);
}

#[test]
fn the_role_with_the_fewest_words_comes_first() {
    let graph = graph(
        &[
            "order.billingCustomerId=customer.id",
            "order.customerId=customer.id",
            "film.original_language_id=language.language_id",
            "film.language_id=language.language_id",
        ],
        0.7,
    );
    let first = |one, other| graph.choices(one, other).unwrap()[0].from_column.clone();
    assert_eq!(first("order", "customer"), "customerId");
    assert_eq!(first("film", "language"), "language_id");
}

#[test]
fn all_pairs_of_a_composite_key_hold_together() {
    let edges = [
        "room.floor=block.floor",
        "room.oldFloor=block.floor",
        "room.code=block.code",
        "room.hunch=block.hunch@0.8",
        "room.id=bed.room_id",
    ];
    let graph = Graph::new(&with_key(&edges, "block", &["floor", "code"]), 0.7).unwrap();
    let tree = graph.join_tree(&["block", "bed"]).unwrap();
    assert_eq!(
        tree.steps[0].join.to_string(),
        "block.floor = room.floor AND block.code = room.code"
    );
    assert_eq!(tree.steps[0].join.conditions.len(), 2);
    assert_eq!(
        tree.steps[0].join.choices.len(),
        4,
        "roles and heuristic relationships stay choices"
    );
    assert_eq!(tree.steps[1].join.to_string(), "room.id = bed.room_id");
}

#[test]
fn pairs_of_one_named_key_are_one_way_and_two_named_keys_are_two() {
    let mut document = document(&[
        "leg.start_land=port.land",
        "leg.start_no=port.no",
        "leg.goal_land=port.land",
        "leg.goal_no=port.no",
    ]);
    for (at, key) in ["start", "start", "goal", "goal"].into_iter().enumerate() {
        document.relationships[at].key = Some(key.to_owned());
    }
    let graph = Graph::new(&document, 0.7).unwrap();
    let tree = graph.join_tree(&["leg", "port"]).unwrap();
    let join = tree.steps[0].join;
    assert_eq!(join.conditions.len(), 2);
    let others: Vec<usize> = join.alternatives().map(<[_]>::len).collect();
    assert_eq!(others, [2], "the other role is one condition, too");
    let ways: Vec<usize> = graph.ways("port", "leg").unwrap().map(<[_]>::len).collect();
    assert_eq!(ways, [2, 2]);
    let for_goal = QuestionWords::new("How many legs have the goal Malta?");
    let tree = graph.join_tree_for(&["leg", "port"], &for_goal).unwrap();
    assert_eq!(
        tree.steps[0].join.to_string(),
        "leg.goal_land = port.land AND leg.goal_no = port.no"
    );
}

#[test]
fn two_keys_of_one_column_are_two_ways_with_and_without_evidence() {
    let edges = [
        "match.player_api_id=player.player_api_id",
        "match.player_fifa_api_id=player.player_fifa_api_id",
    ];
    let mut documents = vec![
        document(&edges),
        with_key(&edges, "player", &["id"]),
        document(&edges),
        document(&[edges[0], edges[1], "goal.player_id=player.id"]),
    ];
    documents[0].tables["player"].unique_columns = vec!["player_api_id".to_owned()];
    for edge in &mut documents[2].relationships {
        edge.evidence = vec![format!("fk_{}", edge.from_column)];
    }
    for edge in &mut documents[3].relationships {
        edge.evidence = vec!["declared".to_owned()];
    }
    for document in documents {
        let graph = Graph::new(&document, 0.7).unwrap();
        let tree = graph.join_tree(&["match", "player"]).unwrap();
        let join = tree.steps[0].join;
        assert_eq!(join.conditions.len(), 1);
        assert_eq!(join.alternatives().count(), 1);
    }
}

fn further(graph: &Graph, tables: &[&str], question: &str) -> Vec<String> {
    let tree = graph
        .join_tree_for(tables, &QuestionWords::new(question))
        .unwrap();
    let further = tree.further.iter();
    further
        .map(|further| format!("{:?} {}", further.purpose, further.join))
        .collect()
}

#[test]
fn a_question_that_names_two_roles_joins_the_table_twice() {
    let graph = graph(
        &[
            "problem.reported_by_staff_id=staff.staff_id",
            "problem.closure_authorised_by_staff_id=staff.staff_id",
            "order_to_be_shipped.shipped_by_staff_id=staff.staff_id",
            "order_to_be_shipped.approved_by_staff_id=staff.staff_id",
        ],
        0.7,
    );
    let both = "problems reported by Ann with closure authorised by Bob";
    assert_eq!(
        further(&graph, &["problem", "staff"], both),
        ["Role problem.closure_authorised_by_staff_id = staff.staff_id"]
    );
    let one = "problems reported by Ann";
    assert!(further(&graph, &["problem", "staff"], one).is_empty());
    // A word of the table itself is a role only where the people are named for each.
    let tables = ["order_to_be_shipped", "staff"];
    let of_orders = "orders to be shipped that Ann approved";
    assert!(further(&graph, &tables, of_orders).is_empty());
    let of_staff = "the staff who approved and the staff who shipped the orders";
    assert_eq!(further(&graph, &tables, of_staff).len(), 1);
}

#[test]
fn what_a_question_describes_is_joined_by_its_own_role() {
    let edges = [
        "person_friend.name=person.name",
        "person_friend.friend=person.name",
    ];
    let mut document = document(&edges);
    document.tables["person"].unique_columns = vec!["name".to_owned()];
    let graph = Graph::new(&document, 0.7).unwrap();
    let joined = |question: &str| {
        let words = QuestionWords::new(question);
        let tree = graph.join_tree_for(&["person", "person_friend"], &words);
        tree.unwrap().steps[0].join.conditions[0]
            .from_column
            .clone()
    };
    assert_eq!(joined("How many friends does Dan have?"), "name");
    assert_eq!(joined("Who is a friend of Dan?"), "name");
    assert_eq!(joined("Find the female friends of Alice."), "friend");
    assert_eq!(joined("Who has a friend that is from Oslo?"), "friend");
}

#[test]
fn tables_that_record_pairs_of_the_same_things_are_joined_over_both() {
    let graph = graph(
        &[
            "performance.song_id=song.id",
            "performance.musician_id=musician.id",
            "instrument.song_id=song.id",
            "instrument.musician_id=musician.id",
        ],
        0.7,
    );
    let all = ["song", "musician", "performance", "instrument"];
    let circle = further(&graph, &all, "");
    assert_eq!(circle.len(), 1, "{circle:?}");
    assert!(circle[0].starts_with("Circle"), "{circle:?}");
    assert!(further(&graph, &all[..3], "").is_empty());
}

#[test]
fn the_column_that_names_the_other_tables_key_wins_a_tie() {
    let graph = graph(
        &[
            "detail.subject_id=subject_offered.subject_id",
            "detail.term_code=subject_offered.term_code",
            "detail.subject_offered_key=subject_offered.subject_offered_key",
        ],
        0.7,
    );
    let tree = graph.join_tree(&["subject_offered", "detail"]).unwrap();
    assert_eq!(
        tree.steps[0].join.to_string(),
        "subject_offered.subject_offered_key = detail.subject_offered_key"
    );
}

#[test]
fn a_tree_grows_from_the_table_that_refers_to_the_others() {
    let graph = graph(
        &[
            "floor.building_key=building.building_key",
            "address.building_key=floor.building_key",
            "address.building_key=building.building_key",
            "room.floor_key=floor.floor_key",
            "room.building_key=building.building_key",
            "room.building_key=floor.building_key",
        ],
        0.7,
    );
    let tree = graph.join_tree(&["floor", "building", "room"]).unwrap();
    let joins: Vec<String> = tree
        .steps
        .iter()
        .map(|step| step.join.conditions[0].to_string())
        .collect();
    assert!(
        joins.contains(&"room.floor_key = floor.floor_key".to_owned()),
        "{joins:?}"
    );
    assert!(
        !joins.contains(&"room.building_key = floor.building_key".to_owned()),
        "{joins:?}"
    );
}

#[test]
fn the_words_of_a_question_decide_between_equals() {
    let graph = graph(
        &[
            "flight.source_airport=airport.code",
            "flight.dest_airport=airport.code",
            "undergoes.doctor=doctor.id",
            "undergoes.course=course.code",
            "trained_in.doctor=doctor.id",
            "trained_in.course=course.code",
        ],
        0.7,
    );
    let joined = |tables: [&str; 2], question: &str| {
        let tree = graph
            .join_tree_for(&tables, &QuestionWords::new(question))
            .unwrap();
        let joins = tree
            .steps
            .iter()
            .map(|step| step.join.conditions[0].to_string());
        joins.collect::<Vec<_>>().join(", ")
    };
    let flights = ["flight", "airport"];
    assert!(joined(flights, "How many flights arrive in Aberdeen?").contains("dest_airport"));
    assert!(joined(flights, "How many flights depart from Aberdeen?").contains("source_airport"));
    let doctors = ["doctor", "course"];
    assert!(joined(doctors, "Which courses is Dr Wen trained in?").contains("trained_in"));
    assert!(joined(doctors, "Which courses did Dr Wen undergo?").contains("undergoes"));
}

#[test]
fn between_equals_the_table_that_refers_to_both_is_joined_to_both() {
    let graph = graph(
        &[
            "stay.patient=patient.patient",
            "undergoes.patient=patient.patient",
            "undergoes.stay=stay.stay",
        ],
        0.7,
    );
    let tree = graph.join_tree(&["patient", "stay", "undergoes"]).unwrap();
    assert!(
        tree.steps
            .iter()
            .all(|step| step.join.choices[0].from_table == "undergoes")
    );
}

#[test]
fn a_table_may_refer_to_itself() {
    let graph = graph(
        &[
            "employee.boss_id=employee.id",
            "note.employee_id=employee.id",
        ],
        0.7,
    );
    assert_eq!(
        graph.choices("employee", "employee").unwrap()[0].to_string(),
        "employee.boss_id = employee.id"
    );
    assert_eq!(
        graph.join_tree(&["employee", "note"]).unwrap().steps.len(),
        1
    );
}

#[test]
fn audit_columns_form_no_path() {
    let graph = graph(
        &[
            "a.createdBy=user.id",
            "b.updated_by=user.id",
            "c.user_id=user.id",
        ],
        0.0,
    );
    assert!(path(&graph, "a", "b", 9).is_none());
    assert!(path(&graph, "c", "user", 9).is_some());
}

#[test]
fn a_tree_names_its_bridges_and_its_groups() {
    let graph = graph(
        &[
            "link.a_id=a.id",
            "link.b_id=b.id",
            "a.city=city.id",
            "b.city=city.id",
            "x.y_id=y.id",
        ],
        0.7,
    );
    let tree = graph.join_tree(&["a", "b"]).unwrap();
    assert_eq!(
        tree.bridges,
        ["link"],
        "a table that refers to both is preferred to a value that both share"
    );
    assert!(tree.is_connected());
    assert!(tree.steps[0].bridge && !tree.steps[1].bridge);
    let tree = graph.join_tree(&["x", "a", "y", "A"]).unwrap();
    assert_eq!(tree.groups, [vec!["x", "y"], vec!["a"]]);
    assert_eq!(tree.steps.len(), 1);
    assert!(graph.join_tree(&[]).unwrap().steps.is_empty());
}

#[test]
fn a_tree_over_many_tables_joins_each() {
    let edges: Vec<String> = (1..40).map(|n| format!("t{n}.up=t{}.id", n / 2)).collect();
    let graph = graph(&edges.iter().map(String::as_str).collect::<Vec<_>>(), 0.7);
    let names: Vec<String> = (20..40).map(|n| format!("t{n}")).collect();
    let tree = graph
        .join_tree(&names.iter().map(String::as_str).collect::<Vec<_>>())
        .unwrap();
    assert!(tree.is_connected());
    assert_eq!(tree.steps.len(), tree.bridges.len() + names.len() - 1);
}

fn edges() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec((0_u8..9, 0_u8..9, 0_u8..=10), 1..25)
}

fn generated(edges: &[(u8, u8, u8)]) -> Graph {
    let mut texts: Vec<String> = edges
        .iter()
        .map(|(from, to, tenths)| format!("t{from}.c{to}=t{to}.id@{}", f64::from(*tenths) / 10.0))
        .collect();
    texts.extend((0..9).map(|table| format!("t{table}.self=t{table}.id")));
    graph(&texts.iter().map(String::as_str).collect::<Vec<_>>(), 0.0)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tenths of a share"
)]
fn tenths(confidence: f64) -> u64 {
    20 - (confidence * 10.0).round() as u64
}

/// The minimum cost over at most `hops` joins, by trying all paths.
fn least(graph: &Graph, from: &str, to: &str, hops: usize) -> Option<u64> {
    let cost = |one: &str, other: &str| {
        let choices = graph.choices(one, other).unwrap();
        choices.iter().map(|edge| tenths(edge.confidence)).min()
    };
    let tables: Vec<&str> = graph.tables().collect();
    let mut best: Vec<Option<u64>> = tables
        .iter()
        .map(|table| (*table == from).then_some(0))
        .collect();
    for _ in 0..hops {
        let before = best.clone();
        for (at, there) in tables.iter().enumerate() {
            for (came, here) in tables.iter().enumerate().filter(|(came, _)| *came != at) {
                if let (Some(so_far), Some(step)) = (before[came], cost(here, there)) {
                    best[at] =
                        Some(best[at].map_or(so_far + step, |known| known.min(so_far + step)));
                }
            }
        }
    }
    best[tables.iter().position(|table| *table == to).unwrap()]
}

proptest! {
    #[test]
    fn paths_are_the_cheapest_within_the_limit(edges in edges(), from in 0..9, to in 0..9, hops in 1_usize..6) {
        let graph = generated(&edges);
        let (from, to) = (format!("t{from}"), format!("t{to}"));
        let found = graph.path(&from, &to, hops).unwrap();
        let cost = found.as_ref().map(|path| {
            path.joins.iter().map(|join| tenths(join.choices[0].confidence)).sum::<u64>()
        });
        prop_assert_eq!(cost, least(&graph, &from, &to, hops));
        prop_assert_eq!(&graph.path(&from, &to, hops).unwrap(), &found);
        prop_assert_eq!(&graph.path_uncached(&from, &to, hops).unwrap(), &found);
        let back = graph.path(&to, &from, hops).unwrap();
        prop_assert_eq!(back.map(|path| path.joins.len()), found.map(|path| path.joins.len()));
    }

    #[test]
    fn trees_connect_and_do_not_depend_on_order(edges in edges(), mut tables in prop::collection::vec(0..9, 1..6)) {
        let graph = generated(&edges);
        let name = |tables: &[i32]| tables.iter().map(|table| format!("t{table}")).collect::<Vec<_>>();
        let tree = |tables: &[i32]| {
            let names = name(tables);
            let tree = graph.join_tree(&names.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
            let mut used: Vec<String> = tree.steps.iter().map(|step| step.join.choices[0].to_string()).collect();
            used.sort();
            (used, tree.groups.len(), tree.bridges.len())
        };
        let (used, groups, bridges) = tree(&tables);
        let distinct = tables.iter().collect::<std::collections::BTreeSet<_>>().len();
        prop_assert_eq!(used.len() + groups, distinct + bridges);
        tables.reverse();
        prop_assert_eq!(tree(&tables), (used, groups, bridges));
    }
}
