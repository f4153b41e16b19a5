use super::*;

const TABLES: [(&str, f64); 5] = [
    ("employee", 0.0),
    ("workOrder", 0.0),
    ("customer", 0.0),
    ("inspection", 0.0),
    ("workTime", 0.0),
];

fn guessed(text: &str, previous: Option<Route>) -> Guess {
    let known = Known {
        tables: &TABLES,
        previous,
        ..Known::default()
    };
    guess(text, known)
}

#[test]
fn messages_take_the_route_of_their_kind() {
    use Route::{General, Rag, Sql};
    for (text, route, is_sure) in [
        ("How many employees are active?", Sql, true),
        ("List all customers in Bonn", Sql, true),
        ("Show me the work orders of last month", Sql, true),
        ("Which customers have no work orders?", Sql, true),
        (
            "Who inspected the most sites this year? Show inspections",
            Sql,
            true,
        ),
        ("How many technicians are active?", Sql, false),
        ("Total revenue per month", Sql, false),
        ("customers in Bonn", Sql, false),
        ("How do I create a work order?", Rag, true),
        ("What are the rules for overtime?", Rag, true),
        ("What are overtime rules?", Rag, true),
        ("Am I allowed to delete a customer?", Rag, true),
        ("Where can I find the settings?", Rag, true),
        ("Explain the procedure to close an inspection", Rag, true),
        ("How many days does the policy allow?", Sql, false),
        ("What is machine learning?", General, false),
        ("Explain quantum computing", General, false),
        ("Hello", General, true),
        ("What can you do?", General, true),
    ] {
        let guess = guessed(text, None);
        assert_eq!(
            (guess.route, guess.confidence >= MIN_CONFIDENCE),
            (route, is_sure),
            "{text}"
        );
    }
}

#[test]
fn a_follow_up_goes_where_the_message_before_went() {
    for text in [
        "and last month?",
        "only for Berlin",
        "how many of those?",
        "What about customers?",
        "sort them by name",
        "just the active ones",
    ] {
        let guess = guessed(text, Some(Route::Sql));
        assert_eq!((guess.route, guess.follow_up), (Route::Sql, true), "{text}");
        assert!(guess.confidence >= MIN_CONFIDENCE);
    }
    assert_eq!(
        guessed("and for part-time staff?", Some(Route::Rag)).route,
        Route::Rag
    );
    assert!(!guessed("How do I create a work order?", Some(Route::Sql)).follow_up);
    assert!(!guessed("How many customers are there?", Some(Route::Sql)).follow_up);
    assert!(!guessed("and last month?", None).follow_up);
}

#[test]
fn a_confirmed_question_is_one_about_data_whatever_its_words() {
    let known = Known {
        confirmed: true,
        ..Known::default()
    };
    assert_eq!(guess("How do I look today?", known).route, Route::Sql);
}

#[test]
fn the_catalogue_may_know_a_word_that_no_table_has_in_its_name() {
    let tables = [("employee", 0.8)];
    let known = Known {
        tables: &tables,
        ..Known::default()
    };
    let guess = guess("How many technicians are active?", known);
    assert_eq!((guess.route, guess.confidence), (Route::Sql, 1.0));
}
