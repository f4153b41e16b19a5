//! The join graph file equals the result of the pipeline over the database and the other files.

use field_service::{ASSOCIATIONS, JOIN_GRAPH, MANUAL, reader_url};
use join_graph::{Document, Graph, Hygiene, clean, merge};
use secrecy::SecretString;

use crate::support::{demonstration, secrets};

/// Set this variable to rewrite the file.
const UPDATE: &str = "UPDATE_JOIN_GRAPH";

async fn made() -> Document {
    let database = demonstration().await;
    let url = SecretString::from(reader_url(&database.url(), &secrets()));
    let mut found = targets::introspect(url).await.unwrap().document();
    found.tables.shift_remove("demoLoad");
    let associations = Document::from_json(ASSOCIATIONS).unwrap();
    let manual = Document::from_json(MANUAL).unwrap();
    let merged = merge(&found, &associations, &manual).unwrap();
    clean(&merged, &Hygiene::default()).document
}

#[tokio::test]
async fn the_file_is_up_to_date() {
    let made = made().await.to_json().unwrap() + "\n";
    if std::env::var_os(UPDATE).is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/join_graph.json");
        std::fs::write(path, &made).unwrap();
        return;
    }
    assert!(
        made == JOIN_GRAPH,
        "data/join_graph.json is out of date; run the tests with {UPDATE}=1"
    );
}

#[test]
fn example_tables_join_as_people_expect() {
    let document = Document::from_json(JOIN_GRAPH).unwrap();
    assert_eq!(document.tables.len(), field_service::TABLES.len());
    let graph = Graph::new(&document, 0.7).unwrap();
    let path = |from, to| -> Vec<String> {
        let path = graph.path(from, to, 4).unwrap().unwrap();
        path.joins.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        path("workTime", "employee"),
        ["workTime.employeeId = employee.id"]
    );
    // Without foreign keys: the names, the associations and the manual file.
    assert_eq!(path("note", "employee"), ["note.employeeId = employee.id"]);
    assert_eq!(
        path("customer", "employee"),
        ["customer.accountManagerId = employee.id"]
    );
    assert_eq!(
        path("customerFeedback", "workOrder"),
        ["customerFeedback.workOrderId = workOrder.id"]
    );
    let audit = |column: &str| column.starts_with("created") || column.starts_with("updated");
    assert!(
        document
            .relationships
            .iter()
            .all(|edge| !audit(&edge.from_column) && !audit(&edge.to_column))
    );
}
