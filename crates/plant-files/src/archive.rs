//! Archives whose content is larger than memory should have to hold.

use std::io::{self, SeekFrom};

use crate::error::FileError;
use crate::format::Input;

/// Fails for an archive that unpacks to more than `most` bytes. The sizes that it declares may be
/// false, so each entry is unpacked and counted.
pub fn check_unpacked(input: &mut dyn Input, most: u64) -> Result<(), FileError> {
    let cut = || {
        FileError::Damaged(
            "the workbook cannot be read: it is damaged; was it cut off while it was copied?"
                .to_owned(),
        )
    };
    input.seek(SeekFrom::Start(0))?;
    let mut archive = zip::ZipArchive::new(&mut *input).map_err(|_| cut())?;
    let mut left = most;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(|_| cut())?;
        let count = io::copy(&mut io::Read::take(entry, left + 1), &mut io::sink());
        let count = count.map_err(|_| cut())?;
        if count > left {
            return Err(FileError::Damaged(format!(
                "the workbook unpacks to more than {} MiB",
                most / (1024 * 1024)
            )));
        }
        left -= count;
    }
    input.seek(SeekFrom::Start(0))?;
    Ok(())
}
