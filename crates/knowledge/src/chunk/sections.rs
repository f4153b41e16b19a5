//! Sections: what stands under one heading. Each has its own chunks, however short it is, so that a
//! quotation is cited with the heading above it.

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
    /// Whether it stands under all headings of another, and deeper.
    fn is_within(&self, outer: &Self) -> bool {
        self.headings.len() > outer.headings.len() && self.headings.starts_with(&outer.headings)
    }

    /// A section under the same headings but the last, without text.
    fn empty(&self) -> Self {
        let mut headings = self.headings.clone();
        headings.pop();
        Self {
            headings,
            blocks: Vec::new(),
            page: self.page,
        }
    }

    /// Itself with the headings of another, which are below its own, as text.
    fn with_heading_of(mut self, other: &Self) -> Self {
        self.blocks.push(Block {
            content: Content::Paragraph(other.headings[self.headings.len()..].join(" > ")),
            page: other.page,
        });
        self
    }
}

/// The sections of a document. A heading without text is among the headings of the sections nested
/// in it; where there are none it is text, together with others next to it, as in a table of
/// contents.
pub(super) fn sections(blocks: &[Block]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut bare: Option<Section> = None;
    let mut all = split(blocks).into_iter().peekable();
    while let Some(section) = all.next() {
        if !section.blocks.is_empty() {
            sections.extend(bare.take());
            sections.push(section);
        } else if !all.peek().is_some_and(|next| next.is_within(&section)) {
            let list = match bare.take() {
                Some(list) if section.headings.starts_with(&list.headings) => list,
                other => {
                    sections.extend(other);
                    section.empty()
                }
            };
            bare = Some(list.with_heading_of(&section));
        }
    }
    sections.extend(bare);
    sections
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
