//! Which of several tables joins two things.

use crate::graph::graph;

fn joins(edges: &[&str], tables: &[&str]) -> Vec<String> {
    let graph = graph(edges, 0.7);
    let tree = graph.join_tree(tables).unwrap();
    tree.steps
        .iter()
        .map(|step| step.join.to_string())
        .collect()
}

const TREATMENTS: [&str; 7] = [
    "operation.doctor=doctor.doctor_id",
    "operation.procedure=procedure.code",
    "operation.patient=patient.patient_id",
    "operation.room=room.room_id",
    "licence.holder=doctor.doctor_id",
    "licence.permits=procedure.code",
    "patient.room=room.room_id",
];

#[test]
fn the_only_table_that_records_the_pair_alone_joins_it() {
    let tree = joins(&TREATMENTS, &["doctor", "procedure"]);
    assert_eq!(
        tree,
        [
            "doctor.doctor_id = licence.holder",
            "licence.permits = procedure.code"
        ]
    );
    // A third thing is in the table that records all three.
    let tree = joins(&TREATMENTS, &["doctor", "procedure", "patient"]);
    assert!(
        tree.iter().all(|join| join.contains("operation")),
        "{tree:?}"
    );
}

#[test]
fn of_two_tables_that_record_the_pair_alone_none_is_preferred_to_others() {
    let edges = [
        "result.driver_id=driver.driver_id",
        "result.race_id=race.race_id",
        "result.team_id=team.team_id",
        "lap.driver_id=driver.driver_id",
        "lap.race_id=race.race_id",
        "stop.driver_id=driver.driver_id",
        "stop.race_id=race.race_id",
    ];
    let tree = joins(&edges, &["driver", "race"]);
    assert!(tree.iter().all(|join| join.contains("result")), "{tree:?}");
}

#[test]
fn what_belongs_to_another_record_of_the_pair_does_not_join_it() {
    let edges = [
        "payment.customer_id=customer.customer_id",
        "payment.clerk_id=clerk.clerk_id",
        "payment.rental_id=rental.rental_id",
        "rental.customer_id=customer.customer_id",
        "rental.clerk_id=clerk.clerk_id",
        "rental.film_id=film.film_id",
    ];
    let tree = joins(&edges, &["customer", "clerk"]);
    assert!(tree.iter().all(|join| join.contains("rental")), "{tree:?}");
    let tree = joins(&edges, &["customer", "clerk", "payment"]);
    assert!(tree.iter().all(|join| join.contains("payment")), "{tree:?}");
}
