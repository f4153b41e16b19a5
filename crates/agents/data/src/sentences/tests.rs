//! Every sentence for a person is written for a person.

use contracts::tools::sql::TableSummary;

use super::{catalogue::first_of, *};
use crate::{
    language::statement::Change,
    run::Findings,
    settings::DataSettings,
    state::{Attempt, Ending, Repair, Trouble, Work},
};

/// Words that a text for the writer of a query has, and one for a person never.
const FOR_A_MODEL: [&str; 14] = [
    "write a",
    "narrower query",
    "indexed column",
    "fewer tables",
    "secure_",
    "did you mean",
    "available columns",
    "does not exist in",
    "select ",
    "where ",
    "nullif",
    "guard the",
    "use the",
    "simplify",
];

/// Work with every text for the model in it that there may be.
fn work() -> Work {
    let message = "Column 'x' does NOT exist in table 'secure_employee'. Did you mean 'y'? Write a narrower query: fewer tables, no \
                   functions around indexed columns. SELECT * FROM secure_employee WHERE 1. Guard the expression (NULLIF).";
    let told = "There is no column \u{201c}x\u{201d} that you may see.";
    let mut work = Work::default();
    work.asked.question = "Which employees are active?".to_owned();
    work.plan.tables = vec!["employee".to_owned(), "workTime".to_owned()];
    work.repair = Repair {
        attempts: vec![Attempt {
            sql: "SELECT x FROM secure_employee".to_owned(),
            error: message.to_owned(),
            told: told.to_owned(),
        }],
        trouble: Some(Trouble {
            message: message.to_owned(),
            told: told.to_owned(),
            tables: Vec::new(),
        }),
        corrections: 3,
        ..Repair::default()
    };
    work
}

/// The results of lookups for it.
fn found() -> Findings {
    let table = |name: &str| TableSummary {
        name: name.to_owned(),
        description: None,
        columns: 3,
        column_names: Vec::new(),
        relationships: 0,
        secure: true,
        score: Some(0.5),
    };
    Findings {
        candidates: vec![table("employee"), table("workTime")],
        ..Findings::default()
    }
}

#[test]
fn no_ending_shows_a_person_what_is_written_for_a_model() {
    let told = "The database would have to read about 9 million rows for this; at most 5 million are allowed at once.";
    let endings = [
        Ending::Disabled,
        Ending::NoTarget("There is none.".to_owned()),
        Ending::Unavailable("The database 'field' cannot be reached.".to_owned()),
        Ending::NeedsModel,
        Ending::NoQuery,
        Ending::NothingFits,
        Ending::GaveUp,
        Ending::TooMuch(told.to_owned()),
        Ending::NotAccepted("There is no table \u{201c}x\u{201d} that you may see.".to_owned()),
        Ending::Several,
        Ending::WouldChange(Change::Delete),
        Ending::WouldChange(Change::Update),
        Ending::WouldChange(Change::Insert),
        Ending::WouldChange(Change::Structure),
        Ending::WouldChange(Change::Settings),
        Ending::NoTables("field".to_owned()),
        Ending::TooManySteps,
        Ending::Declined,
    ];
    for one in endings {
        let text = ending(&one, &work(), &found(), &DataSettings::default());
        let lower = text.to_lowercase();
        for word in FOR_A_MODEL {
            assert!(!lower.contains(word), "{one:?} has {word:?}: {text}");
        }
    }
}

#[test]
fn what_is_too_much_is_told_with_its_figures_and_how_to_ask_for_less() {
    let told = "The database would have to read about 9 million rows for this; at most 5 million are allowed at once.";
    let text = ending(
        &Ending::TooMuch(told.to_owned()),
        &work(),
        &found(),
        &DataSettings::default(),
    );
    assert_eq!(
        text,
        format!(
            "{told} Please ask for less at once: a shorter period, or only some of the employees, or employees and work times one at a time."
        )
    );
}

#[test]
fn what_cannot_be_worked_out_names_what_can() {
    let text = ending(
        &Ending::NeedsModel,
        &work(),
        &found(),
        &DataSettings::default(),
    );
    assert!(
        text.ends_with("You could ask: \u{201c}How many employees are there?\u{201d} \u{201c}List all work times.\u{201d}"),
        "{text}"
    );
}

#[test]
fn many_names_are_counted_after_the_first() {
    let names: Vec<String> = (0..20).map(|at| format!("t{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert!(first_of(&names).ends_with("t11, and 8 more"));
    assert_eq!(first_of(&["a", "b"]), "a, b");
}

#[test]
fn waiting_is_advised_only_where_it_can_help() {
    assert!(away("The database 'field' cannot be reached.").contains("ask again in a while"));
    let refused = "The database 'field' refuses our login. Its operator finds what to do in the tools service's log.";
    let told = away(refused);
    assert!(
        told.contains(refused) && !told.contains("in a while"),
        "{told}"
    );
}
