//! What documents are made of, whatever their kind.

use serde::{Deserialize, Serialize};

const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const SLIDES: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
const WORKBOOK: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MediaType {
    /// `text/markdown`.
    Markdown,
    /// `text/html`.
    Html,
    /// `application/pdf`.
    Pdf,
    /// `text/plain`.
    PlainText,
    /// A Word document (`.docx`).
    Word,
    /// A presentation (`.pptx`).
    Slides,
    /// An Excel workbook (`.xlsx`).
    Workbook,
    /// An e-mail (`.eml`).
    Email,
}

impl MediaType {
    /// By the ending of a name.
    pub fn of_name(filename: &str) -> Option<Self> {
        let (_, ending) = filename.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdown" | "mkd" => Some(Self::Markdown),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "pdf" => Some(Self::Pdf),
            "txt" | "text" => Some(Self::PlainText),
            "docx" | "docm" => Some(Self::Word),
            "pptx" | "pptm" => Some(Self::Slides),
            "xlsx" | "xlsm" => Some(Self::Workbook),
            "eml" => Some(Self::Email),
            _ => None,
        }
    }

    /// Advice for a file of this name that cannot be a document, after a semicolon; empty if there
    /// is none.
    pub fn elsewhere(filename: &str) -> &'static str {
        let ending = filename.rsplit_once('.').map(|(_, ending)| ending);
        match ending.unwrap_or_default().to_ascii_lowercase().as_str() {
            "csv" | "tsv" | "parquet" | "sqlite" | "sqlite3" | "db" => {
                "; load a table as a spreadsheet (`heliograph targets load`), and readings of a plant as a logger file (`heliograph import`)"
            }
            "doc" | "xls" | "ppt" => "; save it in the newer format, such as .docx",
            "odt" | "ods" | "odp" | "rtf" | "pages" => "; save it as PDF or .docx",
            "png" | "jpg" | "jpeg" | "tif" | "tiff" | "heic" => {
                "; text in a picture is not read: save it as a PDF with text"
            }
            _ => "",
        }
    }

    /// By a content type, parameters ignored.
    pub fn of_content_type(value: &str) -> Option<Self> {
        let essence = value.split(';').next().unwrap_or_default().trim();
        match essence.to_ascii_lowercase().as_str() {
            "text/markdown" | "text/x-markdown" => Some(Self::Markdown),
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            "application/pdf" | "application/x-pdf" => Some(Self::Pdf),
            "text/plain" => Some(Self::PlainText),
            "message/rfc822" => Some(Self::Email),
            WORD => Some(Self::Word),
            SLIDES => Some(Self::Slides),
            WORKBOOK => Some(Self::Workbook),
            _ => None,
        }
    }

    /// As it is registered.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::Html => "text/html",
            Self::Pdf => "application/pdf",
            Self::PlainText => "text/plain",
            Self::Word => WORD,
            Self::Slides => SLIDES,
            Self::Workbook => WORKBOOK,
            Self::Email => "message/rfc822",
        }
    }
}

/// A document that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The title that the document has itself.
    pub title: Option<String>,
    /// Number of pages or slides that it has, for kinds that have them.
    pub pages: Option<u32>,
    /// The parts in their order.
    pub blocks: Vec<Block>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The contents of the part.
    pub content: Content,
    /// The page or slide that it is on, from 1.
    pub page: Option<u32>,
}

/// The contents of a part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The heading of what follows, level 1 the outermost.
    Heading {
        /// From 1.
        level: u8,
        /// The words of the heading.
        text: String,
    },
    /// Running text.
    Paragraph(String),
    /// Items of a list, marks and indentation in place.
    List(Vec<String>),
    /// Lines as they are.
    Code(String),
    /// A table.
    Table {
        /// The names of its columns; empty for a table without.
        header: String,
        /// Its rows, cells set apart by bars.
        rows: Vec<String>,
    },
}

impl Block {
    /// A part on no page in particular.
    pub fn new(content: Content) -> Self {
        Self {
            content,
            page: None,
        }
    }
}

/// White space of any kind and length as one blank, none at the ends.
pub(crate) fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !tidied.is_empty() {
            tidied.push(' ');
        }
        tidied.push_str(word);
    }
    tidied
}

/// Cells as a line of a table.
pub(crate) fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| tidy(cell)).collect();
    if cells.iter().all(String::is_empty) {
        return String::new();
    }
    format!("| {} |", cells.join(" | "))
}
