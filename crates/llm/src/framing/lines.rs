//! Splits a body into whole lines, however its bytes arrive.

use bytes::{Buf, Bytes, BytesMut};
use futures::{Stream, StreamExt, stream};

use super::Limits;
use crate::{Error, ErrorKind};

/// A byte order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// A line of a body, without its end, which is `\n`, `\r` or `\r\n`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line with its end.
    Whole(Bytes),
    /// The last line, without an end.
    Rest(Bytes),
}

/// Splits a body into lines, without a byte order mark at its beginning. A body or a line beyond
/// its limit is an error, which is the last item.
pub(super) fn lines<S>(
    body: S,
    limits: Limits,
) -> impl Stream<Item = Result<Line, Error>> + Send + 'static
where
    S: Stream<Item = Result<Bytes, Error>> + Send + 'static,
{
    let mut splitter = Splitter {
        pending: BytesMut::new(),
        at_start: true,
        after_return: false,
        room: limits.body,
        max_line: limits.message,
    };
    let mut failed = false;
    body.map(Some)
        .chain(stream::once(async { None }))
        .flat_map(move |chunk| {
            let mut found = Vec::new();
            if !failed {
                let outcome = match chunk {
                    Some(Ok(chunk)) => splitter.push(chunk, &mut found),
                    Some(Err(error)) => Err(error),
                    None => {
                        splitter.finish(&mut found);
                        Ok(())
                    }
                };
                if let Err(error) = outcome {
                    failed = true;
                    found.push(Err(error));
                }
            }
            stream::iter(found)
        })
}

struct Splitter {
    /// The beginning of a line whose end has not arrived.
    pending: BytesMut,
    at_start: bool,
    /// Whether the last line ended in `\r`; a following `\n` then belongs to it.
    after_return: bool,
    /// The number of bytes left under the limit.
    room: usize,
    max_line: usize,
}

impl Splitter {
    fn push(
        &mut self,
        mut chunk: Bytes,
        found: &mut Vec<Result<Line, Error>>,
    ) -> Result<(), Error> {
        let Some(room) = self.room.checked_sub(chunk.len()) else {
            return Err(Error::new(ErrorKind::TooLarge));
        };
        self.room = room;
        if chunk.is_empty() {
            return Ok(());
        }
        if self.after_return && chunk.starts_with(b"\n") {
            chunk.advance(1);
        }
        self.after_return = chunk.ends_with(b"\r");
        while let Some((length, end)) = first_line(&chunk) {
            let line = chunk.split_to(length);
            chunk.advance(end);
            let line = if self.pending.is_empty() {
                line
            } else {
                self.pending.extend_from_slice(&line);
                self.pending.split().freeze()
            };
            let line = self.without_mark(line);
            if line.len() > self.max_line {
                return Err(Error::new(ErrorKind::TooLarge));
            }
            found.push(Ok(Line::Whole(line)));
        }
        self.pending.extend_from_slice(&chunk);
        if self.pending.len() > self.max_line {
            return Err(Error::new(ErrorKind::TooLarge));
        }
        Ok(())
    }

    fn finish(&mut self, found: &mut Vec<Result<Line, Error>>) {
        let rest = self.pending.split().freeze();
        let rest = self.without_mark(rest);
        if !rest.is_empty() {
            found.push(Ok(Line::Rest(rest)));
        }
    }

    fn without_mark(&mut self, mut line: Bytes) -> Bytes {
        if self.at_start && line.starts_with(MARK) {
            line = line.slice(MARK.len()..);
        }
        self.at_start = false;
        line
    }
}

/// The lengths of the first line and of its end.
fn first_line(bytes: &[u8]) -> Option<(usize, usize)> {
    let length = bytes
        .iter()
        .position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let ends_in_two = bytes[length..].starts_with(b"\r\n");
    Some((length, if ends_in_two { 2 } else { 1 }))
}
