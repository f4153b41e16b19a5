//! Settings of a reader: facts that a file does not contain.

use chrono_tz::Tz;

use crate::table::Mapping;

/// The longest id of a logger, in characters.
const LONGEST_ID: usize = 64;

/// Facts that the reader of a file needs beside the file.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The plant's id. It is part of the ids of devices whose own number is not unique.
    pub plant: String,
    /// The file's name, without folders.
    pub name: String,
    /// The plant's zone. A logger that ignores summer time has a zone such as `Etc/GMT-1`.
    pub zone: Tz,
    /// The id of the device, for files that do not name it.
    pub logger_id: Option<String>,
    /// The column of irradiance, for files with several; a part of its name.
    pub sensor: Option<String>,
    /// The offset of an XML file's stamps is ignored, and the stamps are in the plant's zone.
    pub ignore_offset: bool,
    /// The mapping of a table; guessed if there is none.
    pub mapping: Option<Mapping>,
}

impl Settings {
    /// Settings in UTC without anything chosen.
    pub fn new(plant: &str, name: &str) -> Self {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        Self {
            plant: plant.to_owned(),
            name: name.to_owned(),
            zone: Tz::UTC,
            logger_id: None,
            sensor: None,
            ignore_offset: false,
            mapping: None,
        }
    }

    /// The same with a zone.
    #[must_use]
    pub fn in_zone(mut self, zone: Tz) -> Self {
        self.zone = zone;
        self
    }

    /// The id of a device that is unique in its plant only.
    pub fn id_in_plant(&self, device: &str) -> String {
        short_id(&format!("{}-{device}", self.plant))
    }
}

/// An id that is short enough to be stored: a longer one ends in a hash of its whole.
pub(crate) fn short_id(id: &str) -> String {
    if id.chars().count() <= LONGEST_ID {
        return id.to_owned();
    }
    // FNV-1a: the same in every release, unlike the hasher of the standard library.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let head: String = id.chars().take(LONGEST_ID - 17).collect();
    format!("{head}-{hash:016x}")
}
