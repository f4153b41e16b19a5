//! Reads the rows of a table from an SQLite file, page by page, without SQLite: a file of a
//! stranger meets no code that is not memory-safe, and needs no copy on disk.
//!
//! Enough of the format for tables with row ids: b-tree pages, overflow chains, records. Rows come
//! in the order of their row ids, which is the order in which they were written.
//!
//! A file whose pages contradict each other is damaged: a page in two trees or in none, row ids
//! that do not rise, a row that is longer or shorter than its head says.

mod keys;

use std::collections::HashMap;
use std::io::SeekFrom;

use crate::error::FileError;
use crate::format::Input;

pub use keys::ForeignKey;

/// The first bytes of every file.
pub const MAGIC: &[u8] = b"SQLite format 3\0";
/// Maximum number of bytes of one row.
const LARGEST_ROW: u64 = 1024 * 1024;
/// Maximum depth of a tree; SQLite's own limit is 20.
const DEEPEST: usize = 24;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// A table of the file.
#[derive(Debug, Clone)]
pub struct Table {
    /// The name of the table.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Whether its rows are kept without row ids (`WITHOUT ROWID`). They cannot be read.
    pub without_row_ids: bool,
    /// The foreign keys that it declares.
    pub foreign_keys: Vec<ForeignKey>,
    /// The columns of its primary key.
    pub primary_key: Vec<String>,
    /// The columns of each other key whose values name one row.
    pub unique_keys: Vec<Vec<String>>,
    /// The column that is the row id.
    row_id: Option<usize>,
    root: u32,
}

/// Takes a row with its id.
type TakeRow<'a> = dyn FnMut(i64, Vec<Value>) -> Result<(), FileError> + 'a;

/// Takes a row with its number.
pub type TakeValues<'a> = dyn FnMut(u64, &[Value]) -> Result<(), FileError> + 'a;

/// An SQLite file.
pub struct Database<'a> {
    input: &'a mut dyn Input,
    page_size: u64,
    usable: u64,
    pages: u64,
    /// The first page of the list of free ones; 0 if there is none.
    free: u32,
    has_pointer_map: bool,
    write_ahead: bool,
    /// The root of the tree that is read.
    tree: u32,
    /// The pages of the trees that were read, with those of their long rows, and their roots.
    seen: HashMap<u32, u32>,
    utf16: Option<&'static encoding_rs::Encoding>,
}

fn damaged(what: &str) -> FileError {
    FileError::Damaged(format!(
        "the SQLite file is damaged: {what}; was it copied while it was written?"
    ))
}

impl<'a> Database<'a> {
    /// Opens a file by its head.
    pub fn open(input: &'a mut dyn Input) -> Result<Self, FileError> {
        let mut head = [0; 100];
        let length = input.seek(SeekFrom::End(0))?;
        input.seek(SeekFrom::Start(0))?;
        input
            .read_exact(&mut head)
            .map_err(|_| damaged("it is shorter than its head"))?;
        if !head.starts_with(MAGIC) {
            return Err(damaged("it does not begin as SQLite files do"));
        }
        let page_size = match u16::from_be_bytes([head[16], head[17]]) {
            1 => 65536,
            size if size >= 512 && size.is_power_of_two() => u64::from(size),
            _ => return Err(damaged("the size of its pages is not valid")),
        };
        let usable = page_size - u64::from(head[20]);
        if usable < 480 {
            return Err(damaged("its pages are too small"));
        }
        let utf16 = match u32::from_be_bytes([head[56], head[57], head[58], head[59]]) {
            2 => Some(encoding_rs::UTF_16LE),
            3 => Some(encoding_rs::UTF_16BE),
            _ => None,
        };
        let pages = length / page_size;
        let announced = u64::from(u32::from_be_bytes([head[28], head[29], head[30], head[31]]));
        if !length.is_multiple_of(page_size) {
            return Err(damaged("it ends within a page"));
        }
        // Older versions of SQLite do not say how many pages there are.
        let says = announced > 0 && head[24..28] == head[92..96];
        if pages == 0 || (says && announced > pages) {
            return Err(damaged("it is shorter than its head says"));
        }
        Ok(Self {
            input,
            page_size,
            usable,
            pages: if says { announced } else { pages },
            free: u32::from_be_bytes([head[32], head[33], head[34], head[35]]),
            has_pointer_map: head[52..56] != [0; 4],
            write_ahead: head[18] == 2,
            tree: 0,
            seen: HashMap::new(),
            utf16,
        })
    }

    /// Whether the newest rows may be in another file beside it, the write-ahead log.
    pub fn has_write_ahead_log(&self) -> bool {
        self.write_ahead
    }

    /// The tables of the file.
    pub fn tables(&mut self) -> Result<Vec<Table>, FileError> {
        let mut tables = Vec::new();
        self.walk(1, &mut |_, values| {
            if !matches!(
                &values[..],
                [Value::Text(kind), ..] if matches!(kind.as_str(), "table" | "index" | "view" | "trigger")
            ) {
                return Err(damaged("its list of tables cannot be read"));
            }
            if let [
                Value::Text(kind),
                Value::Text(name),
                _,
                Value::Integer(root),
                Value::Text(sql),
            ] = &values[..]
                && kind == "table"
                && let Ok(root) = u32::try_from(*root)
                && root > 0
            {
                let (columns, row_id) = columns(sql);
                let parts = parts(sql);
                let (primary_key, unique_keys) = keys::unique_keys(&parts);
                tables.push(Table {
                    name: name.clone(),
                    columns,
                    without_row_ids: has_no_row_ids(sql),
                    foreign_keys: keys::foreign_keys(&parts),
                    primary_key,
                    unique_keys,
                    row_id,
                    root,
                });
            }
            Ok(())
        })?;
        Ok(tables)
    }

    /// Gives each row of a table to `take`, with the number of the row.
    pub fn rows(&mut self, table: &Table, take: &mut TakeValues<'_>) -> Result<(), FileError> {
        let mut number = 0;
        self.walk(table.root, &mut |id, mut values| {
            number += 1;
            if values.len() > table.columns.len() {
                return Err(damaged("a row has more values than its table has columns"));
            }
            // Columns that were added later are not in older rows.
            values.resize(table.columns.len(), Value::Null);
            if let Some(column) = table.row_id
                && let Some(value) = values.get_mut(column)
            {
                *value = Value::Integer(id);
            }
            take(number, &values)
        })
    }

    /// Fails unless each page belongs to exactly one tree, or to none in the list of free pages.
    /// Rows of a page that no tree leads to are lost. Trees that were read are not read again.
    pub fn check_pages(&mut self) -> Result<(), FileError> {
        let mut roots = Vec::new();
        self.walk(1, &mut |_, values| {
            if let Some(Value::Integer(root)) = values.get(3)
                && let Ok(root) = u32::try_from(*root)
                && root > 0
            {
                roots.push(root);
            }
            Ok(())
        })?;
        for root in roots {
            if self.seen.get(&root) == Some(&root) {
                continue;
            }
            let bytes = self.page(root)?;
            if matches!(bytes[0], 5 | 13) {
                self.walk(root, &mut |_, _| Ok(()))?;
            } else {
                self.tree = root;
                self.walk_index(root, 0)?;
            }
        }
        self.tree = 0;
        let mut next = self.free;
        while next != 0 {
            self.enter(next)?;
            let bytes = self.page(next)?;
            let count = u32_at(&bytes, 4)?;
            for index in 0..count.min(16_384) {
                let at = 8 + 4 * usize::try_from(index).unwrap_or_default();
                self.enter(u32_at(&bytes, at)?)?;
            }
            next = u32_at(&bytes, 0)?;
        }
        let lock = 1_073_741_824 / self.page_size + 1;
        let mapped = self.usable / 5 + 1;
        let others = (1..=self.pages).filter(|page| {
            *page == lock
                || (self.has_pointer_map && *page >= 2 && (*page - 2).is_multiple_of(mapped))
        });
        let expected = self.pages - others.count() as u64;
        if self.seen.len() as u64 == expected {
            Ok(())
        } else {
            Err(damaged("it has pages that no table leads to"))
        }
    }

    /// Notes the pages of an index, or of a table without row ids.
    fn walk_index(&mut self, page: u32, depth: usize) -> Result<(), FileError> {
        if depth > DEEPEST {
            return Err(damaged("its pages refer to each other too deeply"));
        }
        self.enter(page)?;
        let bytes = self.page(page)?;
        let (head, cell_head) = match bytes[0] {
            2 => (12, 4),
            10 => (8, 0),
            _ => return Err(damaged("a page is not a page of an index")),
        };
        let cells = usize::from(u16_at(&bytes, 3)?);
        let most = (self.usable - 12) * 64 / 255 - 23;
        for index in 0..cells {
            let at = usize::from(u16_at(&bytes, head + 2 * index)?);
            if cell_head > 0 {
                self.walk_index(u32_at(&bytes, at)?, depth + 1)?;
            }
            let (length, at) = varint(&bytes, at + cell_head)?;
            let length = u64::try_from(length).unwrap_or(u64::MAX);
            self.payload(&bytes, at, length, most)?;
        }
        if cell_head > 0 {
            self.walk_index(u32_at(&bytes, 8)?, depth + 1)?;
        }
        Ok(())
    }

    fn walk(&mut self, root: u32, take: &mut TakeRow<'_>) -> Result<(), FileError> {
        self.tree = root;
        self.seen.retain(|_, tree| *tree != root);
        let mut newest = None;
        self.walk_page(root, 0, i64::MAX, &mut |id, values| {
            if newest.is_some_and(|newest| id <= newest) {
                return Err(damaged("its rows are not in their order"));
            }
            newest = Some(id);
            take(id, values)
        })
    }

    /// Notes that a page belongs to the tree that is read.
    fn enter(&mut self, page: u32) -> Result<(), FileError> {
        if self.seen.insert(page, self.tree).is_none() {
            Ok(())
        } else {
            Err(damaged(
                "its pages refer to each other in a circle, or to a page twice",
            ))
        }
    }

    /// Gives the rows of a page and of those below it, whose ids are `highest` at most.
    fn walk_page(
        &mut self,
        page: u32,
        depth: usize,
        highest: i64,
        take: &mut TakeRow<'_>,
    ) -> Result<(), FileError> {
        if depth > DEEPEST {
            return Err(damaged("its pages refer to each other too deeply"));
        }
        self.enter(page)?;
        let bytes = self.page(page)?;
        let start = if page == 1 { 100 } else { 0 };
        let kind = bytes[start];
        let cells = usize::from(u16_at(&bytes, start + 3)?);
        let head = match kind {
            5 => 12,
            13 => 8,
            _ => return Err(damaged("a page is not a page of a table")),
        };
        for index in 0..cells {
            let at = usize::from(u16_at(&bytes, start + head + 2 * index)?);
            if kind == 5 {
                let child = u32_at(&bytes, at)?;
                let (key, _) = varint(&bytes, at + 4)?;
                self.walk_page(child, depth + 1, key.min(highest), take)?;
            } else {
                let (id, payload) = self.leaf(&bytes, at)?;
                if id > highest {
                    return Err(damaged("its rows are not in their order"));
                }
                take(id, self.record(&payload)?)?;
            }
        }
        if kind == 5 {
            let last = u32_at(&bytes, start + 8)?;
            self.walk_page(last, depth + 1, highest, take)?;
        }
        Ok(())
    }

    fn page(&mut self, number: u32) -> Result<Vec<u8>, FileError> {
        let number = u64::from(number);
        if number == 0 || number > self.pages {
            return Err(damaged("it refers to a page behind its end"));
        }
        let size = usize::try_from(self.page_size).unwrap_or(65536);
        let mut bytes = vec![0; size];
        self.input
            .seek(SeekFrom::Start((number - 1) * self.page_size))?;
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The row id and the record of a cell, with what overflows its page.
    fn leaf(&mut self, page: &[u8], at: usize) -> Result<(i64, Vec<u8>), FileError> {
        let (length, at) = varint(page, at)?;
        let (id, at) = varint(page, at)?;
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        let payload = self.payload(page, at, length, self.usable - 35)?;
        Ok((id, payload))
    }

    /// The content of a cell, of which a page holds `most` bytes at most.
    fn payload(
        &mut self,
        page: &[u8],
        at: usize,
        length: u64,
        most: u64,
    ) -> Result<Vec<u8>, FileError> {
        if length > LARGEST_ROW {
            return Err(damaged("a row is larger than 1 MiB"));
        }
        let local = if length <= most {
            length
        } else {
            let least = (self.usable - 12) * 32 / 255 - 23;
            let fitting = least + (length - least) % (self.usable - 4);
            if fitting <= most { fitting } else { least }
        };
        let cut = || damaged("a row is cut off");
        let local = usize::try_from(local).map_err(|_| cut())?;
        let total = usize::try_from(length).map_err(|_| cut())?;
        let mut payload = page.get(at..at + local).ok_or_else(cut)?.to_vec();
        if local < total {
            let mut next = u32_at(page, at + local)?;
            while payload.len() < total {
                self.enter(next)?;
                let bytes = self.page(next)?;
                next = u32_at(&bytes, 0)?;
                let room = usize::try_from(self.usable - 4).unwrap_or_default();
                let count = room.min(total - payload.len());
                payload.extend_from_slice(bytes.get(4..4 + count).ok_or_else(cut)?);
            }
        }
        Ok(payload)
    }

    fn record(&self, payload: &[u8]) -> Result<Vec<Value>, FileError> {
        let (head, mut at) = varint(payload, 0)?;
        let head = usize::try_from(head).map_err(|_| damaged("a row has no head"))?;
        let mut body = head;
        let mut values = Vec::new();
        while at < head {
            let (kind, next) = varint(payload, at)?;
            at = next;
            let length = match kind {
                0 | 8 | 9 => 0,
                1..=4 => usize::try_from(kind).unwrap_or_default(),
                5 => 6,
                6 | 7 => 8,
                12.. => {
                    usize::try_from((kind - 12) / 2).map_err(|_| damaged("a value is too long"))?
                }
                _ => return Err(damaged("a value has an unknown type")),
            };
            let end = body
                .checked_add(length)
                .ok_or_else(|| damaged("a value is too long"))?;
            let bytes = payload
                .get(body..end)
                .ok_or_else(|| damaged("a row is cut off"))?;
            body = end;
            values.push(self.value(kind, bytes));
        }
        if at != head || body != payload.len() {
            return Err(damaged("a row is not as long as its head says"));
        }
        Ok(values)
    }

    fn value(&self, kind: i64, bytes: &[u8]) -> Value {
        match kind {
            0 => Value::Null,
            8 => Value::Integer(0),
            9 => Value::Integer(1),
            1..=6 => {
                let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
                let start = if negative { -1 } else { 0 };
                Value::Integer(
                    bytes
                        .iter()
                        .fold(start, |sum: i64, byte| (sum << 8) | i64::from(*byte)),
                )
            }
            7 => Value::Real(f64::from_be_bytes(bytes.try_into().unwrap_or_default())),
            kind if kind % 2 == 1 => Value::Text(match self.utf16 {
                Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
                None => String::from_utf8_lossy(bytes).into_owned(),
            }),
            _ => Value::Blob(bytes.to_vec()),
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, FileError> {
    let pair = bytes.get(at..at + 2).and_then(|pair| pair.try_into().ok());
    pair.map(u16::from_be_bytes)
        .ok_or_else(|| damaged("a page is cut off"))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, FileError> {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map(u32::from_be_bytes)
        .ok_or_else(|| damaged("a page is cut off"))
}

/// A number of one to nine bytes, and the place behind it.
fn varint(bytes: &[u8], at: usize) -> Result<(i64, usize), FileError> {
    let mut value: i64 = 0;
    for index in 0..9 {
        let byte = *bytes
            .get(at + index)
            .ok_or_else(|| damaged("a row is cut off"))?;
        if index == 8 {
            return Ok(((value << 8) | i64::from(byte), at + 9));
        }
        value = (value << 7) | i64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Ok((value, at + index + 1));
        }
    }
    Err(damaged("a number is cut off"))
}

/// Whether `CREATE TABLE` ends with `WITHOUT ROWID`.
fn has_no_row_ids(sql: &str) -> bool {
    let options = sql.rsplit_once(')').map_or("", |(_, options)| options);
    let words: Vec<String> = options
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_uppercase)
        .collect();
    words.windows(2).any(|pair| pair == ["WITHOUT", "ROWID"])
}

/// The mark that ends the quotation behind a letter; `None` outside of one.
fn quote_after(quote: Option<char>, letter: char) -> Option<char> {
    match (quote, letter) {
        (Some(open), letter) if letter == open => None,
        (None, '"' | '\'' | '`') => Some(letter),
        (None, '[') => Some(']'),
        (quote, _) => quote,
    }
}

/// The statement with a blank in place of each comment.
fn without_comments(sql: &str) -> String {
    let mut kept = String::new();
    let mut quote = None;
    let mut rest = sql;
    while let Some(letter) = rest.chars().next() {
        let end = match (quote, rest.get(..2)) {
            (None, Some("--")) => rest.find('\n'),
            (None, Some("/*")) => rest.find("*/").map(|at| at + 2),
            _ => {
                quote = quote_after(quote, letter);
                kept.push(letter);
                rest = &rest[letter.len_utf8()..];
                continue;
            }
        };
        kept.push(' ');
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    kept
}

/// The definitions of `CREATE TABLE`, which commas separate.
fn parts(sql: &str) -> Vec<String> {
    let sql = without_comments(sql);
    let inside = match (sql.find('('), sql.rfind(')')) {
        (Some(start), Some(end)) if start < end => &sql[start + 1..end],
        _ => return Vec::new(),
    };
    let mut parts = vec![String::new()];
    let mut depth = 0_i32;
    let mut quote = None;
    for letter in inside.chars() {
        match (quote, letter) {
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            (Some(_) | None, _) => quote = quote_after(quote, letter),
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts
}

/// The columns of `CREATE TABLE`, and the one that is the row id.
fn columns(sql: &str) -> (Vec<String>, Option<usize>) {
    let mut names = Vec::new();
    let mut row_id = None;
    for part in &parts(sql) {
        let part = part.trim();
        let (name, rest) = match part.chars().next() {
            Some(open @ ('"' | '`' | '\'')) => {
                part[1..].split_once(open).unwrap_or((&part[1..], ""))
            }
            Some('[') => part[1..].split_once(']').unwrap_or((&part[1..], "")),
            _ => part.split_once(char::is_whitespace).unwrap_or((part, "")),
        };
        let upper = name.to_ascii_uppercase();
        let is_constraint = matches!(
            upper.as_str(),
            "PRIMARY" | "UNIQUE" | "CHECK" | "FOREIGN" | "CONSTRAINT"
        );
        if is_constraint && !part.starts_with(['"', '`', '\'', '[']) {
            continue;
        }
        let words: Vec<String> = rest
            .split_whitespace()
            .map(str::to_ascii_uppercase)
            .collect();
        if words.first().is_some_and(|word| word == "INTEGER")
            && words
                .windows(2)
                .any(|pair| pair[0] == "PRIMARY" && pair[1] == "KEY")
        {
            row_id = Some(names.len());
        }
        names.push(name.to_owned());
    }
    (names, row_id)
}
