//! Text of any encoding that loggers write, line by line.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use encoding_rs::{Decoder, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The longest line. Beyond it something is wrong with the file, and memory must stay bounded.
const LONGEST_LINE: usize = 1024 * 1024;
/// The longest line of a text that need not have lines, such as XML.
const LONGEST_TEXT: usize = 64 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;

/// Whether bytes begin with a mark of UTF-16.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

/// A text: UTF-8 with or without a mark, UTF-16 with one, otherwise Windows-1252.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if is_utf16(bytes) {
        let encoding = if bytes[0] == 0xff { UTF_16LE } else { UTF_16BE };
        return encoding.decode_with_bom_removal(bytes).0;
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        // A character that the end of the sample cuts.
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()])
        }
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

/// The lines of a file, without their ends.
pub struct Lines<R> {
    source: BufReader<Plain<R>>,
    number: u64,
    bytes: Vec<u8>,
    longest: usize,
}

impl<R: Read> Lines<R> {
    /// The lines of these bytes.
    pub fn new(source: R) -> io::Result<Self> {
        Ok(Self {
            source: BufReader::with_capacity(CHUNK, Plain::new(source)?),
            number: 0,
            bytes: Vec::new(),
            longest: LONGEST_LINE,
        })
    }

    /// The next line with its number, counted from 1. Blank ones are included.
    #[expect(
        clippy::should_implement_trait,
        reason = "the error is not part of an item"
    )]
    pub fn next(&mut self) -> io::Result<Option<(u64, String)>> {
        self.bytes.clear();
        let limit = self.longest as u64 + 1;
        let count = Read::by_ref(&mut self.source)
            .take(limit)
            .read_until(b'\n', &mut self.bytes)?;
        if count == 0 {
            return Ok(None);
        }
        self.number += 1;
        if count > self.longest {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "line {} is longer than {} MiB; the file is not text",
                    self.number,
                    self.longest / (1024 * 1024)
                ),
            ));
        }
        if self.bytes.contains(&0) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("line {} has NUL bytes; the file is not text", self.number),
            ));
        }
        while self
            .bytes
            .last()
            .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
        {
            self.bytes.pop();
        }
        Ok(Some((self.number, line(&self.bytes).into_owned())))
    }
}

fn line(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

/// A file as UTF-8: each line that is not valid is read as Windows-1252.
pub struct Utf8<R> {
    lines: Lines<R>,
    line: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf8<R> {
    /// These bytes as UTF-8.
    pub fn new(source: R) -> io::Result<Self> {
        Ok(Self {
            lines: Lines::new(source)?,
            line: Vec::new(),
            at: 0,
        })
    }
}

impl<R: Read> Utf8<R> {
    /// The same for a text that may be one long line.
    pub fn with_long_lines(source: R) -> io::Result<Self> {
        let mut utf8 = Self::new(source)?;
        utf8.lines.longest = LONGEST_TEXT;
        Ok(utf8)
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.at == self.line.len() {
            let Some((_, text)) = self.lines.next()? else {
                return Ok(0);
            };
            self.line = text.into_bytes();
            self.line.push(b'\n');
            self.at = 0;
        }
        let count = target.len().min(self.line.len() - self.at);
        target[..count].copy_from_slice(&self.line[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Bytes without a mark at their start, those of UTF-16 as UTF-8.
struct Plain<R> {
    source: R,
    decoder: Option<Decoder>,
    /// Bytes that are ready.
    ready: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<R: Read> Plain<R> {
    fn new(mut source: R) -> io::Result<Self> {
        let mut start = Vec::new();
        Read::by_ref(&mut source).take(3).read_to_end(&mut start)?;
        let mut plain = Self {
            source,
            decoder: None,
            ready: Vec::new(),
            at: 0,
            ended: false,
        };
        if is_utf16(&start) {
            let encoding = if start[0] == 0xff { UTF_16LE } else { UTF_16BE };
            plain.decoder = Some(encoding.new_decoder_without_bom_handling());
            plain.decode(&start[2..], false);
        } else if start != b"\xef\xbb\xbf" {
            plain.ready = start;
        }
        Ok(plain)
    }

    fn decode(&mut self, bytes: &[u8], last: bool) {
        let Some(decoder) = &mut self.decoder else {
            return;
        };
        let room = decoder
            .max_utf8_buffer_length(bytes.len())
            .unwrap_or(bytes.len() * 3 + 16);
        let mut text = String::with_capacity(room);
        let _ = decoder.decode_to_string(bytes, &mut text, last);
        self.ready.extend_from_slice(text.as_bytes());
    }
}

impl<R: Read> Read for Plain<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            self.ready.clear();
            self.at = 0;
            if self.decoder.is_none() {
                return self.source.read(target);
            }
            if self.ended {
                return Ok(0);
            }
            let mut chunk = vec![0; CHUNK];
            let count = self.source.read(&mut chunk)?;
            self.ended = count == 0;
            self.decode(&chunk[..count], count == 0);
        }
        let count = target.len().min(self.ready.len() - self.at);
        target[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(bytes).unwrap();
        let mut all = Vec::new();
        while let Some((_, line)) = lines.next().unwrap() {
            all.push(line);
        }
        all
    }

    #[test]
    fn every_encoding_and_line_end_gives_the_same_text() {
        let expected = ["Zeit;°C", "ü"];
        assert_eq!(lines("Zeit;°C\nü".as_bytes()), expected);
        assert_eq!(lines("\u{feff}Zeit;°C\r\nü\r\n".as_bytes()), expected);
        assert_eq!(lines(b"Zeit;\xb0C\r\n\xfc"), expected);
        let utf16: Vec<u8> = "\u{feff}Zeit;°C\r\nü"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(lines(&utf16), expected);
        let mut read = String::new();
        Utf8::new(&b"Zeit;\xb0C\r\n\xfc"[..])
            .unwrap()
            .read_to_string(&mut read)
            .unwrap();
        assert_eq!(read, "Zeit;°C\nü\n");
    }

    #[test]
    fn binary_and_endless_lines_are_errors() {
        assert!(Lines::new(&b"a\0b"[..]).unwrap().next().is_err());
        let long = vec![b'x'; LONGEST_LINE + 2];
        assert!(Lines::new(&long[..]).unwrap().next().is_err());
        let mut read = String::new();
        let mut whole = Utf8::with_long_lines(&long[..]).unwrap();
        whole.read_to_string(&mut read).unwrap();
        assert_eq!(read.len(), long.len() + 1);
    }
}
