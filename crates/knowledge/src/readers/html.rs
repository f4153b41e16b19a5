//! HTML: headings, paragraphs, lists, tables and preformatted text. Scripts, styles, menus and what
//! other elements that are not text of the page are dropped.

use std::collections::HashMap;

use ego_tree::iter::Edge;
use ego_tree::{NodeId, Tree};
use html5ever::driver::{ParseOpts, parse_document};
use html5ever::tendril::TendrilSink;
use scraper::node::Element;
use scraper::{Html, HtmlTreeSink, Node};

use super::flow::Flow;
use crate::Error;
use crate::document::{Content, Document, row, tidy};

/// Elements that are dropped with their contents.
const DROPPED: [&str; 17] = [
    "script", "style", "nav", "noscript", "template", "iframe", "object", "svg", "canvas", "audio",
    "video", "select", "button", "textarea", "dialog", "map", "head",
];

/// Elements within a line; all others begin a new one.
const INLINE: [&str; 34] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "label", "mark", "q", "ruby", "rb", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
];

/// Levels of elements of a page. Browsers stop at 512; the parser walks over all open elements at
/// many a tag, so that time grows with their number.
const MOST_LEVELS: usize = 4_000;
/// Characters that are parsed between two looks at the depth.
const PART: usize = 4_096;

pub(super) fn read(text: &str) -> Result<Document, Error> {
    let html = parse(text)?;
    let mut reader = Reader::default();
    for edge in html.tree.root().traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Element(element) => reader.open(element),
                Node::Text(text) => reader.text(text),
                _ => {}
            },
            Edge::Close(node) => {
                if let Node::Element(element) = node.value() {
                    reader.close(element);
                }
            }
        }
    }
    reader.end_inline();
    Ok(Document {
        title: reader.title,
        pages: None,
        blocks: reader.flow.blocks,
    })
}

/// Parses a page part by part, and gives up where its elements are nested too deeply.
fn parse(text: &str) -> Result<Html, Error> {
    let sink = HtmlTreeSink::new(Html::new_document());
    let mut parser = parse_document(sink, ParseOpts::default());
    let mut levels = HashMap::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .char_indices()
            .nth(PART)
            .map_or(rest.len(), |(at, _)| at);
        let (part, after) = rest.split_at(end);
        parser.process(part.into());
        if deepest(&parser.tokenizer.sink.sink.0.borrow().tree, &mut levels) > MOST_LEVELS {
            return Err(Error::Broken(format!(
                "its elements are nested too deeply: more than {MOST_LEVELS} levels"
            )));
        }
        rest = after;
    }
    Ok(parser.finish())
}

/// The level of the deepest node that has been added since the last look.
fn deepest(tree: &Tree<Node>, levels: &mut HashMap<NodeId, usize>) -> usize {
    let all = tree.nodes();
    let added = all.len().saturating_sub(levels.len());
    let mut added: Vec<_> = all.rev().take(added).collect();
    added.reverse();
    let mut deepest = 0;
    for node in added {
        let parent = node.parent().and_then(|parent| levels.get(&parent.id()));
        let level = match parent {
            Some(parent) => parent + 1,
            // Its parent is younger than it is.
            None => node.ancestors().count(),
        };
        levels.insert(node.id(), level);
        deepest = deepest.max(level);
    }
    deepest
}

/// A page being read. Walked over without recursion, as pages may be nested as deep as they like.
#[derive(Default)]
struct Reader {
    flow: Flow,
    title: Option<String>,
    inline: String,
    /// Number of dropped elements around the current position.
    dropped: usize,
    in_title: bool,
    in_pre: usize,
    /// Number of tables around the current position; an inner table is text of the outer one's
    /// cell.
    tables: usize,
    cells: Vec<String>,
    header_cells: usize,
    header: String,
    rows: Vec<String>,
}

impl Reader {
    fn open(&mut self, element: &Element) {
        let name = element.name();
        if name == "title" && self.title.is_none() {
            self.in_title = true;
        }
        if is_dropped(element) {
            self.dropped += 1;
        }
        if self.dropped > 0 {
            return;
        }
        match name {
            "br" => self.inline.push(if self.in_pre > 0 { '\n' } else { ' ' }),
            "img" => {
                if let Some(words) = element.attr("alt") {
                    self.inline.push(' ');
                    self.inline.push_str(words);
                }
            }
            name if INLINE.contains(&name) => {}
            "table" => {
                if self.tables == 0 {
                    self.end_inline();
                    self.flow.end_items();
                }
                self.tables += 1;
            }
            _ if self.tables > 0 => self.inline.push(' '),
            name => {
                self.end_inline();
                match name {
                    "ul" | "menu" => self.flow.open_list(None),
                    "ol" => {
                        let start = element.attr("start").and_then(|start| start.parse().ok());
                        self.flow.open_list(Some(start.unwrap_or(1)));
                    }
                    "li" => self.flow.open_item(),
                    "pre" => self.in_pre += 1,
                    _ => {}
                }
            }
        }
    }

    fn close(&mut self, element: &Element) {
        let name = element.name();
        if name == "title" {
            self.in_title = false;
        }
        if is_dropped(element) {
            self.dropped = self.dropped.saturating_sub(1);
            return;
        }
        if self.dropped > 0 || INLINE.contains(&name) || matches!(name, "br" | "img") {
            return;
        }
        if self.tables > 0 {
            self.close_in_table(name);
            return;
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.as_bytes()[1] - b'0';
                let text = tidy(&std::mem::take(&mut self.inline));
                self.flow.end_items();
                if !text.is_empty() {
                    self.flow.push(Content::Heading { level, text });
                }
            }
            "pre" => {
                let code = std::mem::take(&mut self.inline);
                self.in_pre = self.in_pre.saturating_sub(1);
                self.flow.end_items();
                let code = code.trim_matches('\n').trim_end();
                if !code.trim().is_empty() {
                    self.flow.push(Content::Code(code.to_owned()));
                }
            }
            "ul" | "ol" | "menu" => {
                self.end_inline();
                self.flow.close_list();
            }
            _ => self.end_inline(),
        }
    }

    fn close_in_table(&mut self, name: &str) {
        if self.tables > 1 {
            self.tables -= usize::from(name == "table");
            self.inline.push(' ');
            return;
        }
        match name {
            "th" | "td" => {
                self.header_cells += usize::from(name == "th");
                let cell = std::mem::take(&mut self.inline);
                self.cells.push(cell);
            }
            "tr" => {
                let cells = std::mem::take(&mut self.cells);
                let is_header = self.header_cells == cells.len();
                self.header_cells = 0;
                let row = row(&cells);
                if row.is_empty() {
                } else if is_header && self.header.is_empty() && self.rows.is_empty() {
                    self.header = row;
                } else {
                    self.rows.push(row);
                }
            }
            "table" => {
                self.tables = 0;
                // Words beside the cells, where a user forgot them.
                self.end_inline();
                let header = std::mem::take(&mut self.header);
                let rows = std::mem::take(&mut self.rows);
                if !header.is_empty() || !rows.is_empty() {
                    self.flow.push(Content::Table { header, rows });
                }
            }
            "caption" => {
                let caption = tidy(&std::mem::take(&mut self.inline));
                if !caption.is_empty() {
                    self.flow.push(Content::Paragraph(caption));
                }
            }
            _ => self.inline.push(' '),
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_title && self.title.is_none() {
            let title = tidy(text);
            self.title = (!title.is_empty()).then_some(title);
        }
        if self.dropped == 0 {
            self.inline.extend(text.chars().filter(|c| *c != '\0'));
        }
    }

    fn end_inline(&mut self) {
        if self.in_pre == 0 {
            self.flow.text(&std::mem::take(&mut self.inline));
        }
    }
}

/// Whether an element is not text of the page: by its kind, or because it is hidden.
fn is_dropped(element: &Element) -> bool {
    DROPPED.contains(&element.name())
        || element.attr("hidden").is_some()
        || element.attr("aria-hidden") == Some("true")
        || element.attr("role") == Some("navigation")
}
