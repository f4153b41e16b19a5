//! Cutting documents into chunks along their structure.
//!
//! A section, which is what stands under one heading, is cut on its own, so that a change in one
//! section leaves the chunks of the others alone. A chunk is of one section and of one page: the
//! heading and the page that an answer cites are those of the sentence that it quotes. Within a
//! page of a section blocks are packed until a chunk is full; what does not fit into one is cut
//! where it hurts least: text between sentences, otherwise between words; lists between items; code
//! between lines; tables between rows, with the header repeated. Words and rows are never cut. Text
//! repeats the end of the chunk before it; on a new page, only a sentence that continues there.
//!
//! The same document always makes the same chunks.
//!
//! Own code, since kept splitters take a text: they have lost the pages, the headings and the rows
//! of a table by then, which a chunk needs for its citation.

mod pack;
mod pieces;
mod sections;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::document::Document;
use crate::settings::ChunkSettings;

/// A part of a document that is found as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// The chunk's text, without its headings.
    pub content: String,
    /// The page that it stands on, from 1.
    pub page: Option<u32>,
}

impl Chunk {
    /// The text to embed: the chunk's text with its headings as context.
    pub fn embedded_text(&self) -> String {
        embedded_text(&self.headings, &self.content)
    }

    /// SHA-256 of what is embedded.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.embedded_text()).into()
    }
}

/// A text with its headings as context.
pub(crate) fn embedded_text(headings: &[String], content: &str) -> String {
    if headings.is_empty() {
        return content.to_owned();
    }
    format!("{}\n\n{content}", headings.join(" > "))
}

/// Cuts a document.
pub fn chunks(document: &Document, settings: ChunkSettings) -> Vec<Chunk> {
    let sections = sections::sections(&document.blocks);
    let mut chunks = Vec::new();
    for section in sections {
        pack::pack(section, settings, &mut chunks);
    }
    chunks
}

/// The length of a text in characters.
fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests;
