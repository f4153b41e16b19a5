//! Readings in PostgreSQL's binary COPY format: no text to escape, nothing for the server to parse
//! but the metadata.

use chrono::{DateTime, Utc};

/// Signature, no flags, no header extension.
const HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The end mark in place of a tuple's field count.
const TAIL: [u8; 2] = (-1i16).to_be_bytes();
const FIELDS: [u8; 2] = 6i16.to_be_bytes();
const NULL: [u8; 4] = (-1i32).to_be_bytes();
/// Microseconds from 1970 to 2000, where PostgreSQL counts from.
const EPOCH_OFFSET: i64 = 946_684_800_000_000;
/// The version byte before a `jsonb` sent as text.
const JSONB_VERSION: u8 = 1;

/// The values of one row, beside its key.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Values<'a> {
    pub(crate) active_power_watts: Option<f64>,
    pub(crate) energy_daily_kwh: Option<f64>,
    pub(crate) irradiance: Option<f64>,
    pub(crate) metadata: Option<&'a str>,
}

/// Rows on their way to the server. Take the bytes when there are enough of them.
pub(crate) struct CopyBuffer(Vec<u8>);

impl CopyBuffer {
    /// A buffer that opens the stream.
    pub(crate) fn new() -> Self {
        Self(HEAD.to_vec())
    }

    pub(crate) fn push(&mut self, logger_key: i32, at: DateTime<Utc>, values: &Values<'_>) {
        let buffer = &mut self.0;
        buffer.extend_from_slice(&FIELDS);
        field(buffer, &logger_key.to_be_bytes());
        field(
            buffer,
            &(at.timestamp_micros() - EPOCH_OFFSET).to_be_bytes(),
        );
        for value in [
            values.active_power_watts,
            values.energy_daily_kwh,
            values.irradiance,
        ] {
            match value {
                Some(value) => field(buffer, &value.to_be_bytes()),
                None => buffer.extend_from_slice(&NULL),
            }
        }
        match values.metadata {
            Some(text) => {
                // A row's metadata are some kilobytes at most; the cast cannot cut.
                let length = i32::try_from(text.len() + 1).unwrap_or(i32::MAX);
                buffer.extend_from_slice(&length.to_be_bytes());
                buffer.push(JSONB_VERSION);
                buffer.extend_from_slice(text.as_bytes());
            }
            None => buffer.extend_from_slice(&NULL),
        }
    }

    /// Bytes waiting.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The bytes so far, to be sent; what follows continues the stream.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }

    /// The last bytes, with the end of the stream.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.0.extend_from_slice(&TAIL);
        self.0
    }
}

fn field(buffer: &mut Vec<u8>, bytes: &[u8]) {
    // Four or eight bytes.
    let length = u32::try_from(bytes.len()).unwrap_or_default();
    buffer.extend_from_slice(&length.to_be_bytes());
    buffer.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_laid_out_as_the_manual_says() {
        let mut buffer = CopyBuffer::new();
        let at = DateTime::from_timestamp(946_684_801, 0).unwrap();
        let values = Values {
            irradiance: Some(1.0),
            metadata: Some("{}"),
            ..Values::default()
        };
        buffer.push(7, at, &values);
        assert_eq!(
            buffer.take(),
            [
                HEAD,
                &[0, 6],
                &[0, 0, 0, 4, 0, 0, 0, 7],
                &[0, 0, 0, 8, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x40],
                &[0xff; 8],
                &[0, 0, 0, 8, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0],
                &[0, 0, 0, 3, 1, b'{', b'}'],
            ]
            .concat()
        );
        assert_eq!(buffer.finish(), [0xff, 0xff]);
    }
}
