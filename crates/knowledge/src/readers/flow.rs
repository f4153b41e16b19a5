//! The blocks of a text with markup, in the order in which it is read. Nested lists become one list
//! whose items are indented.

use crate::document::{Block, Content, tidy};

/// Maximum indentation of an item, in levels.
const MOST_INDENTED: usize = 20;

#[derive(Default)]
pub(super) struct Flow {
    pub(super) blocks: Vec<Block>,
    /// The lists that are open, each with the number of its next item if it counts.
    lists: Vec<Option<u64>>,
    /// The items of the outermost list.
    items: Vec<String>,
    /// The marker before the next text of an item.
    mark: String,
}

impl Flow {
    /// A list begins; a numbered one with the number of its first item.
    pub(super) fn open_list(&mut self, first: Option<u64>) {
        self.lists.push(first);
    }

    pub(super) fn close_list(&mut self) {
        self.lists.pop();
        if self.lists.is_empty() {
            self.end_items();
        }
    }

    /// An item begins.
    pub(super) fn open_item(&mut self) {
        self.mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "- ".to_owned(),
        };
    }

    /// A text of an item, or a paragraph.
    pub(super) fn text(&mut self, text: &str) {
        let text = tidy(text);
        if text.is_empty() {
            return;
        }
        if self.lists.is_empty() {
            self.push(Content::Paragraph(text));
        } else {
            let mark = std::mem::take(&mut self.mark);
            let depth = self.lists.len() - usize::from(!mark.is_empty());
            let indent = "  ".repeat(depth.min(MOST_INDENTED));
            self.items.push(format!("{indent}{mark}{text}"));
        }
    }

    /// Writes the items so far; called before a block that no list can have.
    pub(super) fn end_items(&mut self) {
        if !self.items.is_empty() {
            let items = std::mem::take(&mut self.items);
            self.push(Content::List(items));
        }
    }

    pub(super) fn push(&mut self, content: Content) {
        self.blocks.push(Block::new(content));
    }
}
