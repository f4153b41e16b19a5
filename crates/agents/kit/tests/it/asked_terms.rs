//! An answer from documents names what was asked for, and makes no claim of a clause that only
//! chooses among things.

use agent_kit::citations::CitedSentences;
use agent_kit::passages::Passages;
use agent_kit::{SentenceFilter, Verdict, prose};
use contracts::tools::knowledge::KnowledgeMatch;

const LEVELS: &str = "The reporting level BASIC takes scope 1 and 2 of energy and transport, and all waste that is \
    generated in the city, wherever it is treated. BASIC+ adds transmission losses, transboundary \
    transport, industrial processes, and land use. Figures of the two levels must not be compared \
    with each other.";
const JOBS: &str = "A job that was checked twice is closed. The lead signs any report which has a photo. The \
    technician who books the hours enters the break.";

fn passages(content: &str) -> Passages {
    let mut passages = Passages::default();
    passages.add([KnowledgeMatch {
        filename: "levels.md".to_owned(),
        chunk_index: 0,
        score: 0.5,
        content: content.to_owned(),
        collection: "manuals".to_owned(),
        document_id: "levels".to_owned(),
        headings: vec!["Manual".to_owned()],
        page: None,
        text_rank: Some(1),
        vector_rank: Some(1),
        fused_score: 0.02,
    }]);
    passages
}

/// The text that a person reads of these words.
fn said(question: &str, content: &str, words: &str) -> String {
    let filter = CitedSentences::new(question, &passages(content), &[]);
    let sentences = prose::sentences(words);
    let mut said: Vec<String> = sentences
        .iter()
        .filter_map(|sentence| match filter.check(sentence) {
            Verdict::Pass(text) => Some(text),
            Verdict::Hold | Verdict::LeaveOut => None,
        })
        .collect();
    said.extend(filter.at_end(llm::FinishReason::Stop));
    said.join(" ")
}

#[test]
fn what_a_clause_says_of_a_thing_to_choose_it_is_not_claimed() {
    for (content, words) in [
        (LEVELS, "All waste is generated in the city [1]."),
        (LEVELS, "All waste was generated in the city [1]."),
        (
            LEVELS,
            "Waste is generated in the city, wherever it is treated [1].",
        ),
        (JOBS, "A job was checked twice [1]."),
        (JOBS, "A job is checked twice [1]."),
        (JOBS, "Any report has a photo [1]."),
        (JOBS, "The technician books the hours [1]."),
    ] {
        assert_eq!(said("Who does what?", content, words), "", "{words}");
    }
    for (content, words) in [
        (JOBS, "A job that was checked twice is closed [1]."),
        (JOBS, "The lead signs any report which has a photo [1]."),
        (
            JOBS,
            "The technician who books the hours enters the break [1].",
        ),
    ] {
        assert_eq!(said("Who does what?", content, words), words);
    }
}

#[test]
fn an_answer_that_does_not_name_what_was_asked_for_is_none() {
    let question = "What is BASIC+?";
    let other = "Figures of the two levels must not be compared with each other [1].";
    let own = "BASIC+ adds transmission losses, transboundary transport, industrial processes, and land use [1].";
    assert_eq!(said(question, LEVELS, other), "");
    assert_eq!(said(question, LEVELS, own), own);
    let both = format!("{other} {own}");
    assert_eq!(said(question, LEVELS, &both), both, "once it is named");
    assert_eq!(said("May figures be compared?", LEVELS, other), other);
}

#[test]
fn a_shorter_answer_does_not_replace_the_quotes_that_answer() {
    let question = "What is BASIC+?";
    let quote = "BASIC+ adds transmission losses, transboundary transport, industrial processes, and land use.";
    let kept = |said: &str| {
        let unsaid = passages(LEVELS).unsaid(question, 3, said).into_iter();
        unsaid.map(|(_, quote)| quote).collect::<Vec<_>>()
    };
    assert!(kept("BASIC+ adds land use [1].").contains(&quote.to_owned()));
    assert!(kept("BASIC takes scope 1 and 2 of energy [1].").contains(&quote.to_owned()));
    assert!(!kept(quote).contains(&quote.to_owned()));
}
