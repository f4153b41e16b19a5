use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::document::{Block, Content};

fn settings(size: usize, overlap: usize) -> ChunkSettings {
    ChunkSettings { size, overlap }
}

fn document(contents: Vec<Content>) -> Document {
    Document {
        blocks: contents.into_iter().map(Block::new).collect(),
        ..Document::default()
    }
}

fn heading(level: u8, text: &str) -> Content {
    Content::Heading {
        level,
        text: text.to_owned(),
    }
}

fn paragraph(text: &str) -> Content {
    Content::Paragraph(text.to_owned())
}

fn contents(chunks: &[Chunk]) -> Vec<&str> {
    chunks.iter().map(|chunk| chunk.content.as_str()).collect()
}

#[test]
fn a_section_is_cut_on_its_own_with_its_headings_as_context() {
    let document = document(vec![
        heading(1, "Pump"),
        paragraph("It moves water."),
        heading(2, "Start"),
        paragraph("Press green."),
        heading(1, "Valve"),
        paragraph("It stops water."),
    ]);
    let chunks = chunks(&document, settings(100, 0));
    let headings: Vec<_> = chunks
        .iter()
        .map(|chunk| chunk.headings.join("/"))
        .collect();
    assert_eq!(headings, ["Pump", "Pump/Start", "Valve"]);
    assert_eq!(chunks[1].embedded_text(), "Pump > Start\n\nPress green.");
}

#[test]
fn a_short_section_keeps_its_own_heading() {
    let document = document(vec![
        heading(1, "Title"),
        paragraph("Before."),
        heading(2, "One"),
        paragraph("A section that is long enough to stand alone."),
        heading(2, "Two"),
        paragraph("Short."),
    ]);
    let chunks = chunks(&document, settings(200, 20));
    let places: Vec<_> = chunks
        .iter()
        .map(|chunk| (chunk.headings.join("/"), chunk.content.as_str()))
        .collect();
    let place = |headings: &str, content| (headings.to_owned(), content);
    assert_eq!(
        places,
        [
            place("Title", "Before."),
            place("Title/One", "A section that is long enough to stand alone."),
            place("Title/Two", "Short."),
        ]
    );
}

#[test]
fn headings_without_text_are_one_text_under_what_they_share() {
    let document = document(vec![
        heading(1, "Manual"),
        heading(2, "Contents"),
        heading(3, "Start"),
        heading(3, "Stop"),
        heading(2, "Start"),
        paragraph("Press the green button."),
        heading(2, "End"),
    ]);
    let chunks = chunks(&document, settings(200, 0));
    let places: Vec<_> = chunks
        .iter()
        .map(|chunk| (chunk.headings.join("/"), chunk.content.as_str()))
        .collect();
    let place = |headings: &str, content| (headings.to_owned(), content);
    assert_eq!(
        places,
        [
            place("Manual/Contents", "Start\n\nStop"),
            place("Manual/Start", "Press the green button."),
            place("Manual", "End"),
        ]
    );
}

#[test]
fn a_document_of_one_word_or_one_heading_is_not_lost() {
    for content in [paragraph("Hello"), heading(1, "Hello")] {
        let chunks = chunks(&document(vec![content]), settings(100, 10));
        assert_eq!(contents(&chunks), ["Hello"]);
    }
}

#[test]
fn a_long_table_repeats_its_header_and_no_row_is_cut() {
    let rows = (0..20)
        .map(|n| format!("| code {n} | what it means |"))
        .collect();
    let table = Content::Table {
        header: "| Code | Meaning |".to_owned(),
        rows,
    };
    let chunks = chunks(
        &document(vec![heading(1, "Codes"), table]),
        settings(120, 50),
    );
    assert!(chunks.len() > 4);
    for chunk in &chunks {
        assert!(
            chunk.content.starts_with("| Code | Meaning |\n| code "),
            "{}",
            chunk.content
        );
        assert!(chunk.content.lines().all(|line| line.ends_with('|')));
        assert!(length(&chunk.content) <= 120);
    }
}

#[test]
fn a_row_longer_than_a_chunk_stays_whole() {
    let long = format!("| {} |", "word ".repeat(50).trim());
    let table = Content::Table {
        header: "| Head |".to_owned(),
        rows: vec!["| a |".to_owned(), long.clone(), "| b |".to_owned()],
    };
    let chunks = chunks(&document(vec![table]), settings(100, 0));
    assert_eq!(
        contents(&chunks),
        ["| Head |\n| a |", long.as_str(), "| Head |\n| b |"]
    );
}

#[test]
fn code_stays_whole_where_it_fits_and_is_cut_between_lines_else() {
    let code = "fn main() {\n    start();\n}";
    let text = "Here is the program, which is said in a sentence or two before it.";
    let chunks_of = |size| {
        let document = document(vec![paragraph(text), Content::Code(code.to_owned())]);
        let chunks = chunks(&document, settings(size, 0));
        contents(&chunks)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(chunks_of(80), [text, code]);
    let cut = chunks_of(20);
    assert!(cut.contains(&"    start();\n}".to_owned()), "{cut:?}");
}

#[test]
fn text_is_cut_between_sentences_and_repeats_the_last() {
    let text = "The first sentence is here. The second one is there. And a third one follows it.";
    let chunks = chunks(&document(vec![paragraph(text)]), settings(60, 30));
    assert_eq!(
        contents(&chunks),
        [
            "The first sentence is here. The second one is there.",
            "The second one is there. And a third one follows it."
        ]
    );
}

fn pages(texts: &[(u32, &str)]) -> Document {
    let block = |(page, text): &(u32, &str)| Block {
        content: paragraph(text),
        page: Some(*page),
    };
    Document {
        blocks: texts.iter().map(block).collect(),
        ..Document::default()
    }
}

#[test]
fn a_chunk_is_of_one_page() {
    let document = pages(&[
        (1, "What stands on the first page of it."),
        (2, "On the second."),
        (2, "What stands there, too."),
    ]);
    let chunks = chunks(&document, settings(2_000, 200));
    let found: Vec<_> = chunks
        .iter()
        .map(|chunk| (chunk.page, chunk.content.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (Some(1), "What stands on the first page of it."),
            (Some(2), "On the second.\n\nWhat stands there, too."),
        ]
    );
}

#[test]
fn a_sentence_over_two_pages_is_whole_on_the_second() {
    let document = pages(&[
        (1, "The oil is checked daily. It is changed after"),
        (2, "five hundred hours. Then the filter is cleaned."),
    ]);
    assert_eq!(
        contents(&chunks(&document, settings(2_000, 200))),
        [
            "The oil is checked daily. It is changed after",
            "It is changed after five hundred hours. Then the filter is cleaned."
        ]
    );
}

/// Words of letters that are one, two, three and four bytes long.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        9 => "[a-zäß日🌞]{1,12}[.!]?",
        1 => "[a-zé]{30,80}",
    ]
}

fn line() -> impl Strategy<Value = String> {
    vec(word(), 1..40).prop_map(|words| words.join(" "))
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        2 => (1_u8..5, vec(word(), 1..4)).prop_map(|(level, words)| heading(level, &words.join(" "))),
        4 => line().prop_map(Content::Paragraph),
        1 => vec(line(), 1..6).prop_map(Content::List),
        1 => vec(line(), 1..6).prop_map(|lines| Content::Code(lines.join("\n"))),
        1 => (line(), vec(line(), 0..8)).prop_map(|(header, rows)| Content::Table { header, rows }),
    ]
}

fn words_of(document: &Document) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |text: &str| words.extend(text.split_whitespace().map(str::to_owned));
    for block in &document.blocks {
        match &block.content {
            Content::Heading { text, .. } | Content::Paragraph(text) | Content::Code(text) => {
                add(text);
            }
            Content::List(items) => add(&items.join(" ")),
            Content::Table { header, rows } => {
                add(header);
                add(&rows.join(" "));
            }
        }
    }
    words
}

proptest! {
    #[test]
    fn every_word_is_in_some_chunk_whole(contents in vec(content(), 1..12), size in 40_usize..300, overlap in 0_usize..20) {
        let document = document(contents);
        let chunks = chunks(&document, settings(size, overlap));
        let mut found: HashMap<&str, usize> = HashMap::new();
        for chunk in &chunks {
            let texts = chunk.headings.iter().map(String::as_str).chain([chunk.content.as_str()]);
            for word in texts.flat_map(str::split_whitespace) {
                *found.entry(word).or_default() += 1;
            }
        }
        let wanted = words_of(&document);
        for word in &wanted {
            prop_assert!(found.contains_key(word.as_str()), "{word} is lost");
        }
        // Only words of the document: none was cut.
        for word in found.keys().filter(|word| **word != ">") {
            prop_assert!(wanted.iter().any(|wanted| wanted == word), "{word} is no word of the document");
        }
    }

    #[test]
    fn no_chunk_is_larger_than_it_may_unless_it_is_one_word_or_row(contents in vec(content(), 1..12), size in 40_usize..300, overlap in 0_usize..20) {
        let document = document(contents);
        let rows: Vec<&str> = document.blocks.iter().flat_map(|block| match &block.content {
            Content::Table { header, rows } => rows.iter().chain([header]).map(String::as_str).collect(),
            _ => Vec::new(),
        }).collect();
        for chunk in chunks(&document, settings(size, overlap)) {
            let is_one = !chunk.content.contains(char::is_whitespace) || rows.contains(&chunk.content.as_str());
            prop_assert!(length(&chunk.content) <= size || is_one, "{} of {size}: {}", length(&chunk.content), chunk.content);
            prop_assert!(!chunk.content.trim().is_empty());
        }
    }

    #[test]
    fn text_repeats_at_most_the_overlap_and_always_moves_on(words in vec("[a-z]{1,9}", 60..200), size in 60_usize..200, overlap in 0_usize..30) {
        // Each word once, so that repetitions are recognized.
        let words: Vec<String> = words.iter().enumerate().map(|(n, word)| format!("{word}{n}")).collect();
        let document = document(vec![paragraph(&words.join(" "))]);
        let cut = chunks(&document, settings(size, overlap));
        let mut next = 0;
        for chunk in &cut {
            let own: Vec<&str> = chunk.content.split_whitespace().collect();
            let from = words.iter().position(|word| word == own[0]).unwrap();
            prop_assert!(from <= next);
            prop_assert!(words[from..next].join(" ").chars().count() <= overlap);
            prop_assert!(words[from..].iter().zip(&own).all(|(word, own)| word == own));
            prop_assert!(from + own.len() > next);
            next = from + own.len();
        }
        prop_assert_eq!(next, words.len());
        prop_assert_eq!(chunks(&document, settings(size, overlap)), cut);
    }
}
