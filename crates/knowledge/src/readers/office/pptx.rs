//! Presentations: each slide is a page, its title a heading, its notes follow it.

use super::{Package, Reference, Tag, Visit};
use crate::Error;
use crate::document::{Block, Content, Document, MediaType, row, tidy};

const MAIN: &str = "ppt/presentation.xml";

pub(in super::super) fn read(bytes: &[u8]) -> Result<Document, Error> {
    let mut package = Package::open(bytes, MediaType::Slides, MAIN)?;
    let mut order = Order::default();
    package.walk(MAIN, &mut order)?;
    let references = package.references(MAIN)?;
    let mut document = Document {
        title: package.title()?,
        pages: u32::try_from(order.slides.len()).ok(),
        blocks: Vec::new(),
    };
    for (number, id) in (1..).zip(&order.slides) {
        let Some(Reference { path, .. }) = references.get(id) else {
            return Err(Error::Broken(format!("its slide {number} is missing")));
        };
        let mut slide = Slide::default();
        if !package.walk(path, &mut slide)? {
            return Err(Error::Broken(format!("its slide {number} is missing")));
        }
        let mut notes = Slide::default();
        let beside = package.references(path)?;
        if let Some(part) = beside.values().find(|part| part.kind == "notesSlide") {
            package.walk(&part.path, &mut notes)?;
        }
        let title = slide
            .title
            .take()
            .unwrap_or_else(|| format!("Slide {number}"));
        let mut contents = slide.contents;
        // The notes page shows the slide and its number again.
        let spoken = notes.contents.into_iter().filter(|content| match content {
            Content::Paragraph(text) => *text != number.to_string(),
            _ => true,
        });
        contents.extend(spoken);
        if contents.is_empty() && title.starts_with("Slide ") {
            continue;
        }
        contents.insert(
            0,
            Content::Heading {
                level: 1,
                text: title,
            },
        );
        let blocks = contents.into_iter().map(|content| Block {
            content,
            page: Some(number),
        });
        document.blocks.extend(blocks);
    }
    Ok(document)
}

/// The slides in the order in which they are shown.
#[derive(Default)]
struct Order {
    slides: Vec<String>,
}

impl Visit for Order {
    fn open(&mut self, tag: &Tag) {
        if tag.name == "sldId"
            && let Some(id) = tag.get_prefixed("id")
        {
            self.slides.push(id.to_owned());
        }
    }

    fn close(&mut self, _: &str) {}

    fn text(&mut self, _: &str) {}
}

/// The content of a shape of a slide.
#[derive(Default, PartialEq)]
enum Shape {
    #[default]
    Content,
    Title,
    /// A picture of the slide, its number, date or footer.
    Furniture,
}

/// A slide being read, or its notes.
#[derive(Default)]
struct Slide {
    title: Option<String>,
    contents: Vec<Content>,
    shape: Shape,
    in_text: bool,
    dropped: usize,
    level: usize,
    text: String,
    /// Paragraphs of the shape, each with its level.
    paragraphs: Vec<(usize, String)>,
    in_table: bool,
    cells: Vec<String>,
    rows: Vec<String>,
}

impl Slide {
    fn end_shape(&mut self) {
        let paragraphs = std::mem::take(&mut self.paragraphs);
        if self.shape == Shape::Furniture || paragraphs.is_empty() {
            return;
        }
        if self.shape == Shape::Title && self.title.is_none() {
            let words: Vec<&str> = paragraphs.iter().map(|(_, text)| text.as_str()).collect();
            self.title = Some(words.join(" "));
            return;
        }
        let content = match paragraphs.as_slice() {
            [(_, text)] => Content::Paragraph(text.clone()),
            _ => Content::List(
                paragraphs
                    .into_iter()
                    .map(|(level, text)| format!("{}- {text}", "  ".repeat(level)))
                    .collect(),
            ),
        };
        self.contents.push(content);
    }
}

impl Visit for Slide {
    fn open(&mut self, tag: &Tag) {
        if tag.name == "Fallback" {
            self.dropped += 1;
        }
        if self.dropped > 0 {
            return;
        }
        match tag.name.as_str() {
            "sp" => self.shape = Shape::Content,
            "ph" => {
                self.shape = match tag.get("type").unwrap_or_default() {
                    "title" | "ctrTitle" => Shape::Title,
                    "sldNum" | "dt" | "ftr" | "hdr" | "sldImg" => Shape::Furniture,
                    _ => Shape::Content,
                };
            }
            "p" => self.level = 0,
            "pPr" => {
                let level = tag.get("lvl").and_then(|level| level.parse().ok());
                self.level = level.unwrap_or(0).min(8);
            }
            "t" => self.in_text = true,
            "br" | "tab" => self.text.push(' '),
            "tbl" => self.in_table = true,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if name == "Fallback" {
            self.dropped = self.dropped.saturating_sub(1);
            return;
        }
        if self.dropped > 0 {
            return;
        }
        match name {
            "t" => self.in_text = false,
            "p" if self.in_table => self.text.push(' '),
            "p" => {
                let text = tidy(&std::mem::take(&mut self.text));
                if !text.is_empty() {
                    self.paragraphs.push((self.level, text));
                }
            }
            "sp" => self.end_shape(),
            "tc" => self.cells.push(std::mem::take(&mut self.text)),
            "tr" => {
                let row = row(&std::mem::take(&mut self.cells));
                if !row.is_empty() {
                    self.rows.push(row);
                }
            }
            "tbl" => {
                self.in_table = false;
                let mut rows = std::mem::take(&mut self.rows);
                if rows.is_empty() {
                    return;
                }
                let header = if rows.len() > 1 {
                    rows.remove(0)
                } else {
                    String::new()
                };
                self.contents.push(Content::Table { header, rows });
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_text && self.dropped == 0 {
            self.text.push_str(text);
        }
    }
}
