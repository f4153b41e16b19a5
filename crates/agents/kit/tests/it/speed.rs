//! The judgement of a sentence ends, however the sentence is built, and prints its time. A search
//! without a bound would try more ways than a day has seconds.

use std::time::Instant;

use agent_kit::{
    SentenceFilter,
    citations::CitedSentences,
    facts::{FactRegistry, Subject, Unit},
    passages::Passages,
};
use contracts::tools::knowledge::KnowledgeMatch;

/// Prints the shortest time of three runs.
#[expect(
    clippy::print_stdout,
    reason = "the time is for the reader of the output"
)]
fn timed(what: &str, run: impl Fn()) {
    let time = || {
        let begun = Instant::now();
        run();
        begun.elapsed()
    };
    let best = (0..3).map(|_| time()).min().unwrap_or_default();
    println!("{what}: {best:?}");
}

fn facts() -> (FactRegistry, Vec<String>) {
    let mut facts = FactRegistry::default();
    let mut told = Vec::new();
    for at in 0..50 {
        for label in ["energy", "power", "co2 offset", "outages"] {
            let name = Subject::Named(format!("DEVICE-INV-{at:03}"));
            let id = facts.add(name, label, Unit::Plain, f64::from(at), None);
            told.push(format!("DEVICE-INV-{at:03} [[{}]]", id.unwrap()));
        }
    }
    facts.derive();
    (facts, told)
}

#[test]
fn every_sentence_on_two_hundred_facts_is_judged_to_its_end() {
    let (facts, told) = facts();
    let short = "DEVICE-INV-001 made [[f5]] of energy, and DEVICE-INV-002 made [[f9]].";
    timed("a usual sentence", || {
        assert!(!facts.word(short).text.is_empty());
    });
    let joined = |by: &str, last: &str| format!("{}{last}.", told[..40].join(by));
    for (what, sentence) in [
        ("commas", joined(", ", "")),
        (
            "many places to cut",
            joined(", and, but, and, with, and, ", ""),
        ),
        ("a wrong word at the end", joined(", and, but, ", " broke")),
        ("many marks", joined(" ,;,;,;,;,;,; ", " energy")),
        ("a text without end", "energy power and ".repeat(2000)),
        ("brackets", "[[[[(((".repeat(3000)),
        ("holes", format!("[[d1]]{}", " ( ) ,,".repeat(2000))),
    ] {
        timed(what, || {
            facts.word(&sentence);
        });
    }
}

#[test]
fn every_sentence_on_documents_is_judged_to_its_end() {
    let clause =
        "the crew leader approves a week by Tuesday noon and no job, if any, is done before 7";
    let content = (0..60).map(|at| format!("In case {at}, {clause}, {clause}; {clause}.\n"));
    let content: String = content.collect();
    let mut passages = Passages::default();
    passages.add((0..5).map(|index| KnowledgeMatch {
        filename: format!("{index}.md"),
        chunk_index: index,
        score: 0.4,
        content: content.clone(),
        collection: "manuals".to_owned(),
        document_id: index.to_string(),
        headings: vec!["Weeks".to_owned()],
        page: None,
        text_rank: Some(1),
        vector_rank: None,
        fused_score: 0.02,
    }));
    let filter = CitedSentences::new("When is a week approved?", &passages, &[]);
    for (what, sentence) in [
        (
            "a usual sentence",
            "The crew leader approves a week by Tuesday noon.".to_owned(),
        ),
        (
            "a sentence of clauses",
            format!("{}.", [clause; 12].join(", ")),
        ),
        (
            "a sentence of parts",
            format!("{}.", [clause; 12].join("; ")),
        ),
    ] {
        timed(what, || {
            filter.check(&sentence);
        });
    }
}
