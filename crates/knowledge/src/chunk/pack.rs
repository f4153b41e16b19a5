//! Packing the pieces of a section into chunks.

use super::pieces::{Kind, Piece, pieces, sentence_end, sentences};
use super::sections::Section;
use super::{Chunk, length};
use crate::settings::ChunkSettings;

/// Adds the chunks of a section.
pub(super) fn pack(section: Section, settings: ChunkSettings, chunks: &mut Vec<Chunk>) {
    let mut open = Open::new(&section.headings, settings);
    for block in section.blocks {
        for piece in pieces(block, settings.size) {
            open.take(&piece, chunks);
        }
    }
    open.close(chunks);
}

/// A chunk that is being filled.
struct Open<'a> {
    headings: &'a [String],
    settings: ChunkSettings,
    text: String,
    length: usize,
    page: Option<u32>,
    /// The start in `text` of the prose at its end; `None` when it ends with something else.
    prose_from: Option<usize>,
    /// The header of the table that it ends with.
    header: Option<std::sync::Arc<str>>,
    /// Whether it holds anything that the chunk before it does not.
    is_new: bool,
    /// Whether it begins with the part of a sentence that is on the page before.
    goes_on: bool,
}

impl<'a> Open<'a> {
    fn new(headings: &'a [String], settings: ChunkSettings) -> Self {
        Self {
            headings,
            settings,
            text: String::new(),
            length: 0,
            page: None,
            prose_from: None,
            header: None,
            is_new: false,
            goes_on: false,
        }
    }

    fn take(&mut self, piece: &Piece, chunks: &mut Vec<Chunk>) {
        let mut lead = self.lead(piece);
        if self.is_new && self.page != piece.page {
            self.turn_page(piece, chunks);
            lead = self.lead(piece);
        } else if self.is_new && !self.fits(&lead, piece) {
            self.turn_over(piece, chunks);
            lead = self.lead(piece);
        }
        if !self.fits(&lead, piece) {
            // What was repeated, or the table's header, gives way to what is new.
            if !self.is_new {
                self.empty();
            }
            lead = self.lead(piece);
            if !self.fits(&lead, piece) {
                lead.clear();
            }
        }
        self.push(&lead, piece);
    }

    /// What goes between the text so far and a piece: the gap, and a table's header.
    fn lead(&self, piece: &Piece) -> String {
        let gap = match (self.text.is_empty(), self.goes_on) {
            (true, _) => "",
            (false, true) => " ",
            (false, false) => piece.gap,
        };
        match &piece.kind {
            Kind::Row(header) if !header.is_empty() && self.header.as_ref() != Some(header) => {
                format!("{gap}{header}\n")
            }
            _ => gap.to_owned(),
        }
    }

    fn fits(&self, lead: &str, piece: &Piece) -> bool {
        self.length + length(lead) + length(&piece.text) <= self.settings.size
    }

    fn push(&mut self, lead: &str, piece: &Piece) {
        if !self.is_new {
            self.page = piece.page;
        }
        self.text.push_str(lead);
        let from = self.text.len();
        self.text.push_str(&piece.text);
        self.length += length(lead) + length(&piece.text);
        self.prose_from = match piece.kind {
            Kind::Prose => self.prose_from.or(Some(from)),
            _ => None,
        };
        self.header = match &piece.kind {
            // A row without room for its header leaves the header to the next row.
            Kind::Row(header)
                if !lead.trim().is_empty() || self.header.as_ref() == Some(header) =>
            {
                Some(std::sync::Arc::clone(header))
            }
            _ => None,
        };
        self.is_new = true;
        self.goes_on = false;
    }

    /// Ends the chunk and begins the next one, with the end of this one if both are prose.
    fn turn_over(&mut self, next: &Piece, chunks: &mut Vec<Chunk>) {
        let tail = match (&next.kind, self.prose_from) {
            (Kind::Prose, Some(from)) => tail(&self.text[from..], self.settings.overlap).to_owned(),
            _ => String::new(),
        };
        self.begin_with(tail, chunks);
    }

    /// Ends the chunk at the end of a page. A sentence that continues is repeated, so that it is
    /// whole on one page; other text is not, since it would be cited with the next page.
    fn turn_page(&mut self, next: &Piece, chunks: &mut Vec<Chunk>) {
        let goes_on = matches!(next.kind, Kind::Prose) && next.text.starts_with(char::is_lowercase);
        let tail = match self.prose_from.filter(|_| goes_on) {
            Some(from) => open_sentence(&self.text[from..], self.settings.overlap).to_owned(),
            None => String::new(),
        };
        self.begin_with(tail, chunks);
        self.goes_on = !self.text.is_empty();
    }

    fn begin_with(&mut self, tail: String, chunks: &mut Vec<Chunk>) {
        self.finish(chunks);
        self.length = length(&tail);
        self.prose_from = (!tail.is_empty()).then_some(0);
        self.text = tail;
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) {
        chunks.push(Chunk {
            headings: self.headings.to_vec(),
            content: std::mem::take(&mut self.text),
            page: self.page,
        });
        self.empty();
    }

    fn empty(&mut self) {
        self.text.clear();
        self.length = 0;
        self.page = None;
        self.prose_from = None;
        self.header = None;
        self.is_new = false;
        self.goes_on = false;
    }

    fn close(mut self, chunks: &mut Vec<Chunk>) {
        if self.is_new {
            self.finish(chunks);
        }
    }
}

/// The sentence at the end of a text that has no end there, if it has at most `most` characters.
fn open_sentence(text: &str, most: usize) -> &str {
    let line = text.rsplit('\n').next().unwrap_or_default();
    let last = sentences(line).last().unwrap_or_default();
    let is_open = !last.ends_with(['.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}']);
    if is_open && length(last) <= most {
        last
    } else {
        ""
    }
}

/// The end of a text: at most `most` characters, from the start of a sentence if there is one.
fn tail(text: &str, most: usize) -> &str {
    if most == 0 {
        return "";
    }
    let from = text
        .char_indices()
        .rev()
        .nth(most - 1)
        .map_or(0, |(at, _)| at);
    let window = &text[from..];
    if from == 0 {
        return window;
    }
    // The window may begin within a word, which is left out then.
    let is_at_word = text[..from].ends_with(char::is_whitespace);
    let window = if is_at_word {
        window
    } else {
        window
            .find(char::is_whitespace)
            .map_or("", |at| &window[at..])
    };
    let window = window.trim_start();
    match sentence_end(window) {
        Some(end) if end < window.len() => window[end..].trim_start(),
        _ => window,
    }
}
