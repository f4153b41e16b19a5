//! Office files: zipped XML, read part by part and event by event.
//!
//! The files come from any source. What they inflate to is counted before anything is made of it,
//! a document type (and so every entity) is refused, and elements may be nested so deep only.

pub(super) mod docx;
pub(super) mod pptx;
pub(super) mod xlsx;

use std::collections::HashMap;
use std::io::{BufReader, Cursor, Read};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;

use crate::Error;
use crate::document::{MediaType, tidy};

/// Maximum number of bytes that all parts inflate to. Tests need not inflate that much.
const MOST_BYTES: u64 = if cfg!(test) { 8 << 20 } else { 256 << 20 };
/// Maximum number of parts.
const MOST_PARTS: usize = 10_000;
/// Maximum depth of nested elements.
const MOST_DEPTH: usize = 256;
/// The bytes of a part that may hold a document type.
const PROLOGUE: usize = 4096;

fn broken(why: impl Into<String>) -> Error {
    Error::Broken(why.into())
}

/// An office file.
pub(super) struct Package<'a> {
    parts: ZipArchive<Cursor<&'a [u8]>>,
}

impl<'a> Package<'a> {
    /// Opens a file after its parts were counted. `main` is the part without which it is another
    /// kind of file.
    pub(super) fn open(bytes: &'a [u8], kind: MediaType, main: &str) -> Result<Self, Error> {
        let mut parts = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Error::cut())?;
        if parts.len() > MOST_PARTS {
            return Err(broken(format!("it has more than {MOST_PARTS} parts")));
        }
        if parts.index_for_name(main).is_none() {
            let is = [
                ("word/document.xml", "a Word document (.docx)"),
                ("ppt/presentation.xml", "a presentation (.pptx)"),
                ("xl/workbook.xml", "an Excel workbook (.xlsx)"),
                (
                    "content.xml",
                    "an OpenDocument file; save it as an Office file",
                ),
            ];
            let found = is
                .iter()
                .find(|(part, _)| *part != main && parts.index_for_name(part).is_some());
            return Err(broken(match found {
                Some((_, found)) => format!("its name ends as {}, but it is {found}", name(kind)),
                None => format!("it has no part {main:?}, so it is not {}", name(kind)),
            }));
        }
        count(&mut parts)?;
        Ok(Self { parts })
    }

    /// Takes the elements and the text of a part one after the other. False if there is no such
    /// part.
    pub(super) fn walk(&mut self, part: &str, visitor: &mut impl Visit) -> Result<bool, Error> {
        let Ok(file) = self.parts.by_name(part) else {
            return Ok(false);
        };
        let fault =
            |why: &dyn std::fmt::Display| Error::damaged(format!("its part {part:?} {why}"));
        let mut reader = quick_xml::Reader::from_reader(BufReader::new(file.take(MOST_BYTES)));
        let mut buffer = Vec::new();
        let mut path: Vec<Tag> = Vec::new();
        loop {
            buffer.clear();
            let event = reader
                .read_event_into(&mut buffer)
                .map_err(|error| fault(&format!("is broken XML: {error}")))?;
            match event {
                Event::Start(start) => {
                    if path.len() >= MOST_DEPTH {
                        return Err(fault(&"is nested too deeply"));
                    }
                    let tag = Tag::of(&start).map_err(|error| fault(&error))?;
                    visitor.open(&tag);
                    path.push(tag);
                }
                Event::Empty(start) => {
                    let tag = Tag::of(&start).map_err(|error| fault(&error))?;
                    visitor.open(&tag);
                    visitor.close(&tag.name);
                }
                Event::End(_) => {
                    if let Some(tag) = path.pop() {
                        visitor.close(&tag.name);
                    }
                }
                Event::Text(text) => visitor.text(&text.xml10_content()),
                Event::CData(text) => visitor.text(&text.xml10_content()),
                Event::GeneralRef(entity) => {
                    let letter = letter(&entity)
                        .ok_or_else(|| fault(&"uses an entity that it does not define"))?;
                    visitor.text(letter.encode_utf8(&mut [0; 4]));
                }
                Event::DocType(_) => return Err(fault(&REFUSED)),
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
                Event::Eof if path.is_empty() => return Ok(true),
                Event::Eof => return Err(fault(&"ends in its middle")),
            }
        }
    }

    /// The parts that a part refers to: path by id.
    pub(super) fn references(&mut self, part: &str) -> Result<HashMap<String, Reference>, Error> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let mut references = References {
            folder: folder.to_owned(),
            found: HashMap::new(),
        };
        self.walk(&format!("{folder}/_rels/{file}.rels"), &mut references)?;
        Ok(references.found)
    }

    /// The title in the properties of the document.
    pub(super) fn title(&mut self) -> Result<Option<String>, Error> {
        let mut title = Title::default();
        self.walk("docProps/core.xml", &mut title)?;
        let title = tidy(&title.text);
        Ok((!title.is_empty()).then_some(title))
    }
}

const REFUSED: &str = "declares a document type, which is refused";

fn name(kind: MediaType) -> &'static str {
    match kind {
        MediaType::Word => "a Word document (.docx)",
        MediaType::Slides => "a presentation (.pptx)",
        _ => "an Excel workbook (.xlsx)",
    }
}

/// Inflates every part once and keeps nothing, so that what unfolds to gigabytes is refused before
/// a library sees it.
fn count(parts: &mut ZipArchive<Cursor<&[u8]>>) -> Result<(), Error> {
    let mut left = MOST_BYTES;
    let mut block = vec![0; 64 << 10];
    for index in 0..parts.len() {
        let mut part = parts.by_index(index).map_err(|error| match error {
            zip::result::ZipError::UnsupportedArchive(why)
                if why == zip::result::ZipError::PASSWORD_REQUIRED =>
            {
                Error::Encrypted
            }
            error => Error::damaged(format!("one of its parts cannot be read: {error}")),
        })?;
        let is_xml = part.name().is_ok_and(|name| is_xml(&name));
        let mut start: Vec<u8> = Vec::new();
        loop {
            let read = part.read(&mut block).map_err(|error| {
                Error::damaged(format!("one of its parts cannot be read: {error}"))
            })?;
            if read == 0 {
                break;
            }
            let wanted = PROLOGUE.saturating_sub(start.len()).min(read);
            start.extend_from_slice(&block[..wanted]);
            left = left.checked_sub(read as u64).ok_or_else(|| {
                let limit = MOST_BYTES >> 20;
                broken(format!("it unpacks to more than {limit} MiB"))
            })?;
        }
        if is_xml && start.windows(9).any(|window| window == b"<!DOCTYPE") {
            return Err(broken(format!("one of its parts {REFUSED}")));
        }
    }
    Ok(())
}

/// Whether a part is of the document. Others come along and are not read, such as the settings of a
/// printer, which are XML of their own kind.
fn is_xml(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    ["xml", "rels", "vml"]
        .iter()
        .any(|xml| ending.eq_ignore_ascii_case(xml))
}

/// What takes the elements of a part. Names are without their prefix.
pub(super) trait Visit {
    fn open(&mut self, tag: &Tag);
    fn close(&mut self, name: &str);
    fn text(&mut self, text: &str);
}

/// The beginning of an element.
pub(super) struct Tag {
    pub(super) name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn of(start: &BytesStart<'_>) -> Result<Self, String> {
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| format!("is broken XML: {error}"))?;
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| format!("is broken XML: {error}"))?;
            // With its prefix, since `id` and `r:id` are two.
            attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
        }
        Ok(Self {
            name: start.local_name().as_ref().to_owned(),
            attributes,
        })
    }

    /// An attribute by its name without prefix.
    pub(super) fn get(&self, wanted: &str) -> Option<&str> {
        let bare = |name: &str| name.rsplit(':').next() == Some(wanted);
        let exact = self.attributes.iter().find(|(name, _)| name == wanted);
        let found = exact.or_else(|| self.attributes.iter().find(|(name, _)| bare(name)));
        found.map(|(_, value)| value.as_str())
    }

    /// An attribute that has a prefix, whichever.
    pub(super) fn get_prefixed(&self, wanted: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(name, _)| {
            name.split_once(':')
                .is_some_and(|(prefix, name)| prefix != "xmlns" && name == wanted)
        });
        found.map(|(_, value)| value.as_str())
    }
}

fn letter(entity: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(letter)) = entity.resolve_char_ref() {
        return Some(letter);
    }
    Some(match entity.xml10_content().as_ref() {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

/// A part that another one refers to.
pub(super) struct Reference {
    /// The last word of its type, such as `slide`.
    pub(super) kind: String,
    /// Its path in the file.
    pub(super) path: String,
}

struct References {
    folder: String,
    found: HashMap<String, Reference>,
}

impl Visit for References {
    fn open(&mut self, tag: &Tag) {
        let (Some(id), Some(target)) = (tag.get("Id"), tag.get("Target")) else {
            return;
        };
        if tag.get("TargetMode") == Some("External") {
            return;
        }
        let kind = tag.get("Type").unwrap_or_default();
        let reference = Reference {
            kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
            path: resolve(&self.folder, target),
        };
        self.found.insert(id.to_owned(), reference);
    }

    fn close(&mut self, _: &str) {}

    fn text(&mut self, _: &str) {}
}

/// A path that is written as seen from a folder.
fn resolve(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path.join("/")
}

#[derive(Default)]
struct Title {
    inside: bool,
    text: String,
}

impl Visit for Title {
    fn open(&mut self, tag: &Tag) {
        self.inside = tag.name == "title";
    }

    fn close(&mut self, _: &str) {
        self.inside = false;
    }

    fn text(&mut self, text: &str) {
        if self.inside {
            self.text.push_str(text);
        }
    }
}
