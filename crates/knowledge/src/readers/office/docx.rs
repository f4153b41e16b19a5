//! Word documents: headings by style or outline level, paragraphs, lists, tables, footnotes. Text
//! that a tracked change deleted, comments, headers and footers are not read.

use std::collections::HashMap;

use super::{Package, Tag, Visit};
use crate::Error;
use crate::document::{Block, Content, Document, MediaType, row, tidy};

const MAIN: &str = "word/document.xml";
/// Maximum number of styles on which a style is based.
const MOST_BASES: usize = 20;
/// Maximum number of columns that a cell spans.
const MOST_SPAN: usize = 200;

pub(in super::super) fn read(bytes: &[u8]) -> Result<Document, Error> {
    let mut package = Package::open(bytes, MediaType::Word, MAIN)?;
    let mut styles = Styles::default();
    package.walk("word/styles.xml", &mut styles)?;
    let mut body = Body::new(styles);
    package.walk(MAIN, &mut body)?;
    body.end();
    let mut notes = Body::new(Styles::default());
    package.walk("word/footnotes.xml", &mut notes)?;
    package.walk("word/endnotes.xml", &mut notes)?;
    notes.end();
    let mut blocks = body.blocks;
    blocks.extend(notes.blocks.into_iter().map(|block| Block {
        page: None,
        ..block
    }));
    // Only a document that a word processor has laid out knows its pages.
    if body.page == 1 {
        for block in &mut blocks {
            block.page = None;
        }
    }
    Ok(Document {
        title: package.title()?.or(body.title),
        pages: (body.page > 1).then_some(body.page),
        blocks,
    })
}

/// The styles of paragraphs, of which the headings count.
#[derive(Default)]
struct Styles {
    current: Option<String>,
    styles: HashMap<String, Style>,
}

#[derive(Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
}

/// The role of a paragraph by its style.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Title,
    Heading(u8),
    Text,
}

impl Styles {
    fn role(&self, id: &str) -> Role {
        let mut id = id;
        for _ in 0..MOST_BASES {
            let Some(style) = self.styles.get(id) else {
                return by_name(id);
            };
            // The name is English whatever the language of the program; the id is not.
            match by_name(&style.name) {
                Role::Text => {}
                role => return role,
            }
            if let Some(level) = style.outline {
                return Role::Heading(level + 1);
            }
            match &style.based_on {
                Some(base) => id = base,
                None => break,
            }
        }
        Role::Text
    }
}

fn by_name(name: &str) -> Role {
    let name: String = name
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    if name == "title" {
        return Role::Title;
    }
    let level = name.strip_prefix("heading").map(str::parse);
    match level {
        Some(Ok(level @ 1..=9)) => Role::Heading(level),
        _ => Role::Text,
    }
}

impl Visit for Styles {
    fn open(&mut self, tag: &Tag) {
        if tag.name == "style" {
            self.current = tag.get("styleId").map(str::to_owned);
            if let Some(id) = &self.current {
                self.styles.entry(id.clone()).or_default();
            }
            return;
        }
        let current = self.current.as_ref();
        let Some(style) = current.and_then(|id| self.styles.get_mut(id)) else {
            return;
        };
        let value = tag.get("val");
        match tag.name.as_str() {
            "name" => value.unwrap_or_default().clone_into(&mut style.name),
            "basedOn" => style.based_on = value.map(str::to_owned),
            "outlineLvl" => style.outline = outline(tag),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if name == "style" {
            self.current = None;
        }
    }

    fn text(&mut self, _: &str) {}
}

/// 0 to 8; 9 is body text.
fn outline(tag: &Tag) -> Option<u8> {
    tag.get("val")
        .and_then(|level| level.parse().ok())
        .filter(|level| *level < 9)
}

/// The text of a document being read.
struct Body {
    styles: Styles,
    blocks: Vec<Block>,
    title: Option<String>,
    /// Whether a title came before the headings.
    has_title: bool,
    page: u32,
    /// Page of the paragraph that is open.
    began: u32,
    text: String,
    /// Whether text counts: inside `w:t`.
    in_text: bool,
    /// Number of elements around the current position that are dropped.
    dropped: usize,
    role: Role,
    /// The level of the list item that is open.
    level: Option<usize>,
    items: Vec<String>,
    items_page: u32,
    tables: Vec<Table>,
}

#[derive(Default)]
struct Table {
    /// Each with its page.
    rows: Vec<(u32, Vec<String>)>,
    cells: Vec<String>,
    cell: String,
    span: usize,
    /// The page of the open row: that of its first text.
    page: Option<u32>,
}

impl Table {
    /// The rows that are not empty, as text, each with its page.
    fn into_rows(self) -> impl Iterator<Item = (u32, String)> {
        let rows = self.rows.into_iter();
        rows.map(|(page, cells)| (page, row(&cells)))
            .filter(|(_, row)| !row.is_empty())
    }
}

impl Body {
    fn new(styles: Styles) -> Self {
        Self {
            styles,
            blocks: Vec::new(),
            title: None,
            has_title: false,
            page: 1,
            began: 1,
            text: String::new(),
            in_text: false,
            dropped: 0,
            role: Role::Text,
            level: None,
            items: Vec::new(),
            items_page: 1,
            tables: Vec::new(),
        }
    }

    fn push(&mut self, content: Content, page: u32) {
        self.blocks.push(Block {
            content,
            page: Some(page),
        });
    }

    /// Ends a paragraph.
    fn paragraph(&mut self) {
        let text = std::mem::take(&mut self.text);
        let (role, level) = (self.role, self.level.take());
        self.role = Role::Text;
        let text = tidy(&text);
        if text.is_empty() {
            return;
        }
        if let Some(table) = self.tables.last_mut() {
            table.page.get_or_insert(self.began);
            table.cell.push(' ');
            table.cell.push_str(&text);
            return;
        }
        if let (Some(level), Role::Text) = (level, role) {
            if self.items_page != self.began {
                self.end();
            }
            if self.items.is_empty() {
                self.items_page = self.began;
            }
            self.items
                .push(format!("{}- {text}", "  ".repeat(level.min(8))));
            return;
        }
        self.end();
        let page = self.began;
        match role {
            Role::Title => {
                self.title.get_or_insert_with(|| text.clone());
                self.has_title = true;
                self.push(Content::Heading { level: 1, text }, page);
            }
            Role::Heading(level) => {
                let level = level.saturating_add(u8::from(self.has_title)).min(9);
                self.push(Content::Heading { level, text }, page);
            }
            Role::Text => self.push(Content::Paragraph(text), page),
        }
    }

    /// Ends a list.
    fn end(&mut self) {
        if !self.items.is_empty() {
            let items = std::mem::take(&mut self.items);
            self.push(Content::List(items), self.items_page);
        }
    }

    fn close_table(&mut self) {
        let Some(table) = self.tables.pop() else {
            return;
        };
        let mut rows = table.into_rows();
        if let Some(outer) = self.tables.last_mut() {
            // A table in a cell is text of the cell.
            for (_, row) in rows {
                outer.cell.push(' ');
                outer.cell.push_str(row.trim_matches(['|', ' ']));
            }
            return;
        }
        let Some((first_page, first)) = rows.next() else {
            return;
        };
        let mut pages: Vec<(u32, Vec<String>)> = Vec::new();
        for (page, row) in rows {
            match pages.last_mut() {
                Some((last, rows)) if *last == page => rows.push(row),
                _ => pages.push((page, vec![row])),
            }
        }
        if pages.is_empty() {
            let (header, rows) = (String::new(), vec![first]);
            return self.push(Content::Table { header, rows }, first_page);
        }
        // Each page has the header, as it does in print.
        for (page, rows) in pages {
            let header = first.clone();
            self.push(Content::Table { header, rows }, page);
        }
    }

    /// Begins a page. Text of a paragraph that continues there is a block of its page.
    fn turn_page(&mut self) {
        let is_text = self.role == Role::Text && self.level.is_none() && self.tables.is_empty();
        let text = tidy(&self.text);
        if is_text && !text.is_empty() {
            self.text.clear();
            self.end();
            self.push(Content::Paragraph(text.clone()), self.began);
        }
        self.page = self.page.saturating_add(1);
        if is_text || text.is_empty() {
            self.began = self.page;
        }
    }
}

impl Visit for Body {
    fn open(&mut self, tag: &Tag) {
        let name = tag.name.as_str();
        // What a change deleted or moved away, and the second form of a drawing.
        if matches!(name, "Fallback" | "del" | "moveFrom") {
            self.dropped += 1;
        }
        if self.dropped > 0 {
            return;
        }
        match name {
            "p" => {
                // A paragraph in a text box ends none that is around it.
                if tidy(&self.text).is_empty() {
                    self.began = self.page;
                }
                self.text.push(' ');
            }
            "pStyle" => self.role = self.styles.role(tag.get("val").unwrap_or_default()),
            "outlineLvl" => {
                if let Some(level) = outline(tag) {
                    self.role = Role::Heading(level + 1);
                }
            }
            "numPr" => self.level = self.level.or(Some(0)),
            "ilvl" => self.level = tag.get("val").and_then(|level| level.parse().ok()),
            // Number 0 takes the number away that a style gives.
            "numId" if tag.get("val") == Some("0") => self.level = None,
            "t" => self.in_text = true,
            "tab" | "br" | "cr" => self.text.push(' '),
            "noBreakHyphen" => self.text.push('-'),
            "lastRenderedPageBreak" => self.turn_page(),
            "tbl" => {
                if self.tables.is_empty() {
                    self.end();
                }
                self.tables.push(Table::default());
            }
            "tc" => {
                if let Some(table) = self.tables.last_mut() {
                    table.cell.clear();
                    table.span = 1;
                }
            }
            "gridSpan" => {
                if let Some(table) = self.tables.last_mut() {
                    let span = tag.get("val").and_then(|span| span.parse().ok());
                    table.span = span.unwrap_or(1).clamp(1, MOST_SPAN);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if matches!(name, "Fallback" | "del" | "moveFrom") {
            self.dropped = self.dropped.saturating_sub(1);
            return;
        }
        if self.dropped > 0 {
            return;
        }
        match name {
            "t" => self.in_text = false,
            "p" => self.paragraph(),
            "tc" => {
                if let Some(table) = self.tables.last_mut() {
                    let cell = std::mem::take(&mut table.cell);
                    table.cells.push(cell);
                    for _ in 1..table.span {
                        table.cells.push(String::new());
                    }
                }
            }
            "tr" => {
                if let Some(table) = self.tables.last_mut() {
                    let cells = std::mem::take(&mut table.cells);
                    let page = table.page.take().unwrap_or(self.page);
                    table.rows.push((page, cells));
                }
            }
            "tbl" => self.close_table(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_text && self.dropped == 0 {
            self.text.push_str(text);
        }
    }
}
