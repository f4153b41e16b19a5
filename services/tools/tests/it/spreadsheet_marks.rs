//! The decimal mark of numbers in files as targets.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::added_targets::{Replicas, SCOPES};
use crate::harness::App;

async fn send(app: &App, path: &str, text: &str) -> Value {
    let token = app.token("demo", &SCOPES);
    let bytes = text.as_bytes().to_vec();
    let (status, answer) = app.send_bytes(Method::POST, path, &token, bytes).await;
    assert!(status.is_success(), "{answer}");
    answer
}

/// The sums of the columns of a file, the notes of its preview, and those of the loaded target.
async fn read(app: &App, text: &str, types: &str) -> (Value, Vec<String>) {
    let query = format!("filename=sheet.csv&types={types}");
    let preview = send(app, &format!("/api/target-previews?{query}"), text).await;
    let loaded = send(app, &format!("/api/targets/sheet/file?{query}"), text).await;
    assert_eq!(
        loaded["file"].get("notes").unwrap_or(&json!([])),
        &preview["notes"],
        "{loaded}"
    );
    let columns = preview["tables"][0]["columns"].as_array().unwrap();
    let numbers = columns
        .iter()
        .filter(|column| ["number", "integer"].contains(&column["type"].as_str().unwrap()))
        .map(|column| column["name"].as_str().unwrap());
    let sums: Vec<String> = numbers
        .map(|name| format!("SUM({name}) AS {name}"))
        .collect();
    let sql = format!("SELECT {} FROM sheet", sums.join(", "));
    let arguments = json!({ "target": "sheet", "sql": sql });
    let (status, answer) = app.call_as("demo", "run_sql", arguments).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let notes = preview["notes"].as_array().unwrap().iter();
    let notes = notes.map(|note| note.as_str().unwrap().to_owned());
    (answer["result"]["rows"][0].clone(), notes.collect())
}

const COMMAS: &str = "sheet.menge: “1.000” is read as 1000, because other columns of the sheet have decimal commas. The type number/point reads it as 1.";

#[tokio::test]
async fn one_column_says_how_the_numbers_of_the_others_are_written() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    for (text, sums) in [
        // German.
        (
            "Ware;Menge;Preis\nA;1.000;2,50\nB;2.500;10,00\n",
            json!({ "menge": 3500.0, "preis": 12.5 }),
        ),
        (
            "Ware;Menge;Preis\nA;1.000;1.234,50\nB;2.500;7,25 €\n",
            json!({ "menge": 3500.0, "preis": 1241.75 }),
        ),
        // English.
        (
            "item;amount;price\nA;1,000;2.50\nB;2,500;10.00\n",
            json!({ "amount": 3500.0, "price": 12.5 }),
        ),
        (
            "item;weight;price\nA;1.125;2.5\nB;2.500;10.0\n",
            json!({ "weight": 3.625, "price": 12.5 }),
        ),
        // Swiss.
        (
            "Ware;Menge;Preis\nA;1'000;1'000.50\nB;2'500;10.25\n",
            json!({ "menge": 3500.0, "preis": 1010.75 }),
        ),
        // Indian.
        (
            "item;people;price\nA;1,000;1,00,000\nB;2,500;12,34,567.50\n",
            json!({ "people": 3500.0, "price": 1_334_567.5 }),
        ),
        // A zero before the mark has no thousands behind it.
        (
            "Ware;Menge;Anteil\nA;1.000;0,125\nB;2.500;0,250\n",
            json!({ "menge": 3500.0, "anteil": 0.375 }),
        ),
    ] {
        let (found, notes) = read(app, text, "").await;
        assert_eq!(found, sums, "{text}: {notes:?}");
    }
    let german = "Ware;Menge;Preis\nA;1.000;2,50\nB;2.500;10,00\n";
    let (_, notes) = read(app, german, "").await;
    assert_eq!(notes, [COMMAS]);
    // A person decides otherwise, for the column alone.
    let (found, notes) = read(app, german, "sheet.menge:number/point").await;
    assert_eq!(found, json!({ "menge": 3.5, "preis": 12.5 }));
    assert_eq!(notes, Vec::<String>::new());
    // A type without a form is read as the sheet is.
    let (found, _) = read(app, german, "sheet.menge:number").await;
    assert_eq!(found, json!({ "menge": 3500.0, "preis": 12.5 }));
}

#[tokio::test]
async fn the_reading_of_a_sheet_that_does_not_say_it_is_in_the_notes() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    let open = "sheet.menge: “1.000” can be 1 or 1000, and is read as 1. The type number/comma reads it as 1000.";
    for (text, sums) in [
        ("Ware;Menge\nA;1.000\nB;2.500\n", json!({ "menge": 3.5 })),
        // Columns of both kinds.
        (
            "Ware;Menge;Preis;Faktor\nA;1.000;2,50;1.5\nB;2.500;10,00;0.5\n",
            json!({ "menge": 3.5, "preis": 12.5, "faktor": 2.0 }),
        ),
    ] {
        let (found, notes) = read(app, text, "").await;
        assert_eq!(found, sums, "{text}: {notes:?}");
        assert_eq!(notes, [open], "{text}");
    }
    let (found, notes) = read(
        app,
        "Ware;Menge\nA;1.000\nB;2.500\n",
        "sheet.menge:number/comma",
    )
    .await;
    assert_eq!((found, notes.len()), (json!({ "menge": 3500.0 }), 0));
    // Nothing is doubtful.
    for text in [
        "item;n;price\nA;1;2.50\nB;1000;10.25\n",
        "Ware;n;Preis\nA;1.234.567;2,50\nB;1000;10,25\n",
    ] {
        let (_, notes) = read(app, text, "").await;
        assert_eq!(notes, Vec::<String>::new(), "{text}");
    }
}

#[tokio::test]
async fn one_column_says_which_part_of_a_day_is_first() {
    let replicas = Replicas::with(|_| {}).await;
    let app = &replicas.one;
    for (text, note) in [
        (
            "n;ordered;sent\n1;03/04/2026;03/31/2026\n2;05/06/2026;06/07/2026\n",
            "sheet.ordered: “03/04/2026” is read as 2026-03-04, because other columns of the sheet have the month before the day. The type date/dmy reads it as 2026-04-03.",
        ),
        (
            "n;ordered\n1;03/04/2026\n2;05/06/2026\n",
            "sheet.ordered: “03/04/2026” can be 2026-04-03 or 2026-03-04, and is read as 2026-04-03. The type date/mdy reads it as 2026-03-04.",
        ),
    ] {
        let (_, notes) = read(app, text, "").await;
        assert_eq!(notes, [note]);
    }
}
