//! The open question is the BI agent's: "Which Miami: Port of Miami or Miami Container Terminal?"

mod any_text;

use contracts::todo::AskedClarification;
use contracts::tools::clarification::{
    Clarification, ClarificationAnswer, ClarificationOption, ClarificationPart,
};

use super::{Reply, ReplyContext, read_reply};

fn option(id: &str, label: &str, aliases: &[&str]) -> ClarificationOption {
    ClarificationOption {
        id: id.into(),
        label: label.into(),
        description: None,
        aliases: aliases.iter().map(|alias| (*alias).into()).collect(),
    }
}

fn part(mention: &str, options: Vec<ClarificationOption>) -> ClarificationPart {
    ClarificationPart {
        about: format!("entity:{mention}"),
        mention: mention.into(),
        options,
    }
}

fn asked(parts: Vec<ClarificationPart>) -> AskedClarification {
    AskedClarification {
        id: "q1".into(),
        clarification: Clarification {
            question: "Which?".into(),
            parts,
        },
        answers: Vec::new(),
        answered_at: None,
    }
}

fn miami() -> ClarificationPart {
    part(
        "Miami",
        vec![
            option("P-MIA", "Port of Miami", &["PortMiami", "USMIA"]),
            option(
                "P-MCT",
                "Miami Container Terminal",
                &["MCT", "South Florida Terminal"],
            ),
        ],
    )
}

fn anna() -> ClarificationPart {
    part(
        "Anna",
        vec![
            option("V-1", "MSC ANNA", &[]),
            option("V-2", "Anna Maersk", &["Ánna Mærsk"]),
            option("V-3", "Saint Anna", &[]),
        ],
    )
}

fn one() -> AskedClarification {
    asked(vec![miami()])
}

fn two() -> AskedClarification {
    asked(vec![miami(), anna()])
}

fn answers(answers: &[ClarificationAnswer]) -> String {
    let ids: Vec<_> = answers
        .iter()
        .map(|answer| {
            answer
                .option_id
                .clone()
                .unwrap_or_else(|| format!("{:?}", answer.text))
        })
        .collect();
    ids.join(" ")
}

fn shown(reply: &Reply) -> String {
    match reply {
        Reply::Exact(found) => format!("exact {}", answers(found)),
        Reply::Modification {
            answers: found,
            addition,
        } => {
            format!("change [{}] {addition}", answers(found))
        }
        Reply::NewRequest { text } => format!("new {text}"),
        Reply::Continue => "continue".into(),
        Reply::Cancel => "cancel".into(),
        Reply::Analysis => "analysis".into(),
        Reply::Edit => "edit".into(),
        Reply::FreeAnswer(found) => format!("free {}", answers(found)),
        Reply::NoneOfThem => "none of them".into(),
        Reply::Correct(correction) => format!("correct {correction:?}"),
        Reply::Unclear(guess) => format!("unclear {}", shown(guess)),
    }
}

fn check(standing: &ReplyContext<'_>, table: &[(&str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .map(|(text, expected)| (*text, *expected, shown(&read_reply(text, standing).reply)))
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn to(open: &AskedClarification) -> ReplyContext<'_> {
    ReplyContext {
        open: Some(open),
        active: true,
        ..ReplyContext::default()
    }
}

#[test]
fn an_option_by_its_names() {
    check(
        &to(&one()),
        &[
            ("Port of Miami", "exact P-MIA"),
            ("port of miami", "exact P-MIA"),
            ("PORT OF MIAMI.", "exact P-MIA"),
            ("  Pórt of Miámi! ", "exact P-MIA"),
            ("\"Port of Miami\"", "exact P-MIA"),
            ("PortMiami", "exact P-MIA"),
            ("usmia", "exact P-MIA"),
            ("P-MIA", "exact P-MIA"),
            ("p mia", "exact P-MIA"),
            ("P-MCT please", "exact P-MCT"),
            ("Miami Container Terminal", "exact P-MCT"),
            ("miami-container-terminal", "exact P-MCT"),
            ("MCT", "exact P-MCT"),
            ("Selected: Port of Miami", "exact P-MIA"),
            ("User selected: Miami Container Terminal", "exact P-MCT"),
            ("I selected: P-MCT", "exact P-MCT"),
            ("the Port of Miami, please", "exact P-MIA"),
            ("I meant the Port of Miami", "exact P-MIA"),
            ("it's Port of Miami", "exact P-MIA"),
            ("no, the Port of Miami", "exact P-MIA"),
            ("yes, Port of Miami", "exact P-MIA"),
            ("Port of Miami for Miami", "exact P-MIA"),
            ("Miami: Port of Miami", "exact P-MIA"),
            ("use Port of Miami", "exact P-MIA"),
        ],
    );
}

#[test]
fn an_option_by_its_place() {
    check(
        &to(&one()),
        &[
            ("1", "exact P-MIA"),
            ("2", "exact P-MCT"),
            ("2.", "exact P-MCT"),
            ("(2)", "exact P-MCT"),
            ("#2", "exact P-MCT"),
            ("b", "exact P-MCT"),
            ("B)", "exact P-MCT"),
            ("option b", "exact P-MCT"),
            ("option 1", "exact P-MIA"),
            ("number two", "exact P-MCT"),
            ("the second one", "exact P-MCT"),
            ("second", "exact P-MCT"),
            ("the first", "exact P-MIA"),
            ("1st", "exact P-MIA"),
            ("the 2nd one please", "exact P-MCT"),
            ("the last one", "exact P-MCT"),
            ("the former", "exact P-MIA"),
            ("the latter", "exact P-MCT"),
            ("I'd like the second option", "exact P-MCT"),
            ("Selected: 2", "exact P-MCT"),
            ("both", "exact P-MIA P-MCT"),
            ("both of them", "exact P-MIA P-MCT"),
            (
                "Port of Miami and Miami Container Terminal",
                "exact P-MIA P-MCT",
            ),
        ],
    );
}

#[test]
fn an_option_by_some_of_its_words() {
    check(
        &to(&one()),
        &[
            ("the terminal", "exact P-MCT"),
            ("container terminal", "exact P-MCT"),
            ("the port", "exact P-MIA"),
            ("Prot of Miami", "exact P-MIA"),
            ("Port of Maimi", "exact P-MIA"),
            ("miami contaner terminal", "exact P-MCT"),
            // What was unclear stays unclear.
            ("Miami", "free \"Miami\""),
        ],
    );
    let open = one();
    assert!(read_reply("the terminal", &to(&open)).confidence < 1.0);
    assert!((read_reply("MCT", &to(&open)).confidence - 1.0).abs() < f64::EPSILON);
}

#[test]
fn several_parts_in_one_message() {
    check(
        &to(&two()),
        &[
            ("Port of Miami and MSC ANNA", "exact P-MIA V-1"),
            ("MSC Anna, Port of Miami", "exact V-1 P-MIA"),
            ("Port of Miami, Anna Maersk", "exact P-MIA V-2"),
            ("first for Miami, second for Anna", "exact P-MIA V-2"),
            (
                "the first one for Miami and the third for Anna",
                "exact P-MIA V-3",
            ),
            ("second for Anna, first for Miami", "exact V-2 P-MIA"),
            ("Miami: 2, Anna: 1", "exact P-MCT V-1"),
            ("Miami is the first, Anna is the second", "exact P-MIA V-2"),
            (
                "for Miami the second, for Anna the first",
                "exact P-MCT V-1",
            ),
            ("1 and 2", "exact P-MIA V-2"),
            ("1, 3", "exact P-MIA V-3"),
            ("the first and the third", "exact P-MIA V-3"),
            ("the first for both", "exact P-MIA V-1"),
            ("Port of Miami", "exact P-MIA"),
            ("Anna Maersk", "exact V-2"),
            ("Ánna Mærsk", "exact V-2"),
            ("third for Anna", "exact V-3"),
            (
                "Port of Miami for Miami, MSC ANNA for Anna",
                "exact P-MIA V-1",
            ),
            (
                "Port of Miami and also Anna Maersk, and include arrival date",
                "change [P-MIA V-2] include arrival date",
            ),
        ],
    );
}

#[test]
fn the_rest_of_a_question() {
    let mut open = two();
    open.answers.push(ClarificationAnswer {
        about: "entity:Miami".into(),
        option_id: Some("P-MIA".into()),
        text: "Port of Miami".into(),
    });
    check(
        &to(&open),
        &[
            ("2", "exact V-2"),
            ("the first", "exact V-1"),
            ("msc anna", "exact V-1"),
        ],
    );
}

#[test]
fn answers_with_more() {
    let shanghai = asked(vec![part(
        "the port",
        vec![
            option("P-SHA", "Shanghai", &[]),
            option("P-NGB", "Ningbo", &[]),
        ],
    )]);
    check(
        &to(&shanghai),
        &[
            ("Shanghai", "exact P-SHA"),
            ("Shanghai, and also last week", "change [P-SHA] last week"),
            ("forget it, show me X instead", "new show me X"),
        ],
    );
    check(
        &to(&one()),
        &[
            (
                "Port of Miami, but also include arrival date",
                "change [P-MIA] include arrival date",
            ),
            (
                "Port of Miami but include the arrival date",
                "change [P-MIA] include the arrival date",
            ),
            (
                "Port of Miami and also show the vessel",
                "change [P-MIA] show the vessel",
            ),
            (
                "the second one, but only delivered",
                "change [P-MCT] only delivered",
            ),
            ("2, and sort by delay", "change [P-MCT] sort by delay"),
            (
                "MCT, plus the arrival date please",
                "change [P-MCT] the arrival date please",
            ),
            (
                "Port of Miami, including arrival date.",
                "change [P-MIA] including arrival date",
            ),
            ("Port of Miami, and Shanghai", "change [P-MIA] Shanghai"),
            (
                "Prot of Miami, but also include arrival date",
                "change [P-MIA] include arrival date",
            ),
            (
                "Port of Miami last month",
                "unclear change [P-MIA] last month",
            ),
            (
                "also include arrival date",
                "change [] include arrival date",
            ),
            (
                "but only the delivered ones",
                "change [] only the delivered ones",
            ),
            ("not the Port of Miami", "unclear exact P-MIA"),
            ("Port of Miami or the terminal", "unclear exact P-MIA"),
        ],
    );
}

#[test]
fn something_new_while_a_question_is_open() {
    check(
        &to(&one()),
        &[
            (
                "forget it, show me container status instead",
                "new show me container status",
            ),
            (
                "Forget it. Show me container status instead!",
                "new Show me container status",
            ),
            (
                "forget about that, show me container status",
                "new show me container status",
            ),
            ("never mind, list the vessels", "new list the vessels"),
            (
                "nevermind - how many ports are there?",
                "new how many ports are there?",
            ),
            (
                "cancel that and show container status",
                "new show container status",
            ),
            (
                "no, show me container status instead",
                "new show me container status",
            ),
            (
                "actually, show me container status instead",
                "new show me container status",
            ),
            (
                "stop. container status please",
                "new container status please",
            ),
            ("show me container status", "new show me container status"),
            (
                "how many containers are in Rotterdam",
                "new how many containers are in Rotterdam",
            ),
            (
                "Show shipments to Port of Miami last week",
                "new Show shipments to Port of Miami last week",
            ),
        ],
    );
}

#[test]
fn going_on_and_giving_up() {
    let open = one();
    for standing in [
        to(&open),
        ReplyContext::default(),
        ReplyContext {
            active: true,
            ..ReplyContext::default()
        },
    ] {
        check(
            &standing,
            &[
                ("continue", "continue"),
                ("Continue.", "continue"),
                ("please continue", "continue"),
                ("contineu", "continue"),
                ("go on", "continue"),
                ("proceed", "continue"),
                ("next", "continue"),
                ("resume", "continue"),
                ("try again", "continue"),
                ("retry", "continue"),
                ("cancel", "cancel"),
                ("Cancel that, please", "cancel"),
                ("never mind", "cancel"),
                ("forget it", "cancel"),
                ("stop", "cancel"),
                ("ABORT!", "cancel"),
            ],
        );
    }
    let failed = ReplyContext {
        active: true,
        last_task_failed: true,
        ..ReplyContext::default()
    };
    check(
        &failed,
        &[
            ("again", "continue"),
            ("yes", "unclear continue"),
            ("ok do it", "unclear continue"),
        ],
    );
}

#[test]
fn an_option_may_be_called_cancel() {
    let open = asked(vec![part(
        "the query",
        vec![
            option("approve", "Run it", &["yes", "ok", "go ahead", "continue"]),
            option("reject", "Stop", &["no", "cancel"]),
        ],
    )]);
    check(
        &to(&open),
        &[
            ("yes", "exact approve"),
            ("go ahead", "exact approve"),
            ("continue", "exact approve"),
            ("stop", "exact reject"),
            ("no", "exact reject"),
            ("cancel", "exact reject"),
            ("never mind", "cancel"),
        ],
    );
}

#[test]
fn answers_in_own_words() {
    check(
        &to(&one()),
        &[
            ("Shanghai", "free \"Shanghai\""),
            (
                "the one in Florida City",
                "free \"the one in Florida City\"",
            ),
            ("Selected: Rotterdam", "free \"Rotterdam\""),
            ("none of them", "none of them"),
            ("no", "unclear free \"no\""),
            ("why do you ask?", "unclear new why do you ask?"),
        ],
    );
}

#[test]
fn analysis_of_earlier_results() {
    let standing = ReplyContext {
        has_results: true,
        ..ReplyContext::default()
    };
    check(
        &standing,
        &[
            ("analyze delay patterns in these results", "analysis"),
            ("Analyse delay patterns in these results.", "analysis"),
            ("analyze the delay patterns in the results", "analysis"),
            ("anlayze delay patterns in these results", "analysis"),
            ("what about trends in that", "analysis"),
            ("what about trends in that?", "analysis"),
            ("find anomalies in it", "analysis"),
            ("any outliers in this data?", "analysis"),
            (
                "show the distribution of delays in those results by carrier",
                "analysis",
            ),
            (
                "is there a correlation between weight and delay in this data",
                "analysis",
            ),
            ("what stands out in these results?", "analysis"),
            ("summarize these results", "analysis"),
            ("analyze them", "analysis"),
            ("analyze delay patterns", "unclear analysis"),
            (
                "analyze delays of shipments to Shanghai",
                "new analyze delays of shipments to Shanghai",
            ),
            (
                "show trends for Rotterdam in 2024",
                "new show trends for Rotterdam in 2024",
            ),
        ],
    );
    check(
        &ReplyContext::default(),
        &[
            ("analyze delay patterns in these results", "analysis"),
            ("analyze delay patterns", "new analyze delay patterns"),
        ],
    );
}

#[test]
fn edits_of_the_earlier_query() {
    let table: &[&str] = &[
        "add filter for delivered status",
        "add a filter for delivered status",
        "Add delivered status",
        "only delivered",
        "just the delivered ones",
        "show only delivered",
        "without cancelled",
        "exclude cancelled ones",
        "group that by carrier",
        "group by carrier",
        "sort by delay",
        "sort them by delay",
        "remove the date filter",
        "for last month instead",
        "Shanghai instead",
        "include arrival date",
        "also show the vessel name",
        "show them sorted by delay",
    ];
    let standing = ReplyContext {
        has_results: true,
        ..ReplyContext::default()
    };
    let edits: Vec<_> = table.iter().map(|text| (*text, "edit")).collect();
    check(&standing, &edits);
    check(
        &standing,
        &[
            (
                "group shipments by carrier for me and count them all",
                "edit",
            ),
            ("sort all shipments of last week by delay", "unclear edit"),
            (
                "show shipments to Miami last week",
                "new show shipments to Miami last week",
            ),
            ("what about Rotterdam?", "new what about Rotterdam?"),
            ("and for Shanghai?", "new and for Shanghai?"),
            ("same for last month", "new same for last month"),
        ],
    );
    check(
        &ReplyContext {
            active: true,
            ..ReplyContext::default()
        },
        &[("only delivered", "change [] only delivered")],
    );
    check(
        &ReplyContext::default(),
        &[("only delivered", "new only delivered")],
    );
}

#[test]
fn nothing_open() {
    check(
        &ReplyContext::default(),
        &[
            (
                "Show shipments to Miami last week",
                "new Show shipments to Miami last week",
            ),
            ("Port of Miami", "new Port of Miami"),
            ("Selected: Port of Miami", "unclear new Port of Miami"),
            (
                "forget it, show me container status instead",
                "new show me container status",
            ),
            ("", "unclear new "),
            ("?!", "unclear new ?!"),
        ],
    );
}
