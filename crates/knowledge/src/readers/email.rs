//! E-mail: subject, people and date, the text, and the attachments that are documents themselves.

use mail_parser::{Address, MessageParser, MessagePart, MimeHeaders, PartType};

use super::{decode, html, read_now, text};
use crate::Error;
use crate::document::{Block, Content, Document, MediaType, tidy};

/// Maximum number of messages within messages.
const MOST_NESTED: usize = 3;
/// Maximum number of attachments that are read.
const MOST_ATTACHMENTS: usize = 100;

pub(super) fn read(bytes: &[u8]) -> Result<Document, Error> {
    read_nested(bytes, 0)
}

fn read_nested(bytes: &[u8], depth: usize) -> Result<Document, Error> {
    let no_mail = || {
        Error::Broken(
            "it is not an e-mail: it has neither a sender, a subject nor a date in its first lines"
                .to_owned(),
        )
    };
    let mail = MessageParser::default().parse(bytes).ok_or_else(no_mail)?;
    if mail.from().is_none() && mail.subject().is_none() && mail.date().is_none() {
        return Err(no_mail());
    }
    let subject = tidy(mail.subject().unwrap_or_default());
    let mut blocks = Vec::new();
    if !subject.is_empty() {
        blocks.push(heading(1, subject.clone()));
    }
    let mut head: Vec<String> = [("From", mail.from()), ("To", mail.to()), ("Cc", mail.cc())]
        .into_iter()
        .filter_map(|(name, people)| Some(format!("{name}: {}", people_of(people?)?)))
        .collect();
    if let Some(date) = mail.date() {
        head.push(format!("Date: {}", date.to_rfc3339()));
    }
    if !head.is_empty() {
        blocks.push(Block::new(Content::List(head)));
    }
    for part in mail.text_bodies() {
        match &part.body {
            PartType::Text(words) => text::push(&plain(words), None, &mut blocks),
            PartType::Html(page) => blocks.extend(html::read(page)?.blocks),
            _ => {}
        }
    }
    for part in mail.attachments().take(MOST_ATTACHMENTS) {
        attachment(part, depth, &mut blocks);
    }
    Ok(Document {
        title: (!subject.is_empty()).then_some(subject),
        pages: None,
        blocks,
    })
}

/// Adds an attachment: its text under its name, or why it has none.
fn attachment(part: &MessagePart<'_>, depth: usize, blocks: &mut Vec<Block>) {
    let is_message = matches!(part.body, PartType::Message(_));
    let name = part.attachment_name().map(tidy);
    let kind = name
        .as_deref()
        .and_then(MediaType::of_name)
        .or_else(|| content_type(part))
        .or(is_message.then_some(MediaType::Email));
    // Pictures in the text are not worth a word.
    let Some(name) = name.or_else(|| is_message.then(|| "message".to_owned())) else {
        return;
    };
    blocks.push(heading(2, format!("Attachment: {name}")));
    let read = match kind {
        None => return,
        Some(MediaType::Email) if depth + 1 >= MOST_NESTED => return,
        Some(MediaType::Email) => match &part.body {
            PartType::Message(message) => read_nested(message.raw_message(), depth + 1),
            _ => read_nested(part.contents(), depth + 1),
        },
        Some(kind) => read_now(kind, part.contents()).map(|(document, _)| document),
    };
    match read {
        Ok(document) => blocks.extend(document.blocks.into_iter().map(within)),
        Err(error) => blocks.push(Block::new(Content::Paragraph(format!(
            "The attachment was not read: {error}."
        )))),
    }
}

/// A block of an attachment, below the attachment's heading.
fn within(block: Block) -> Block {
    let content = match block.content {
        Content::Heading { level, text } => Content::Heading {
            level: level.saturating_add(2),
            text,
        },
        content => content,
    };
    Block {
        content,
        page: block.page,
    }
}

fn content_type(part: &MessagePart<'_>) -> Option<MediaType> {
    let kind = part.content_type()?;
    let essence = format!("{}/{}", kind.ctype(), kind.subtype()?);
    MediaType::of_content_type(&essence)
}

fn people_of(people: &Address<'_>) -> Option<String> {
    let people: Vec<String> = people
        .iter()
        .filter_map(|person| match (person.name(), person.address()) {
            (Some(name), Some(address)) => Some(format!("{} <{address}>", tidy(name))),
            (name, address) => name.or(address).map(tidy),
        })
        .collect();
    (!people.is_empty()).then(|| people.join(", "))
}

/// Text in the form that the reader of plain text gets it.
fn plain(words: &str) -> String {
    decode::text(words.replace('\0', "").as_bytes()).unwrap_or_default()
}

fn heading(level: u8, text: String) -> Block {
    Block::new(Content::Heading { level, text })
}
