//! Joins without a declared key: by names, by what the data hold, and as proposed.

use targets::join_graph::{Relationship, RelationshipType};
use targets::{Target, TargetConfig};

use crate::fixture::{Fixture, both};

/// A library without a key: `writes.aid` refers to `author.aid`, `loan.book_id` to nothing that is
/// there.
const LIBRARY: &str = "
CREATE TABLE author (aid INT NOT NULL, name VARCHAR(40));
CREATE TABLE book (pid INT NOT NULL, title VARCHAR(40), writer INT);
CREATE TABLE writes (aid INT NOT NULL, pid INT NOT NULL);
CREATE TABLE loan (book_id INT, card_id INT, book_writer VARCHAR(9));
CREATE TABLE card (card_id INT, holder VARCHAR(40));
CREATE TABLE port (land INT NOT NULL, no INT NOT NULL, PRIMARY KEY (land, no));
CREATE TABLE ship (id INT PRIMARY KEY, land INT, no INT, FOREIGN KEY (land, no) REFERENCES port (land, no));
INSERT INTO author VALUES (1, 'Ada'), (2, 'Ben'), (3, 'Cid');
INSERT INTO book VALUES (10, 'Rain', 1), (11, 'Sun', 2), (12, 'Wind', 2);
INSERT INTO writes VALUES (1, 10), (2, 11), (2, 12), (1, 12);
INSERT INTO card VALUES (1, 'Eve'), (2, 'Flo');
INSERT INTO loan VALUES (70, 8, 'x'), (71, 9, 'y');
INSERT INTO port VALUES (1, 1), (1, 2), (2, 1);
INSERT INTO ship VALUES (1, 1, 1), (2, 1, 2);
";

fn config(fixture: &Fixture) -> TargetConfig {
    TargetConfig {
        allow_writing_role: true,
        ..TargetConfig::new("library", fixture.admin.url())
    }
}

fn guess<'c>(relationships: &'c [Relationship], written: &str) -> &'c Relationship {
    relationships
        .iter()
        .find(|edge| edge.to_string() == written)
        .unwrap_or_else(|| panic!("{written} is not among {relationships:?}"))
}

#[tokio::test]
async fn the_same_name_is_a_guess_that_the_data_confirm_or_refute() {
    for fixture in both().await {
        fixture.admin.run(LIBRARY).await;
        let catalogue = Target::new(config(&fixture))
            .unwrap()
            .catalogue()
            .await
            .unwrap();
        let all = &catalogue.document.relationships;
        let confirmed = guess(all, "writes.aid = author.aid");
        assert_eq!(confirmed.kind, RelationshipType::Heuristic);
        assert!(
            confirmed.confidence > 0.8,
            "{}: {confirmed:?}",
            fixture.dialect
        );
        assert!(
            confirmed.evidence.iter().any(|why| why.contains("100 %")),
            "{confirmed:?}"
        );
        let path = catalogue.graph.path("writes", "author", 1).unwrap();
        assert!(path.is_some(), "{}", fixture.dialect);
        let refuted = guess(all, "loan.card_id = card.card_id");
        assert!(refuted.confidence < 0.5, "{}: {refuted:?}", fixture.dialect);
        let path = catalogue.graph.path("loan", "card", 1).unwrap();
        assert!(path.is_none(), "{}", fixture.dialect);
    }
}

#[tokio::test]
async fn rows_that_only_some_tenants_see_shape_no_guess() {
    for fixture in both().await {
        fixture.admin.run(LIBRARY).await;
        let folder = tempfile::tempdir().unwrap();
        let policy = folder.path().join("policy.toml");
        let rules = "shared_tables = [\"author\", \"card\"]\n[row_filters]\nwrites = \"pid\"\nloan = \"book_id\"\n";
        std::fs::write(&policy, rules).unwrap();
        let config = TargetConfig {
            policy_file: Some(policy),
            ..config(&fixture)
        };
        let catalogue = Target::new(config).unwrap().catalogue().await.unwrap();
        for written in ["writes.aid = author.aid", "loan.card_id = card.card_id"] {
            let untouched = guess(&catalogue.document.relationships, written);
            assert_eq!(untouched.evidence, ["the same name"], "{}", fixture.dialect);
        }
    }
}

#[tokio::test]
async fn proposed_joins_are_kept_where_columns_kinds_and_data_fit() {
    for fixture in both().await {
        fixture.admin.run(LIBRARY).await;
        let target = Target::new(config(&fixture)).unwrap();
        let kept = target
            .proposed(&[
                ["book", "writer", "AUTHOR", "aid"],
                ["book", "title", "author", "aid"],
                ["book", "ghost", "author", "aid"],
                ["loan", "book_id", "book", "pid"],
                ["book", "pid", "book", "pid"],
            ])
            .await
            .unwrap();
        let written: Vec<String> = kept.iter().map(ToString::to_string).collect();
        assert_eq!(written, ["book.writer = author.aid"], "{}", fixture.dialect);
        assert!(kept[0].confidence >= 0.7);
        assert_eq!(kept[0].kind, RelationshipType::Other("proposed".to_owned()));
    }
}

#[tokio::test]
async fn a_declared_composite_key_is_one_condition() {
    for fixture in both().await {
        fixture.admin.run(LIBRARY).await;
        let catalogue = Target::new(config(&fixture))
            .unwrap()
            .catalogue()
            .await
            .unwrap();
        let tree = catalogue.graph.join_tree(&["ship", "port"]).unwrap();
        assert_eq!(
            tree.steps[0].join.to_string(),
            "ship.land = port.land AND ship.no = port.no",
            "{}",
            fixture.dialect
        );
        assert_eq!(tree.steps[0].join.alternatives().count(), 0);
    }
}
