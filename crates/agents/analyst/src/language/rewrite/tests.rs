//! Today is the BI agent's 15 January 2025.

use contracts::tools::clarification::{ClarificationOption, ClarificationPart};
use proptest::prelude::*;

use super::*;
use crate::language::fixture::today;

fn alone(text: &str) -> String {
    rewrite(text, None, today())
}

fn after(request: &str, mentions: &[&str], text: &str) -> String {
    let mentions: Vec<String> = mentions.iter().map(|mention| (*mention).into()).collect();
    let previous = Previous {
        request,
        mentions: &mentions,
        known: false,
    };
    rewrite(text, Some(previous), today())
}

#[test]
fn the_documents_requests() {
    for (text, expected) in [
        (
            "Show shipments to Miami last week",
            "Retrieve shipments to Miami between 2025-01-08 and 2025-01-15",
        ),
        (
            "show me all shipments arrive at port of Miami last week",
            "Retrieve all shipments arrive at port of Miami between 2025-01-08 and 2025-01-15",
        ),
        ("show me container status", "Retrieve container status"),
        // Clean: nothing is to be done.
        (
            "Retrieve shipments to Miami between 2025-01-08 and 2025-01-15",
            "Retrieve shipments to Miami between 2025-01-08 and 2025-01-15",
        ),
    ] {
        assert_eq!(alone(text), expected);
    }
}

#[test]
fn days_in_the_place_of_words() {
    for (text, expected) in [
        (
            "how many shipments arrived yesterday?",
            "how many shipments arrived on 2025-01-14?",
        ),
        (
            "shipments from last month to Miami",
            "shipments between 2024-12-01 and 2024-12-31 to Miami",
        ),
        (
            "shipments in March",
            "shipments between 2024-03-01 and 2024-03-31",
        ),
        ("shipments in March 2024", "shipments in March 2024"),
        (
            "shipments since Monday",
            "shipments between 2025-01-13 and 2025-01-15",
        ),
        ("shipments before yesterday", "shipments until 2025-01-13"),
        (
            "last week's shipments to Miami",
            "shipments to Miami between 2025-01-08 and 2025-01-15",
        ),
        (
            "show yesterday’s shipments.",
            "Retrieve shipments on 2025-01-14",
        ),
        (
            "compare last week with last month",
            "compare between 2025-01-08 and 2025-01-15 with between 2024-12-01 and 2024-12-31",
        ),
        ("shipments on Feb 30", "shipments on Feb 30"),
        ("Can you please list the vessels", "Retrieve the vessels"),
        ("give me the vessels please", "Retrieve the vessels"),
        (
            "find out how many vessels there are",
            "find out how many vessels there are",
        ),
        ("average delay by carrier", "average delay by carrier"),
        ("", ""),
    ] {
        assert_eq!(alone(text), expected, "{text}");
    }
}

#[test]
fn what_was_left_out() {
    let request = "Retrieve shipments to Miami between 2025-01-08 and 2025-01-15";
    for (text, expected) in [
        (
            "and for Shanghai?",
            "Retrieve shipments to Shanghai between 2025-01-08 and 2025-01-15",
        ),
        (
            "what about Rotterdam?",
            "Retrieve shipments to Rotterdam between 2025-01-08 and 2025-01-15",
        ),
        (
            "how about to Rotterdam",
            "Retrieve shipments to Rotterdam between 2025-01-08 and 2025-01-15",
        ),
        (
            "and to Shanghai",
            "Retrieve shipments to Shanghai between 2025-01-08 and 2025-01-15",
        ),
        (
            "same for last month",
            "Retrieve shipments to Miami between 2024-12-01 and 2024-12-31",
        ),
        (
            "the same for Rotterdam last month",
            "Retrieve shipments to Rotterdam between 2024-12-01 and 2024-12-31",
        ),
        (
            "for last month instead",
            "Retrieve shipments to Miami between 2024-12-01 and 2024-12-31",
        ),
        (
            "what about yesterday?",
            "Retrieve shipments to Miami on 2025-01-14",
        ),
        (
            "and from Shanghai?",
            "Retrieve shipments to Miami between 2025-01-08 and 2025-01-15 from Shanghai",
        ),
        (
            "how many of them are late?",
            "how many shipments to Miami between 2025-01-08 and 2025-01-15 are late?",
        ),
        ("show vessels", "Retrieve vessels"),
        (
            "show shipments to Shanghai",
            "Retrieve shipments to Shanghai",
        ),
    ] {
        assert_eq!(after(request, &["Miami"], text), expected, "{text}");
    }
    assert_eq!(
        after(
            "Retrieve shipments from Shanghai to port of Miami",
            &["Shanghai", "Miami"],
            "and to Rotterdam?"
        ),
        "Retrieve shipments from Shanghai to Rotterdam"
    );
    assert_eq!(
        after(
            "Retrieve shipments from Shanghai to Miami",
            &["Shanghai", "Miami"],
            "and for Rotterdam?"
        ),
        "Retrieve shipments from Shanghai to Miami for Rotterdam"
    );
    assert_eq!(
        after("Retrieve all shipments", &[], "what about last week?"),
        "Retrieve all shipments between 2025-01-08 and 2025-01-15"
    );
    assert_eq!(alone("what about Rotterdam?"), "what about Rotterdam?");
}

fn which_miami() -> Clarification {
    let option = |id: &str, label: &str| ClarificationOption {
        id: id.into(),
        label: label.into(),
        description: None,
        aliases: Vec::new(),
    };
    Clarification {
        question: "Which Miami?".into(),
        parts: vec![ClarificationPart {
            about: "entity:Miami".into(),
            mention: "Miami".into(),
            options: vec![
                option("P-MIA", "Port of Miami"),
                option("P-MCT", "Miami Container Terminal"),
            ],
        }],
    }
}

fn answer(option: Option<&str>, text: &str) -> ClarificationAnswer {
    ClarificationAnswer {
        about: "entity:Miami".into(),
        option_id: option.map(str::to_owned),
        text: text.into(),
    }
}

#[test]
fn an_answer_and_an_addition() {
    let modified = |request: &str, option: &str, addition: &str| {
        rewrite_modification(
            request,
            &which_miami(),
            &[answer(Some(option), "it")],
            addition,
            today(),
        )
    };
    let request = "Retrieve shipments to Miami between 2025-01-08 and 2025-01-15";
    assert_eq!(
        modified(request, "P-MIA", "include arrival date"),
        "Retrieve shipments to Port of Miami between 2025-01-08 and 2025-01-15, include arrival date"
    );
    assert_eq!(
        modified(
            "Show shipments to Miami last week",
            "P-MCT",
            "only delivered."
        ),
        "Retrieve shipments to Miami Container Terminal between 2025-01-08 and 2025-01-15, only delivered"
    );
    assert_eq!(
        modified("Retrieve shipments to Miami", "P-MIA", "last week"),
        "Retrieve shipments to Port of Miami between 2025-01-08 and 2025-01-15"
    );
    assert_eq!(
        modified(request, "P-MIA", "for last month"),
        "Retrieve shipments to Port of Miami between 2024-12-01 and 2024-12-31"
    );
    assert_eq!(
        modified("Retrieve shipments at port of Miami", "P-MIA", ""),
        "Retrieve shipments at Port of Miami"
    );
    assert_eq!(
        modified("Retrieve shipments at Miami port", "P-MIA", ""),
        "Retrieve shipments at Port of Miami"
    );
    assert_eq!(
        modified("Retrieve shipments of MIAMI", "P-MIA", ""),
        "Retrieve shipments of Port of Miami"
    );
    assert_eq!(
        modified("Retrieve shipments", "P-MIA", ""),
        "Retrieve shipments (Miami: Port of Miami)"
    );
    assert_eq!(
        rewrite_modification(
            "Retrieve shipments to Miami",
            &which_miami(),
            &[answer(Some("P-MIA"), "both"), answer(Some("P-MCT"), "both")],
            "",
            today()
        ),
        "Retrieve shipments to Port of Miami and Miami Container Terminal"
    );
    assert_eq!(
        rewrite_modification(
            "Retrieve shipments to Miami",
            &which_miami(),
            &[answer(None, "Shanghai")],
            "",
            today()
        ),
        "Retrieve shipments to Shanghai"
    );
}

#[test]
fn a_models_rewrite_keeps_what_was_said() {
    let original = "show me shipments to Miami last week over 20 tonnes, top five";
    let check = |rewritten: &str| check_rewrite(original, rewritten, &["Miami"], "", today());
    assert_eq!(
        check(
            "Retrieve the top 5 shipments over 20 tonnes to Miami between 2025-01-08 and 2025-01-15"
        ),
        Ok(())
    );
    assert_eq!(check("  ... "), Err(Refused::Empty));
    assert_eq!(check(&"Miami ".repeat(200)), Err(Refused::TooLong));
    assert_eq!(
        check("Retrieve shipments last week"),
        Err(Refused::Lost("Miami".into()))
    );
    assert_eq!(
        check("Retrieve shipments to Miami between 2025-01-01 and 2025-01-07"),
        Err(Refused::Invented(
            "between 2025-01-01 and 2025-01-07".into()
        ))
    );
    assert_eq!(
        check("Retrieve 50 shipments to Miami"),
        Err(Refused::Invented("50".into()))
    );
    assert_eq!(check("Retrieve shipments to miami from last week"), Ok(()));
}

#[test]
fn a_models_rewrite_adds_no_condition() {
    let original = "how many of them went to Miami? (shipments of Nordic Freight last week)";
    let said = r#"[{"assistant":"Blue Line was late with 12 delayed shipments to Shanghai."}]"#;
    let check = |rewritten: &str| check_rewrite(original, rewritten, &[], said, today());
    for rewritten in [
        "How many shipments of Nordic Freight went to Miami last week?",
        "Count the shipments of Nordic Freight to Miami last week",
        "How many of the shipments of Blue Line went to Miami last week?",
    ] {
        assert_eq!(check(rewritten), Ok(()), "{rewritten}");
    }
    for (rewritten, added) in [
        (
            "How many late shipments of Nordic Freight went to Miami?",
            "late",
        ),
        (
            "How many shipments of Nordic Freight went to Miami by sea?",
            "sea",
        ),
        ("How many delayed shipments went to Miami?", "delayed"),
        (
            "How many shipments not of Nordic Freight went to Miami?",
            "not",
        ),
        ("How many cancelled shipments went to Miami?", "cancelled"),
        ("How many shipments of Acme went to Miami?", "acme"),
        (
            "How many shipments went to Miami without insurance?",
            "without",
        ),
        (
            "How many shipments went to Miami, sorted by weight?",
            "sorted",
        ),
    ] {
        assert_eq!(
            check(rewritten),
            Err(Refused::Invented(added.into())),
            "{rewritten}"
        );
    }
}

proptest! {
    #[test]
    fn any_text_is_rewritten(text in any::<String>(), before in any::<String>(), mention in "[a-zé ]{0,8}") {
        let _ = after(&before, &[&mention], &text);
        let _ = rewrite_modification(&before, &which_miami(), &[answer(None, &mention)], &text, today());
        let _ = check_rewrite(&before, &text, &[&mention], "", today());
    }

    #[test]
    fn a_rewrite_is_complete(text in "(show |and for |what about |list )?[a-z ]{0,20}(last week|yesterday|on monday|in may)?[a-z ?']{0,10}") {
        let once = alone(&text);
        prop_assert_eq!(alone(&once), once);
    }
}

#[test]
fn a_long_text_is_rewritten_in_no_time() {
    for piece in ["last week ", "show ", "and for ", "them ", "2025-01-08 to "] {
        let text = piece.repeat(16 * 1024 / piece.len());
        assert!(alone(&text).len() < 200 * 1024);
        let _ = after(&text, &["last"], "and for Shanghai?");
    }
}
