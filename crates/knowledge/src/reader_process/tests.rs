use std::fmt::Write as _;
use std::time::{Duration, Instant};

use flate2::{Compress, Compression, FlushCompress};
use tokio::sync::Mutex;

use super::*;

crate::document_reader_for_tests!();

/// Tests look at this process's memory and children, so they go one at a time.
static ALONE: Mutex<()> = Mutex::const_new(());

fn settings() -> Settings {
    Settings {
        reader_memory_bytes: 192 << 20,
        ..Settings::default()
    }
}

async fn read(kind: MediaType, bytes: &[u8], settings: &Settings) -> Result<ReadDocument, Error> {
    Readers::new(settings)
        .read("acme", kind, bytes, settings)
        .await
}

/// What `/proc/self/status` says in kilobytes.
fn kilobytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// The readers that this process has as children.
fn children() -> usize {
    let own = std::process::id().to_string();
    let of_us = |entry: &std::path::Path| {
        let stat = std::fs::read_to_string(entry.join("stat")).unwrap_or_default();
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent == Some(own.as_str())
    };
    let entries = std::fs::read_dir("/proc").unwrap();
    entries
        .flatten()
        .filter(|entry| of_us(&entry.path()))
        .count()
}

/// A zlib stream of `before`, then `part`, `times` times.
fn deflated(before: &[u8], part: &[u8], times: u32) -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    // What is flushed in full stands on its own, and may be repeated.
    let mut block = |bytes: &[u8], flush| {
        let mut out = Vec::with_capacity(bytes.len() + 1024);
        compress.compress_vec(bytes, &mut out, flush).unwrap();
        out
    };
    let mut stream = vec![0x78, 0xda];
    stream.extend(block(before, FlushCompress::Full));
    let repeated = block(part, FlushCompress::Full);
    for _ in 0..times {
        stream.extend_from_slice(&repeated);
    }
    stream.extend(block(b"", FlushCompress::Finish));
    let mut sum = adler(before);
    let (part_a, part_b) = adler(part);
    for _ in 0..times {
        // What the part adds to the sums that are before it.
        let length = u64::try_from(part.len()).unwrap() % ADLER;
        sum.1 = (sum.1 + part_b + length * (sum.0 + ADLER - 1)) % ADLER;
        sum.0 = (sum.0 + part_a + ADLER - 1) % ADLER;
    }
    let sum = u32::try_from(sum.1 << 16 | sum.0).unwrap();
    stream.extend(sum.to_be_bytes());
    stream
}

const ADLER: u64 = 65_521;

fn adler(bytes: &[u8]) -> (u64, u64) {
    bytes.iter().fold((1, 0), |(a, b), byte| {
        let a = (a + u64::from(*byte)) % ADLER;
        (a, (b + a) % ADLER)
    })
}

/// A PDF of one page, whose content went through as many filters.
fn pdf(content: &[u8], filters: usize) -> Vec<u8> {
    let filter = ["/FlateDecode"].repeat(filters).join(" ");
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>".to_vec(),
        [
            format!("<< /Length {} /Filter [{filter}] >>\nstream\n", content.len()).as_bytes(),
            content,
            b"\nendstream",
        ]
        .concat(),
    ];
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = String::new();
    for (number, object) in (1..).zip(&objects) {
        writeln!(places, "{:010} 00000 n ", file.len()).unwrap();
        file.extend(format!("{number} 0 obj\n").as_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let end = format!(
        "xref\n0 6\n0000000000 65535 f \n{places}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    file.extend(end.as_bytes());
    file
}

fn is_refused(error: &Error) -> bool {
    matches!(
        error,
        Error::TooDemanding { .. } | Error::TooSlow | Error::Broken(_) | Error::TooMuchText { .. }
    )
}

#[tokio::test]
async fn a_document_is_read_as_without_a_process() {
    let _alone = ALONE.lock().await;
    let text = "# Pump\n\nIt moves water.\n\n## Start\n\nPress the green button, größer.\n";
    let page = deflated(
        b"BT /F1 12 Tf 50 700 Td (This page is about the pump.) Tj ET",
        b"",
        0,
    );
    for (kind, bytes) in [
        (MediaType::Markdown, text.as_bytes().to_vec()),
        (MediaType::PlainText, text.as_bytes().to_vec()),
        (
            MediaType::Html,
            b"<title>T</title><h1>Pump</h1><p>It moves.".to_vec(),
        ),
        (MediaType::Pdf, pdf(&page, 1)),
    ] {
        let (document, _) = readers::read(kind, &bytes).unwrap();
        let settings = Settings::default();
        let expected = ReadDocument {
            title: document.title.clone(),
            pages: document.pages,
            unreadable_pages: 0,
            chunks: crate::chunk::chunks(&document, settings.chunks),
        };
        assert!(!expected.chunks.is_empty());
        assert_eq!(read(kind, &bytes, &settings).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn why_a_document_is_refused_comes_out_of_the_process() {
    let _alone = ALONE.lock().await;
    let settings = Settings {
        max_chunks: 1,
        ..settings()
    };
    let refused = async |kind, bytes: &[u8]| read(kind, bytes, &settings).await.unwrap_err();
    assert!(matches!(
        refused(MediaType::Markdown, b"\n").await,
        Error::NoText(None)
    ));
    assert!(matches!(
        refused(MediaType::Pdf, b"%PDF-1.4 no").await,
        Error::Broken(_)
    ));
    let long = "# A\n\nwords of the first\n\n".repeat(500);
    assert!(matches!(
        refused(MediaType::Markdown, long.as_bytes()).await,
        Error::TooManyChunks {
            limit: 1,
            chunks: 2..
        }
    ));
}

#[tokio::test]
async fn a_pdf_that_inflates_to_a_gigabyte_takes_nothing_from_this_process() {
    let _alone = ALONE.lock().await;
    let spaces = vec![b' '; 1 << 20];
    let once = deflated(b"BT ET", &spaces, 1 << 10);
    let thrice = deflated(&deflated(&once, b"", 0), b"", 0);
    let words = b"(a word and another one) Tj 0 -12 Td\n".repeat(1 << 15);
    let text = deflated(b"BT /F1 12 Tf 50 700 Td\n", &words, 1 << 8);
    for (bytes, filters) in [(thrice, 3), (once, 1), (text, 1)] {
        let bytes = pdf(&bytes, filters);
        let (before, began) = (kilobytes("VmHWM:"), Instant::now());
        let settings = Settings {
            read_timeout: Duration::from_secs(20),
            ..settings()
        };
        let error = read(MediaType::Pdf, &bytes, &settings).await.unwrap_err();
        assert!(is_refused(&error), "{error:?}");
        let grown = kilobytes("VmHWM:").saturating_sub(before);
        assert!(grown < 64 << 10, "{grown} kB for {} bytes", bytes.len());
        assert_eq!(children(), 0, "{:?} {error}", began.elapsed());
    }
}

/// A page that takes long: each end tag is looked for among all open elements.
fn endless() -> String {
    format!("{}{}", "<span>".repeat(900), "</x>".repeat(4_000_000))
}

#[tokio::test]
async fn a_page_that_nests_too_deeply_is_refused_at_once() {
    let _alone = ALONE.lock().await;
    for deep in [
        "<div>".repeat(200_000),
        "<ul><li>".repeat(100_000),
        "<table><tr><td>".repeat(50_000),
        format!("Words.\n\n{}", "<div>".repeat(200_000)),
    ] {
        let kind = if deep.starts_with('<') {
            MediaType::Html
        } else {
            MediaType::Markdown
        };
        let error = read(kind, deep.as_bytes(), &settings()).await.unwrap_err();
        assert!(
            matches!(&error, Error::Broken(why) if why.contains("nested too deeply")),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn a_page_that_takes_for_ever_is_given_up_and_its_process_is_gone() {
    let _alone = ALONE.lock().await;
    let deep = endless();
    let hasty = Settings {
        read_timeout: Duration::from_secs(1),
        ..settings()
    };
    let error = read(MediaType::Html, deep.as_bytes(), &hasty)
        .await
        .unwrap_err();
    assert!(matches!(error, Error::TooSlow), "{error:?}");
    assert_eq!(children(), 0);
    // A caller that goes away takes its reader with it.
    let patient = settings();
    let readers = Readers::new(&patient);
    let reading = readers.read("acme", MediaType::Html, deep.as_bytes(), &patient);
    let begun = async {
        while children() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        read = reading => panic!("{read:?}"),
        () = begun => {}
    }
    while children() > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn more_text_than_there_may_be_is_not_taken() {
    let _alone = ALONE.lock().await;
    let settings = Settings {
        max_text_bytes: 1_000,
        ..settings()
    };
    let long = "words and words. ".repeat(20_000);
    let error = read(MediaType::PlainText, long.as_bytes(), &settings)
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::TooMuchText { limit: 1_000 }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_document_waits_for_its_turn_behind_its_tenant_s_others_and_not_for_ever() {
    let _alone = ALONE.lock().await;
    let settings = Settings {
        readers: 2,
        reader_wait: Duration::from_millis(50),
        ..settings()
    };
    let readers = Readers::new(&settings);
    let deep = endless();
    let first = readers.read("acme", MediaType::Html, deep.as_bytes(), &settings);
    let second = async {
        while children() == 0 {
            tokio::task::yield_now().await;
        }
        let other = readers.read("rival", MediaType::PlainText, b"words", &settings);
        assert!(other.await.is_ok());
        readers
            .read("acme", MediaType::PlainText, b"words", &settings)
            .await
    };
    tokio::select! {
        read = first => panic!("{read:?}"),
        read = second => assert!(matches!(read, Err(Error::Busy { readers: 2 })), "{read:?}"),
    }
    // The first caller has dropped its request, and lost its turn.
    assert!(
        readers
            .read("acme", MediaType::PlainText, b"words", &settings)
            .await
            .is_ok()
    );
}
