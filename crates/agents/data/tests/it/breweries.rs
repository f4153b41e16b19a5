//! Questions without a model to a database of pubs, breweries and deliveries: its seasons have a
//! key of two columns, and its deliveries two keys to drivers.

use serde_json::{Value, json};

use crate::{
    chat::{Chat, Turn},
    double::{Double, database::Database},
};

const TABLES: [&str; 12] = [
    "CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT)",
    "CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT, country_code TEXT REFERENCES country (code))",
    "CREATE TABLE pub (id INTEGER PRIMARY KEY, name TEXT, town_id INTEGER REFERENCES town (id), opened_on DATE, active INTEGER)",
    "CREATE TABLE brewery (id INTEGER PRIMARY KEY, name TEXT, town_id INTEGER REFERENCES town (id))",
    "CREATE TABLE style (id INTEGER PRIMARY KEY, name TEXT)",
    "CREATE TABLE beer (id INTEGER PRIMARY KEY, name TEXT, brewery_id INTEGER REFERENCES brewery (id),
     style_id INTEGER REFERENCES style (id), price NUMERIC, alcohol_percent REAL)",
    "CREATE TABLE season (beer_id INTEGER REFERENCES beer (id), year INTEGER, batch_size INTEGER, rating REAL,
     PRIMARY KEY (beer_id, year))",
    "CREATE TABLE tasting (id INTEGER PRIMARY KEY, beer_id INTEGER, year INTEGER, score INTEGER, tasted_on DATE,
     FOREIGN KEY (beer_id, year) REFERENCES season (beer_id, year))",
    "CREATE TABLE driver (id INTEGER PRIMARY KEY, name TEXT, hired_on DATE)",
    "CREATE TABLE delivery (id INTEGER PRIMARY KEY, pub_id INTEGER REFERENCES pub (id), driver_id INTEGER REFERENCES driver (id),
     backup_driver_id INTEGER REFERENCES driver (id), delivered_on DATE, due_on DATE, status TEXT, discount_percent REAL)",
    "CREATE TABLE delivery_line (delivery_id INTEGER REFERENCES delivery (id), line_no INTEGER, beer_id INTEGER REFERENCES beer (id),
     kegs INTEGER, unit_price NUMERIC, PRIMARY KEY (delivery_id, line_no))",
    "CREATE TABLE complaint (id INTEGER PRIMARY KEY, delivery_id INTEGER, line_no INTEGER, reason TEXT, refund REAL,
     FOREIGN KEY (delivery_id, line_no) REFERENCES delivery_line (delivery_id, line_no))",
];

const ROWS: [(&str, &str); 12] = [
    ("country", "('DE', 'Germany'), ('ES', 'Spain')"),
    (
        "town",
        "(1, 'Bonn', 'DE'), (2, 'Kiel', 'DE'), (3, 'Madrid', 'ES')",
    ),
    (
        "pub",
        "(1, 'Lion', 1, '2016-05-01', 1), (2, 'Anchor', 1, '2017-05-01', 0), (3, 'Swan', 2, '2018-05-01', 1),
         (4, 'Barrel', 2, '2019-05-01', 1), (5, 'Crown', 3, '2020-05-01', 1), (6, 'Oak', 3, '2021-05-01', 0),
         (7, 'Star', 2, '2022-05-01', 1)",
    ),
    (
        "brewery",
        "(1, 'Brewery A', 1), (2, 'Brewery H', 3), (3, 'Brewery K', 2)",
    ),
    ("style", "(1, 'Stout'), (2, 'Sour')"),
    (
        "beer",
        "(1, 'Amber', 2, 1, 8.98, 3.9), (2, 'Night', 2, 2, 8.24, 5.3), (3, 'Hop', 2, 2, 7.87, 10.8),
         (4, 'Malt', 1, 1, 2.1, 10.8), (5, 'Dawn', 1, 2, 3.5, 6.0)",
    ),
    (
        "season",
        "(1, 2023, 100, 3.1), (1, 2024, 900, 4.2), (2, 2024, 300, 3.8), (2, 2025, 400, 2.0), (3, 2026, 500, 3.7)",
    ),
    (
        "tasting",
        "(1, 1, 2024, 70, '2024-03-01'), (2, 1, 2024, 71, '2024-03-02'), (3, 1, 2024, 72, '2024-03-03'),
         (4, 2, 2025, 80, '2025-03-01'), (5, 2, 2025, 81, '2025-03-02'), (6, 3, 2026, 90, '2026-03-01')",
    ),
    (
        "driver",
        "(1, 'Anna', '2020-01-01'), (2, 'Ben', '2021-01-01'), (3, 'Carla', '2022-01-01'), (4, 'Dirk', '2023-01-01')",
    ),
    (
        "delivery",
        "(1, 1, 1, NULL, '2026-02-10', '2026-02-09', 'delivered', 0), (2, 1, 1, 2, '2026-03-05', '2026-03-05', 'delivered', 5),
         (3, 1, 1, 2, '2026-04-20', '2026-04-21', 'delivered', 10), (4, 2, 2, 1, '2026-05-11', '2026-05-11', 'delivered', 0),
         (5, 3, 2, NULL, NULL, '2026-12-04', 'planned', 5), (6, 3, 1, NULL, NULL, '2026-06-01', 'cancelled', 12.5),
         (7, 4, 3, 4, '2026-07-02', '2026-07-01', 'delivered', 0), (8, 5, 3, 4, NULL, '2026-12-09', 'planned', 5)",
    ),
    (
        "delivery_line",
        "(1, 1, 1, 5, 60), (1, 2, 2, 7, 70), (2, 1, 1, 3, 60), (3, 1, 1, 2, 60), (4, 1, 3, 20, 80), (7, 1, 2, 9, 70)",
    ),
    (
        "complaint",
        "(1, 1, 2, 'late', 0.1), (2, 1, 2, 'late', 0.2), (3, 4, 1, 'flat', 3.5), (4, 4, 1, 'flat', 1), (5, 4, 1, 'flat', 1)",
    ),
];

async fn brew() -> Chat {
    let rows = ROWS
        .iter()
        .map(|(table, rows)| format!("INSERT INTO {table} VALUES {rows}"));
    let tables = TABLES.iter().map(|&table| table.to_owned());
    let statements: Vec<String> = tables.chain(rows).collect();
    Chat::new(Double::over(Database::of(&statements).await))
}

/// The answer to a question that rules answer.
async fn answered(question: &str) -> Turn {
    brew().await.say(question).await
}

/// The values of a column of the answer's rows.
fn column(turn: &Turn, name: &str) -> Vec<Value> {
    let rows = turn.data().and_then(Value::as_array);
    assert!(rows.is_some(), "{}", turn.text());
    let rows = rows.into_iter().flatten();
    rows.map(|row| row[name].clone()).collect()
}

fn sorted(turn: &Turn, name: &str) -> Vec<String> {
    let values = column(turn, name).into_iter();
    let mut values: Vec<String> = values
        .map(|value| value.as_str().unwrap_or_default().to_owned())
        .collect();
    values.sort();
    values
}

#[tokio::test]
async fn a_tie_is_one_of_the_figure_that_orders_the_list() {
    let turn = answered("Top 3 beers by price").await;
    assert_eq!(column(&turn, "name"), ["Amber", "Night", "Hop"]);
    assert!(!turn.text().contains("tie"), "{}", turn.text());
    let turn = answered("Top 2 beers by alcohol percent").await;
    assert!(!turn.text().contains("tie"), "{}", turn.text());
    let turn = answered("Top 3 delivery lines by unit price").await;
    assert!(
        !turn.text().contains("tie"),
        "80, 70 and 70 are all: {}",
        turn.text()
    );
    let turn = answered("Top 2 delivery lines by unit price").await;
    assert!(
        turn.text().contains("within a tie: 2 have 70"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn not_delivered_is_what_has_another_status() {
    let turn = answered("Deliveries that are not delivered").await;
    let days = column(&turn, "delivered_on");
    assert!(days.iter().all(Value::is_null), "{}", turn.text());
    for (question, count) in [
        ("How many deliveries were not delivered?", 3),
        ("How many deliveries are not cancelled?", 7),
        ("How many deliveries are neither planned nor cancelled?", 5),
        ("How many deliveries are not yet delivered?", 2),
        ("How many beers are not Stout?", 3),
        ("How many pubs are not active?", 2),
    ] {
        let turn = answered(question).await;
        assert_eq!(
            column(&turn, "count"),
            [count],
            "{question}: {}",
            turn.text()
        );
    }
    let turn = answered("How many deliveries were not delivered?").await;
    assert!(
        turn.text().contains("read as: status <> 'delivered'."),
        "{}",
        turn.text()
    );
    let turn = answered("Pubs in Kiel or Bonn").await;
    assert!(
        turn.text()
            .contains("read as: town name IN ('Kiel', 'Bonn')."),
        "{}",
        turn.text()
    );
    let turn = answered("Pubs not in Kiel").await;
    assert_eq!(sorted(&turn, "name"), ["Anchor", "Crown", "Lion", "Oak"]);
}

#[tokio::test]
async fn a_message_narrows_the_question_before_it() {
    let mut chat = brew().await;
    chat.say("How many pubs are there per town?").await;
    let turn = chat.say("only the active ones").await;
    assert_eq!(sorted(&turn, "town"), ["Bonn", "Kiel", "Madrid"]);
    assert_eq!(column(&turn, "count"), [3, 1, 1]);
    let turn = chat.say("list them").await;
    assert_eq!(
        sorted(&turn, "name"),
        ["Barrel", "Crown", "Lion", "Star", "Swan"]
    );
    let mut chat = brew().await;
    chat.say("How many pubs are there in Kiel?").await;
    let turn = chat.say("and in Bonn?").await;
    assert_eq!(column(&turn, "count"), [2], "{}", turn.text());
    let turn = chat.say("only the active ones").await;
    assert_eq!(column(&turn, "count"), [1], "{}", turn.text());
    let turn = chat.say("and Kiel?").await;
    assert_eq!(column(&turn, "count"), [3], "{}", turn.text());
    let mut chat = brew().await;
    chat.say("How many deliveries are there per pub?").await;
    let turn = chat.say("in 2026").await;
    assert_eq!(column(&turn, "count"), [3, 1, 1], "{}", turn.text());
}

#[tokio::test]
async fn the_rows_of_a_question_without_an_answer_are_not_those_before_it() {
    for failed in ["only the shiny ones", "Which pubs smell of the sea?"] {
        let mut chat = brew().await;
        chat.say("How many pubs are there per town?").await;
        let text = chat.say(failed).await.text();
        assert!(text.contains("language model"), "{text}");
        let turn = chat.say("list them").await;
        assert_eq!(turn.data(), None, "{failed}");
        let mut chat = brew().await;
        chat.say("How many pubs are there per town?").await;
        chat.say(failed).await;
        chat.say("How many beers are there?").await;
        let turn = chat.say("list them").await;
        assert_eq!(column(&turn, "name").len(), 5, "{}", turn.text());
    }
}

#[tokio::test]
async fn what_rows_belong_to_is_named_in_conditions() {
    for (question, name, expected) in [
        (
            "Active pubs in Bonn or Kiel",
            "name",
            &["Barrel", "Lion", "Star", "Swan"][..],
        ),
        (
            "Pubs in Kiel or Bonn",
            "name",
            &["Anchor", "Barrel", "Lion", "Star", "Swan"],
        ),
        ("Beers of Brewery H", "name", &["Amber", "Hop", "Night"]),
        ("Beers of style Stout", "name", &["Amber", "Malt"]),
        ("Pubs without deliveries", "name", &["Oak", "Star"]),
        ("Drivers without deliveries", "name", &["Dirk"]),
        ("Drivers with more than 2 deliveries", "name", &["Anna"]),
        ("Drivers hired after 2021", "name", &["Carla", "Dirk"]),
        (
            "Deliveries after March 2026",
            "due_on",
            &["2026-04-21", "2026-05-11", "2026-07-01"],
        ),
    ] {
        let turn = answered(question).await;
        assert_eq!(sorted(&turn, name), expected, "{question}: {}", turn.text());
    }
    for (question, count) in [
        ("How many pubs are there in Kiel?", 3),
        ("How many beers of Brewery H?", 3),
        ("How many beers are Stout or Sour?", 5),
        ("How many pubs are there in Prague?", 0),
    ] {
        let turn = answered(question).await;
        let is_known = count > 0;
        assert_eq!(
            turn.data().is_some(),
            is_known,
            "{question}: {}",
            turn.text()
        );
        if is_known {
            assert_eq!(column(&turn, "count"), [count], "{question}");
        }
    }
}

#[tokio::test]
async fn of_two_keys_to_a_table_the_plain_one_is_taken_and_named() {
    let turn = answered("How many deliveries are there per driver?").await;
    assert_eq!(column(&turn, "driver"), ["Anna", "Ben", "Carla"]);
    assert!(
        turn.text()
            .contains("The driver is that of driver_id; there is backup_driver_id, too."),
        "{}",
        turn.text()
    );
    let turn = answered("How many deliveries are there per backup driver?").await;
    assert!(sorted(&turn, "backup_driver").contains(&"Dirk".to_owned()));
    assert!(
        !turn.text().contains("that of driver_id"),
        "{}",
        turn.text()
    );
    let turn = answered("Which 2 drivers have the most deliveries?").await;
    assert!(
        turn.text().contains("The driver is that of driver_id;"),
        "{}",
        turn.text()
    );
    let turn = answered("Drivers without deliveries").await;
    assert!(turn.text().contains("by driver_id"), "{}", turn.text());
}

#[tokio::test]
async fn rows_without_a_name_are_told_by_their_key() {
    let turn = answered("Which 5 seasons have the most tastings?").await;
    assert_eq!(column(&turn, "beer"), ["Amber", "Night", "Hop"]);
    assert_eq!(column(&turn, "year"), [2024, 2025, 2026]);
    assert!(
        turn.text()
            .starts_with("Amber, year 2024 has the most tastings: 3."),
        "{}",
        turn.text()
    );
    let turn = answered("How many tastings are there per season?").await;
    assert_eq!(column(&turn, "count"), [3, 2, 1], "{}", turn.text());
    let turn = answered("Which 3 delivery lines have the most complaints?").await;
    assert_eq!(column(&turn, "line_no"), [1, 2], "{}", turn.text());
    assert_eq!(column(&turn, "count"), [3, 2]);
}

#[tokio::test]
async fn what_rows_belong_to_over_others_is_a_group() {
    let turn = answered("Top 3 pubs by total kegs").await;
    assert_eq!(column(&turn, "pub"), ["Anchor", "Lion", "Barrel"]);
    assert_eq!(column(&turn, "total"), [20, 17, 9], "{}", turn.text());
    let turn = answered("How many deliveries are there per town?").await;
    assert_eq!(column(&turn, "town"), ["Bonn", "Kiel", "Madrid"]);
    assert_eq!(column(&turn, "count"), [4, 3, 1]);
    let mut chat = brew().await;
    chat.say("How many beers are there per brewery?").await;
    let turn = chat.say("only those over 2").await;
    assert_eq!(column(&turn, "name"), ["Brewery H"], "{}", turn.text());
}

#[tokio::test]
async fn a_picture_is_of_what_was_asked() {
    for question in [
        "Average alcohol percent of beers per style",
        "Average discount percent of deliveries per status",
        "What is the total discount percent of deliveries per status?",
    ] {
        let turn = answered(question).await;
        let kind = turn.chart().map(|chart| chart["chartType"].clone());
        assert_eq!(kind, Some(json!("bar")), "{question}: {}", turn.text());
    }
    let turn = answered("Average rating of seasons per year").await;
    assert_eq!(column(&turn, "year"), [2023, 2024, 2025, 2026]);
    assert_eq!(
        column(&turn, "average"),
        [json!(3.1), json!(4.0), json!(2.0), json!(3.7)]
    );
    assert!(
        turn.text().contains("2024 (4) is highest, 2025 (2) lowest"),
        "{}",
        turn.text()
    );
    let turn = answered("Delivery lines with more than 1 complaint").await;
    assert_eq!(column(&turn, "line_no").len(), 2, "{}", turn.text());
    let drawn = turn
        .chart()
        .map_or(Value::Null, |chart| chart["series"].clone());
    assert!(!drawn.to_string().contains("line_no"), "{drawn}");
    let turn = answered("Total refund of complaints per reason").await;
    assert_eq!(column(&turn, "total"), [json!(5.5), json!(0.3)]);
}

#[tokio::test]
async fn of_several_keys_that_say_more_each_is_offered() {
    let statements = [
        "CREATE TABLE branch (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE rental (id INTEGER PRIMARY KEY, pickup_branch_id INTEGER REFERENCES branch (id),
         return_branch_id INTEGER REFERENCES branch (id))",
        "INSERT INTO branch VALUES (1, 'North'), (2, 'South')",
        "INSERT INTO rental VALUES (1, 1, 1), (2, 1, 2)",
    ];
    let database = Database::of(&statements.map(str::to_owned)).await;
    let mut chat = Chat::new(Double::over(database));
    let text = chat
        .say("How many rentals are there per branch?")
        .await
        .text();
    for way in ["pickup", "return"] {
        let way = format!("How many rentals are there per {way} branch?");
        assert!(text.contains(&way), "{text}");
        let turn = chat.say(&way).await;
        assert!(turn.data().is_some(), "{}", turn.text());
    }
}

#[tokio::test]
async fn a_question_in_another_language_is_told_what_is_understood() {
    for question in [
        "Wie viele Lieferungen gibt es pro Status?",
        "\u{bf}Cu\u{e1}ntos bares hay por ciudad?",
        "Wie viele Deliveries gibt es?",
    ] {
        let turn = answered(question).await;
        let text = turn.text();
        assert!(
            text.starts_with("I only understand English so far. You could ask: "),
            "{text}"
        );
        assert_eq!(turn.data(), None);
    }
}
