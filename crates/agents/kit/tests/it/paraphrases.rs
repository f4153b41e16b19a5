//! A model's own words for the documents of the demonstration: honest ones, most of which pass, and
//! those that say something else, of which none does.

use std::collections::BTreeMap;
use std::path::Path;

use agent_kit::citations::CitedSentences;
use agent_kit::passages::Passages;
use agent_kit::{SentenceFilter, Verdict};
use contracts::tools::knowledge::KnowledgeMatch;

const ATTACKS: &str = include_str!("paraphrases/attacks.txt");
const HONEST: &str = include_str!("paraphrases/honest.txt");

/// A line of a table.
struct Line {
    kind: &'static str,
    document: &'static str,
    section: &'static str,
    words: &'static str,
}

fn lines(table: &'static str) -> impl Iterator<Item = Line> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let mut parts = line.splitn(3, " | ");
        let mut part = || parts.next().unwrap();
        let (kind, place, words) = (part(), part(), part());
        let (document, section) = place.split_once(' ').unwrap();
        Line {
            kind,
            document,
            section,
            words,
        }
    })
}

/// The sections of a document, that of this name first.
fn passages(document: &str, section: &str) -> Passages {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo/documents/files");
    let text = std::fs::read_to_string(folder.join(document).with_extension("md")).unwrap();
    let mut sections: Vec<(&str, &str)> = text
        .split("\n## ")
        .skip(1)
        .map(|section| section.split_once('\n').unwrap())
        .collect();
    sections.sort_by_key(|(name, _)| *name != section);
    assert_eq!(sections[0].0, section);
    let found = sections.iter().zip(0..5).map(|((heading, text), index)| {
        let headings = vec![(*heading).to_owned()];
        KnowledgeMatch {
            filename: document.to_owned(),
            chunk_index: index,
            score: 0.4,
            content: text.trim().to_owned(),
            collection: "manuals".to_owned(),
            document_id: document.to_owned(),
            headings,
            page: None,
            text_rank: Some(1),
            vector_rank: None,
            fused_score: 0.02,
        }
    });
    let mut passages = Passages::default();
    passages.add(found);
    passages
}

/// The part of these words that a person reads.
fn said(line: &Line) -> String {
    let passages = passages(line.document, line.section);
    let filter = CitedSentences::new(line.section, &passages, &[]);
    let passed = |sentence: &String| match filter.check(sentence) {
        Verdict::Pass(passed) => Some(passed),
        Verdict::Hold | Verdict::LeaveOut => None,
    };
    let sentences = agent_kit::prose::sentences(line.words);
    sentences.iter().filter_map(passed).collect()
}

/// The number of lines and of those that are said, by kind, and the lines of the other outcome.
#[expect(clippy::print_stdout, reason = "the table is what the tests measure")]
fn measured(table: &'static str, expects: bool) -> (usize, Vec<String>) {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut other = Vec::new();
    for line in lines(table) {
        let said = said(&line);
        let count = counts.entry(line.kind).or_default();
        count.0 += 1;
        count.1 += usize::from(!said.is_empty());
        if said.is_empty() == expects {
            other.push(format!("{}, {}: {}", line.kind, line.section, line.words));
        }
    }
    for line in &other {
        println!("{line}");
    }
    println!("| kind | words | said |\n|---|---|---|");
    for (kind, (all, said)) in &counts {
        println!("| {kind} | {all} | {said} |");
    }
    let all = counts.values().map(|(all, _)| all).sum();
    let said: usize = counts.values().map(|(_, said)| said).sum();
    println!("| all | {all} | {said} |");
    (all, other)
}

#[test]
fn no_words_that_say_something_else_pass() {
    let (all, through) = measured(ATTACKS, false);
    assert!(all >= 450, "{all}");
    assert!(through.is_empty(), "{through:#?}");
}

#[test]
fn most_honest_words_pass() {
    let (all, lost) = measured(HONEST, true);
    assert!(all >= 160, "{all}");
    // The rest is answered by a quotation.
    assert!(lost.len() <= 7, "{lost:#?}");
    let of_advisor = lost.iter().filter(|line| line.starts_with("advisor, "));
    assert!(of_advisor.count() <= 1, "{lost:#?}");
}
