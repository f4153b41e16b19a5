//! Plain text: paragraphs, and what looks like a heading on its own.

use crate::document::{Block, Content, Document, tidy};

/// Maximum length of a heading's line.
const MAX_HEADING: usize = 90;

pub(super) fn read(text: &str) -> Document {
    let mut document = Document::default();
    push(text, None, &mut document.blocks);
    document
}

/// Adds the paragraphs of a text.
pub(super) fn push(text: &str, page: Option<u32>, blocks: &mut Vec<Block>) {
    for paragraph in paragraphs(text) {
        for content in contents(&paragraph) {
            blocks.push(Block { content, page });
        }
    }
}

/// Lines that stand together.
fn paragraphs(text: &str) -> Vec<Vec<&str>> {
    let mut paragraphs = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            if !lines.is_empty() {
                paragraphs.push(std::mem::take(&mut lines));
            }
        } else {
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        paragraphs.push(lines);
    }
    paragraphs
}

/// A paragraph: a heading when it is one line that looks like one or is above its text, a list,
/// otherwise running text.
fn contents(lines: &[&str]) -> Vec<Content> {
    let (first, rest) = match lines {
        [first, rest @ ..] => (first.trim(), rest),
        [] => return Vec::new(),
    };
    if let Some(level) = heading_level(first) {
        let mut contents = vec![Content::Heading {
            level,
            text: tidy(first),
        }];
        contents.extend(contents_of_body(rest));
        return contents;
    }
    contents_of_body(lines).into_iter().collect()
}

fn contents_of_body(lines: &[&str]) -> Option<Content> {
    if lines.is_empty() {
        return None;
    }
    if lines.len() > 1 && lines.iter().all(|line| is_item(line)) {
        return Some(Content::List(lines.iter().map(|line| tidy(line)).collect()));
    }
    Some(Content::Paragraph(joined(lines)))
}

/// Lines as one text. A hyphen at the end of a line stays: it may be the word's own.
fn joined(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let line = tidy(line);
        let hyphenated = text
            .strip_suffix('-')
            .is_some_and(|before| before.ends_with(char::is_alphabetic))
            && line.starts_with(char::is_lowercase);
        if !text.is_empty() && !hyphenated {
            text.push(' ');
        }
        text.push_str(&line);
    }
    text
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with("- ") || line.starts_with("* ") || line.starts_with("• ") {
        return true;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && digits < 4 && line[digits..].starts_with(". ")
}

/// The level of a line that looks like a heading: `3.2 Limits`, `Section 4: Limits`, `LIMITS OF
/// USE`.
fn heading_level(line: &str) -> Option<u8> {
    let length = line.chars().count();
    if !(3..=MAX_HEADING).contains(&length) || line.ends_with(['.', ',', ';', '?', '!']) {
        return None;
    }
    numbered(line).or_else(|| named(line)).or_else(|| {
        let letters = line.chars().filter(|c| c.is_alphabetic());
        let capital = letters.clone().count() >= 4 && letters.clone().all(char::is_uppercase);
        (capital && line.split_whitespace().count() >= 2).then_some(1)
    })
}

/// `1 Scope`, `2.3.1 Torque of the terminals`; no table of contents, whose lines end in a number.
fn numbered(line: &str) -> Option<u8> {
    let (number, title) = line.split_once(char::is_whitespace)?;
    let number = number.strip_suffix('.').unwrap_or(number);
    let parts: Vec<&str> = number.split('.').collect();
    let is_number = parts.len() <= 4
        && parts.iter().all(|part| {
            (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        });
    let title = title.trim();
    let is_title = title.starts_with(char::is_uppercase)
        && title.split_whitespace().count() <= 12
        && !title.ends_with(|c: char| c.is_ascii_digit())
        && !title.contains("...");
    // One number and a full stop may as well be an item of a list.
    let level = u8::try_from(parts.len()).unwrap_or(4);
    (is_number && is_title && (level > 1 || !line.contains(". "))).then_some(level)
}

fn named(line: &str) -> Option<u8> {
    let mut words = line.split_whitespace();
    let level = match words.next()?.to_ascii_lowercase().as_str() {
        "chapter" | "part" | "appendix" | "annex" => 1,
        "section" => 2,
        _ => return None,
    };
    let number = words.next()?.trim_end_matches([':', '.', ')']);
    let is_number = number.len() <= 6
        && (number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
            || number.chars().all(|c| "IVXLC".contains(c))
            || (number.len() == 1 && number.bytes().all(|b| b.is_ascii_uppercase())));
    is_number.then_some(level)
}
