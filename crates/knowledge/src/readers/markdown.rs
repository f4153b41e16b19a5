//! Markdown, with tables.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::flow::Flow;
use super::html;
use crate::Error;
use crate::document::{Content, Document, row, tidy};

pub(super) fn read(text: &str) -> Result<Document, Error> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, options) {
        reader.take(event);
    }
    reader.end_inline();
    if let Some(broken) = reader.broken {
        return Err(broken);
    }
    Ok(Document {
        title: reader.title,
        pages: None,
        blocks: reader.flow.blocks,
    })
}

/// A document being read. Text gathers in `inline` until the block that it belongs to ends.
#[derive(Default)]
struct Reader {
    flow: Flow,
    /// Why a part in HTML cannot be read.
    broken: Option<Error>,
    title: Option<String>,
    inline: String,
    cells: Vec<String>,
    header: String,
    rows: Vec<String>,
    html: String,
    in_metadata: bool,
    in_code: bool,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if !self.in_metadata => self.inline.push_str(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.inline.push_str(&text);
            }
            Event::Html(text) => self.html.push_str(&text),
            Event::InlineHtml(tag) if tag.starts_with("<br") => self.inline.push(' '),
            Event::SoftBreak | Event::HardBreak => self.inline.push(' '),
            Event::TaskListMarker(done) => {
                self.inline.push_str(if done { "[x] " } else { "[ ] " });
            }
            Event::Text(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::Rule => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::List(number) => {
                self.end_inline();
                self.flow.open_list(*number);
            }
            Tag::Item => {
                self.end_inline();
                self.flow.open_item();
            }
            Tag::CodeBlock(_) => {
                self.end_inline();
                self.in_code = true;
            }
            Tag::MetadataBlock(_) => self.in_metadata = true,
            Tag::Paragraph | Tag::Heading { .. } | Tag::BlockQuote(_) | Tag::HtmlBlock => {
                self.end_inline();
            }
            Tag::Table(_) => {
                self.end_inline();
                self.flow.end_items();
                self.header.clear();
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::Paragraph | TagEnd::Item | TagEnd::BlockQuote(_) => self.end_inline(),
            TagEnd::List(_) => {
                self.end_inline();
                self.flow.close_list();
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                let code = std::mem::take(&mut self.inline);
                self.flow.end_items();
                self.flow.push(Content::Code(code.trim_end().to_owned()));
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                self.cells.push(cell);
            }
            TagEnd::TableHead => {
                let cells = std::mem::take(&mut self.cells);
                self.header = row(&cells);
            }
            TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                self.rows.push(row(&cells));
            }
            TagEnd::Table => {
                let rows = std::mem::take(&mut self.rows);
                let header = std::mem::take(&mut self.header);
                self.flow.push(Content::Table {
                    header,
                    rows: rows.into_iter().filter(|row| !row.is_empty()).collect(),
                });
            }
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                self.flow.end_items();
                match html::read(&html) {
                    Ok(page) => self.flow.blocks.extend(page.blocks),
                    Err(error) => self.broken = Some(error),
                }
            }
            TagEnd::MetadataBlock(_) => self.in_metadata = false,
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        let text = tidy(&std::mem::take(&mut self.inline));
        self.flow.end_items();
        if text.is_empty() {
            return;
        }
        if self.title.is_none() && level == HeadingLevel::H1 {
            self.title = Some(text.clone());
        }
        self.flow.push(Content::Heading {
            level: level as u8,
            text,
        });
    }

    /// Ends what text has gathered: an item's, or a paragraph's.
    fn end_inline(&mut self) {
        if !self.in_code {
            self.flow.text(&std::mem::take(&mut self.inline));
        }
    }
}
