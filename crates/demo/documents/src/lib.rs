//! The demo's documents: the manuals of a field-service company and guides to emission inventories,
//! all made for this demonstration.
//!
//! `files/questions.jsonl` holds questions with the passages that answer them; `heliograph eval
//! retrieval` asks them.

use knowledge::{DocumentSummary, Error, Library, Reader};

/// The tenant of the documents.
pub const TENANT: &str = "demo";

/// Questions over the documents, one JSON object a line.
pub const QUESTIONS: &str = include_str!("../files/questions.jsonl");

/// A document of the demo.
#[derive(Debug, Clone, Copy)]
pub struct DemoDocument {
    /// The collection of the document.
    pub collection: &'static str,
    /// The name of the document.
    pub filename: &'static str,
    /// The bytes of the document.
    pub bytes: &'static [u8],
}

macro_rules! documents {
    ($($collection:literal: [$($filename:literal),+ $(,)?]),+ $(,)?) => {
        [$($(DemoDocument {
            collection: $collection,
            filename: $filename,
            bytes: include_bytes!(concat!("../files/", $collection, "/", $filename)),
        }),+),+]
    };
}

/// All of them.
pub const DOCUMENTS: [DemoDocument; 14] = documents! {
    "manuals": [
        "core.md",
        "customers.md",
        "inspections.md",
        "inventory-parts.md",
        "invoicing.md",
        "mobile-app.md",
        "safety.md",
        "time-tracking.md",
        "work-orders.md",
    ],
    "climate": [
        "data-quality.md",
        "emissions-inventory-basics.md",
        "heat-pump-programme.html",
        "reduction-strategies.md",
        "reporting-calendar.pdf",
    ],
};

/// Takes the documents in when the tenant [`TENANT`] has none, or continues where an attempt was
/// cut. Leaves every other state alone. Returns whether it took any in. Vectors are left to the
/// service, or to [`Library::catch_up`].
pub async fn seed(library: &Library) -> Result<bool, Error> {
    let found = library.documents(&Reader::of_all(TENANT), None).await?;
    let Some(missing) = missing(&found) else {
        return Ok(false);
    };
    for document in missing {
        library
            .keep(
                &Reader::of_all(TENANT),
                document.collection,
                document.filename,
                None,
                document.bytes.to_vec(),
            )
            .await?;
    }
    Ok(true)
}

/// The documents that an interrupted attempt left out; `None` when nothing is missing or a user has
/// changed the documents.
fn missing(found: &[DocumentSummary]) -> Option<&'static [DemoDocument]> {
    let (taken_in, missing) = DOCUMENTS.split_at_checked(found.len())?;
    let is_there = |document: &DemoDocument| {
        found.iter().any(|found| {
            found.collection == document.collection && found.filename == document.filename
        })
    };
    (!missing.is_empty() && taken_in.iter().all(is_there)).then_some(missing)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn summary(collection: &str, filename: &str) -> DocumentSummary {
        DocumentSummary {
            document_id: String::new(),
            collection: collection.to_owned(),
            filename: filename.to_owned(),
            media_type: "text/markdown".to_owned(),
            bytes: 1,
            content_hash: String::new(),
            chunks: 1,
            chunks_without_vector: 0,
            updated_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn an_empty_tenant_gets_all_and_a_cut_attempt_the_rest() {
        assert_eq!(missing(&[]).unwrap().len(), DOCUMENTS.len());
        let two = [
            summary("manuals", "customers.md"),
            summary("manuals", "core.md"),
        ];
        assert_eq!(missing(&two).unwrap().len(), DOCUMENTS.len() - 2);
    }

    #[test]
    fn what_somebody_changed_is_left_alone() {
        assert!(missing(&[summary("manuals", "own.md")]).is_none());
        assert!(
            missing(&[summary("manuals", "safety.md")]).is_none(),
            "the others were deleted"
        );
        let all: Vec<_> = DOCUMENTS
            .iter()
            .map(|d| summary(d.collection, d.filename))
            .collect();
        assert!(missing(&all).is_none());
        let more = [all, vec![summary("manuals", "own.md")]].concat();
        assert!(missing(&more).is_none());
    }

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/files");
        let count = |collection: &str| {
            std::fs::read_dir(format!("{folder}/{collection}"))
                .unwrap()
                .count()
        };
        assert_eq!(count("manuals") + count("climate"), DOCUMENTS.len());
    }
}
