//! Pieces: what is packed into chunks and never cut again.

use std::sync::Arc;

use super::length;
use crate::document::{Block, Content};

/// A part of a section.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) text: String,
    /// What sets it apart from the piece before it, if both are in one chunk.
    pub(super) gap: &'static str,
    pub(super) page: Option<u32>,
    pub(super) kind: Kind,
}

/// The kind of block that a piece is part of.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Text, the end of which the next chunk repeats.
    Prose,
    /// Lines of code.
    Code,
    /// The row of a table with this header.
    Row(Arc<str>),
}

/// The pieces of a block, each of at most `size` characters unless it is one word or one row.
pub(super) fn pieces(block: Block, size: usize) -> Vec<Piece> {
    let page = block.page;
    let mut pieces = match block.content {
        Content::Heading { text, .. } | Content::Paragraph(text) => prose(&text, size),
        Content::List(items) => list(&items, size),
        Content::Code(text) => code(text, size),
        Content::Table { header, rows } => table(&header, rows, size),
    };
    for piece in &mut pieces {
        piece.page = page;
    }
    if let Some(first) = pieces.first_mut() {
        first.gap = "\n\n";
    }
    pieces
}

fn piece(text: impl Into<String>, gap: &'static str, kind: Kind) -> Piece {
    Piece {
        text: text.into(),
        gap,
        page: None,
        kind,
    }
}

/// A paragraph whole, otherwise its sentences, otherwise as many words as fit.
fn prose(text: &str, size: usize) -> Vec<Piece> {
    if length(text) <= size {
        return vec![piece(text, " ", Kind::Prose)];
    }
    sentences(text)
        .flat_map(|sentence| words(sentence, size))
        .map(|text| piece(text, " ", Kind::Prose))
        .collect()
}

fn list(items: &[String], size: usize) -> Vec<Piece> {
    items
        .iter()
        .flat_map(|item| {
            let mut pieces = prose(item, size);
            if let Some(first) = pieces.first_mut() {
                first.gap = "\n";
            }
            pieces
        })
        .collect()
}

fn code(text: String, size: usize) -> Vec<Piece> {
    if length(&text) <= size {
        return vec![piece(text, "\n", Kind::Code)];
    }
    text.lines()
        .flat_map(|line| {
            if length(line) <= size {
                return vec![line.to_owned()];
            }
            words(line, size)
        })
        .map(|line| piece(line, "\n", Kind::Code))
        .collect()
}

fn table(header: &str, rows: Vec<String>, size: usize) -> Vec<Piece> {
    let shared: Arc<str> = header.into();
    let mut pieces = Vec::with_capacity(rows.len() + 1);
    // A header that has room beside no row is a row of its own.
    let has_room = |row: &String| length(header) + 1 + length(row) <= size;
    if !header.is_empty() && !rows.iter().any(has_room) {
        pieces.push(piece(header, "\n", Kind::Row("".into())));
    }
    for row in rows {
        pieces.push(piece(row, "\n", Kind::Row(Arc::clone(&shared))));
    }
    pieces
}

/// A text at the ends of its sentences.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = sentence_end(rest).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(sentence)
    })
}

/// The end of the first sentence: after a mark that white space and no small letter follow.
pub(super) fn sentence_end(text: &str) -> Option<usize> {
    for (at, letter) in text.char_indices() {
        if matches!(letter, '。' | '！' | '？') {
            return Some(at + letter.len_utf8());
        }
        if !matches!(letter, '.' | '!' | '?') {
            continue;
        }
        let end = at + letter.len_utf8();
        let after = text[end..].trim_start();
        let is_apart = after.len() < text.len() - end;
        if is_apart && !after.starts_with(char::is_lowercase) {
            return Some(end);
        }
    }
    None
}

/// A text as groups of words of at most `size` characters. A longer word stays whole.
fn words(text: &str, size: usize) -> Vec<String> {
    if length(text) <= size {
        return vec![text.to_owned()];
    }
    let mut groups: Vec<String> = Vec::new();
    let mut taken = 0;
    for word in text.split_whitespace() {
        let more = length(word);
        match groups.last_mut() {
            Some(group) if taken + 1 + more <= size => {
                group.push(' ');
                group.push_str(word);
                taken += 1 + more;
            }
            _ => {
                groups.push(word.to_owned());
                taken = more;
            }
        }
    }
    groups
}
