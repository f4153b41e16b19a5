//! Sections: what stands under one heading. Short ones join a neighbour, so that no chunk is a lone
//! line and none is lost.

use super::length;
use crate::document::{Block, Content};

/// The blocks under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// The headings above it, outermost first.
    pub(super) headings: Vec<String>,
    pub(super) blocks: Vec<Block>,
    /// The page of its heading.
    page: Option<u32>,
}

impl Section {
    fn length(&self) -> usize {
        self.blocks
            .iter()
            .map(|block| match &block.content {
                Content::Heading { text, .. } | Content::Paragraph(text) | Content::Code(text) => {
                    length(text)
                }
                Content::List(items) => items.iter().map(|item| length(item)).sum(),
                Content::Table { header, rows } => {
                    length(header) + rows.iter().map(|row| length(row)).sum::<usize>()
                }
            })
            .sum()
    }

    /// Whether it stands under all headings of another, and deeper.
    fn is_within(&self, outer: &Self) -> bool {
        self.headings.len() > outer.headings.len() && self.headings.starts_with(&outer.headings)
    }

    /// Its blocks for a section under other headings: those of its own that the other lacks come as
    /// text before them.
    fn into_blocks_under(mut self, headings: &[String]) -> Vec<Block> {
        let shared = self
            .headings
            .iter()
            .zip(headings)
            .take_while(|(own, other)| own == other)
            .count();
        if shared < self.headings.len() {
            let heading = Block {
                content: Content::Paragraph(self.headings[shared..].join(" > ")),
                page: self.page,
            };
            self.blocks.insert(0, heading);
        }
        self.blocks
    }
}

/// The sections of a document, those of fewer than `minimum` characters joined to a neighbour.
pub(super) fn sections(blocks: &[Block], minimum: usize) -> Vec<Section> {
    let mut joined: Vec<Section> = Vec::new();
    // Blocks that go before the next section's.
    let mut waiting: Vec<Block> = Vec::new();
    let mut all = split(blocks).into_iter().peekable();
    while let Some(mut section) = all.next() {
        section.blocks.splice(0..0, std::mem::take(&mut waiting));
        if section.length() >= minimum.max(1) {
            joined.push(section);
            continue;
        }
        match all.peek() {
            // The headings of a nested section include this section's.
            Some(next) if next.is_within(&section) => waiting = section.blocks,
            next => match (joined.last_mut(), next) {
                (Some(last), _) => {
                    let blocks = section.into_blocks_under(&last.headings);
                    last.blocks.extend(blocks);
                }
                (None, Some(next)) => waiting = section.into_blocks_under(&next.headings),
                (None, None) => joined.push(alone(section)),
            },
        }
    }
    joined
}

/// A section that has no neighbour. Where it has no text, its headings are.
fn alone(section: Section) -> Section {
    if section.blocks.is_empty() {
        return Section {
            headings: Vec::new(),
            blocks: section.into_blocks_under(&[]),
            page: None,
        };
    }
    section
}

fn split(blocks: &[Block]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut path: Vec<(u8, String)> = Vec::new();
    for block in blocks {
        match &block.content {
            Content::Heading { level, text } => {
                path.retain(|(outer, _)| outer < level);
                path.push((*level, text.clone()));
                sections.push(Section {
                    headings: path.iter().map(|(_, text)| text.clone()).collect(),
                    blocks: Vec::new(),
                    page: block.page,
                });
            }
            _ => match sections.last_mut() {
                Some(section) => section.blocks.push(block.clone()),
                None => sections.push(Section {
                    headings: Vec::new(),
                    blocks: vec![block.clone()],
                    page: block.page,
                }),
            },
        }
    }
    sections
}
