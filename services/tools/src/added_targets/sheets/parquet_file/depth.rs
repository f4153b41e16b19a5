//! How deep the columns of a Parquet file are nested, from its footer, before the crate builds them
//! as a tree: it recurses into each level, and a small file may claim more levels than a stack has.
//!
//! The footer is a structure of Thrift's compact protocol. Its second field is the list of the
//! schema's elements, each before its children; field 5 of an element is their number.

/// Levels of values that are read over, within the footer.
const MOST_LEVELS: usize = 16;

const SCHEMA: i64 = 2;
const CHILDREN: i64 = 5;

/// The number of levels of the deepest column, or `None` if the footer makes no sense.
pub(super) fn of(file: &[u8]) -> Option<usize> {
    let (rest, tail) = file.split_last_chunk::<8>()?;
    let length = u32::from_le_bytes(*tail.first_chunk()?);
    let begin = rest.len().checked_sub(usize::try_from(length).ok()?)?;
    let mut footer = Compact(rest.get(begin..)?);
    let mut id = 0;
    loop {
        let kind = footer.field(&mut id)??;
        if id == SCHEMA {
            return footer.schema(kind);
        }
        footer.skip(kind, 0)?;
    }
}

/// Bytes of the compact protocol that are not read yet.
struct Compact<'b>(&'b [u8]);

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn over(&mut self, bytes: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A number, which may be below 0.
    fn number(&mut self) -> Option<i64> {
        let folded = self.varint()?;
        Some(i64::try_from(folded >> 1).ok()? ^ -i64::from(folded & 1 == 1))
    }

    /// The kind of the next field, or `Some(None)` at the end of the structure.
    #[expect(
        clippy::option_option,
        reason = "the outer one is the end of the bytes"
    )]
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *id = match head >> 4 {
            0 => self.number()?,
            further => id.checked_add(i64::from(further))?,
        };
        Some(Some(head & 0x0f))
    }

    /// The kind of a list's elements, and their number.
    fn list(&mut self) -> Option<(u8, u64)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        Some((head & 0x0f, count))
    }

    /// Reads over a value.
    fn skip(&mut self, kind: u8, level: usize) -> Option<()> {
        if level > MOST_LEVELS {
            return None;
        }
        match kind {
            1 | 2 => Some(()),
            3 => self.over(1),
            4..=6 => self.varint().map(drop),
            7 => self.over(8),
            8 => {
                let length = self.varint()?;
                self.over(length)
            }
            9 | 10 => {
                let (of, count) = self.list()?;
                for _ in 0..count {
                    // A truth value has a byte in lists only.
                    match of {
                        1 | 2 => self.over(1)?,
                        _ => self.skip(of, level + 1)?,
                    }
                }
                Some(())
            }
            12 => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, level + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// The number of levels below the root of a list of schema elements.
    fn schema(&mut self, kind: u8) -> Option<usize> {
        let (9, (12, count)) = (kind, self.list()?) else {
            return None;
        };
        // The children of each open group that are still to come.
        let mut open: Vec<u64> = Vec::new();
        let mut deepest = 0;
        for _ in 0..count {
            deepest = deepest.max(open.len());
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            let children = self.children()?;
            if children > 0 {
                open.push(children);
            }
            while open.last() == Some(&0) {
                open.pop();
            }
        }
        Some(deepest)
    }

    /// Reads an element of the schema; the number of its children.
    fn children(&mut self) -> Option<u64> {
        let (mut id, mut children) = (0, 0);
        while let Some(kind) = self.field(&mut id)? {
            if id == CHILDREN && kind == 5 {
                children = u64::try_from(self.number()?).ok()?;
            } else {
                self.skip(kind, 0)?;
            }
        }
        Some(children)
    }
}
