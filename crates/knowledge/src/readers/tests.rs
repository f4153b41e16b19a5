use std::fmt::Write;

use super::*;
use crate::document::Block;

fn contents(document: &Document) -> Vec<Content> {
    document
        .blocks
        .iter()
        .map(|block| block.content.clone())
        .collect()
}

fn markdown(text: &str) -> Document {
    read_now(MediaType::Markdown, text.as_bytes()).unwrap().0
}

fn html(text: &str) -> Document {
    read_now(MediaType::Html, text.as_bytes()).unwrap().0
}

fn plain(text: &str) -> Document {
    read_now(MediaType::PlainText, text.as_bytes()).unwrap().0
}

fn heading(level: u8, text: &str) -> Content {
    Content::Heading {
        level,
        text: text.to_owned(),
    }
}

fn paragraph(text: &str) -> Content {
    Content::Paragraph(text.to_owned())
}

fn list(items: &[&str]) -> Content {
    Content::List(items.iter().map(|&item| item.to_owned()).collect())
}

fn table(header: &str, rows: &[&str]) -> Content {
    Content::Table {
        header: header.to_owned(),
        rows: rows.iter().map(|&row| row.to_owned()).collect(),
    }
}

#[test]
fn markdown_keeps_its_structure() {
    let document = markdown(
        "---\ntitle: x\n---\n# The *Pump*\n\nIt moves\nwater, see [here](http://x).\n\n- one\n  - deeper\n- two\n\n1. first\n2. second\n\n\
         ```sh\nmake  all\n```\n\n| A | B |\n|---|---|\n| 1 | `x` |\n| 2 |  |\n\n> quoted\n\n<div>raw <b>html</b></div>\n",
    );
    assert_eq!(document.title.as_deref(), Some("The Pump"));
    assert_eq!(
        contents(&document),
        [
            heading(1, "The Pump"),
            paragraph("It moves water, see here."),
            list(&["- one", "  - deeper", "- two"]),
            list(&["1. first", "2. second"]),
            Content::Code("make  all".to_owned()),
            table("| A | B |", &["| 1 | x |", "| 2 |  |"]),
            paragraph("quoted"),
            paragraph("raw html"),
        ]
    );
}

#[test]
fn html_keeps_text_and_drops_what_is_none() {
    let document = html(
        "<!doctype html><html><head><title> The page </title><style>p{}</style></head><body>\
         <nav><a href=/>Home</a></nav><script>alert('no')</script><h1>Pump</h1>\
         <p>It <b>moves</b>\n water<br>fast.<p>Next &amp; last\
         <ul><li>one<ul><li>deeper</li></ul></li><li>two</ul><ol start=3><li>third</ol>\
         <table><tr><th>A<th>B<tr><td>1<td><p>x</p><table><tr><td>inner</table></table>\
         <pre>a\n  b\n</pre><div hidden>secret</div><noscript>no</noscript>loose <span>words</span>\
         <template>t</template></body></html>",
    );
    assert_eq!(document.title.as_deref(), Some("The page"));
    assert_eq!(
        contents(&document),
        [
            heading(1, "Pump"),
            paragraph("It moves water fast."),
            paragraph("Next & last"),
            list(&["- one", "  - deeper", "- two"]),
            list(&["3. third"]),
            table("| A | B |", &["| 1 | x inner |"]),
            Content::Code("a\n  b".to_owned()),
            paragraph("loose words"),
        ]
    );
}

#[test]
fn html_that_is_none_breaks_nothing() {
    for text in [
        "",
        "<",
        "<p",
        "</p></p></table></ul>",
        "<table><td>a<table><td>b",
        "<script>never ends",
        "<title>",
        "<li>lone",
        "&#xFFFFFFFF;&nosuch;",
    ] {
        html(text);
    }
    let deep = format!("{}words{}", "<div>".repeat(3_000), "</div>".repeat(3_000));
    assert_eq!(contents(&html(&deep)), [paragraph("words")]);
    assert_eq!(contents(&html("<ul>".repeat(50).as_str())), []);
}

#[test]
fn plain_text_has_paragraphs_lists_and_what_looks_like_a_heading() {
    let document = plain(
        "SAFETY RULES\n\nNever reach\ninto the pump.\r\n\r\n3.2 Torque of the terminals\n\n- one\n- two\n\nIt is well-\nknown.\n\n\
         1. Open the valve.\n2. Close it.\n\nSection 4: Limits\nNone are known.\n",
    );
    assert_eq!(
        contents(&document),
        [
            heading(1, "SAFETY RULES"),
            paragraph("Never reach into the pump."),
            heading(2, "3.2 Torque of the terminals"),
            list(&["- one", "- two"]),
            paragraph("It is well-known."),
            list(&["1. Open the valve.", "2. Close it."]),
            heading(2, "Section 4: Limits"),
            paragraph("None are known."),
        ]
    );
}

#[test]
fn text_is_read_in_the_encodings_that_occur() {
    let read = |bytes: &[u8]| contents(&read_now(MediaType::PlainText, bytes).unwrap().0);
    assert_eq!(read("\u{feff}größe".as_bytes()), [paragraph("größe")]);
    assert_eq!(read(b"gr\xf6\xdfe \x80"), [paragraph("größe €")]);
    assert_eq!(read(b"\xff\xfeg\0r\0"), [paragraph("gr")]);
    assert!(matches!(
        read_now(MediaType::PlainText, b"a\0b"),
        Err(Error::Broken(_))
    ));
}

/// A PDF with a page per text, made by hand.
fn pdf(pages: &[&str], trailer: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len())
        .map(|n| format!("{} 0 R", 4 + 2 * n))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} >>",
            kids.join(" "),
            pages.len()
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (n, text) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            5 + 2 * n
        ));
        let lines: Vec<String> = text
            .lines()
            .map(|line| format!("({line}) Tj 0 -40 Td"))
            .collect();
        let stream = format!("BT /F1 12 Tf 50 700 Td {} ET", lines.join(" "));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{stream}\nendstream",
            stream.len()
        ));
    }
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (n, object) in objects.iter().enumerate() {
        places.push(format!("{:010} 00000 n \n", file.len()));
        write!(file, "{} 0 obj\n{object}\nendobj\n", n + 1).unwrap();
    }
    let (start, size) = (file.len(), places.len() + 1);
    write!(
        file,
        "xref\n0 {size}\n0000000000 65535 f \n{}trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n",
        places.concat()
    )
    .unwrap();
    file.into_bytes()
}

#[test]
fn a_pdf_is_read_page_by_page() {
    let bytes = pdf(
        &[
            "1.1 Scope of it\nThis page is about the pump.",
            "The second page has the valve.",
        ],
        "",
    );
    let (document, unreadable) = read_now(MediaType::Pdf, &bytes).unwrap();
    assert_eq!(unreadable, 0);
    assert_eq!(document.pages, Some(2));
    assert_eq!(
        document.blocks,
        [
            Block {
                content: heading(2, "1.1 Scope of it"),
                page: Some(1)
            },
            Block {
                content: paragraph("This page is about the pump."),
                page: Some(1)
            },
            Block {
                content: paragraph("The second page has the valve."),
                page: Some(2)
            },
        ]
    );
}

#[test]
fn a_passage_of_a_pdf_has_the_page_of_its_text() {
    let bytes = pdf(
        &[
            "The warranty is 36 months.",
            "Damage by overload is not covered.",
        ],
        "",
    );
    let (document, _) = read_now(MediaType::Pdf, &bytes).unwrap();
    let passages: Vec<_> = crate::chunk::chunks(&document, crate::ChunkSettings::default())
        .into_iter()
        .map(|chunk| (chunk.page, chunk.content))
        .collect();
    assert_eq!(
        passages,
        [
            (Some(1), "The warranty is 36 months.".to_owned()),
            (Some(2), "Damage by overload is not covered.".to_owned()),
        ]
    );
}

#[test]
fn a_pdf_that_can_not_be_read_says_why() {
    let read = |bytes: Vec<u8>| super::read(MediaType::Pdf, &bytes).unwrap_err();
    assert!(matches!(read(b"hello".to_vec()), Error::Broken(_)));
    let whole = pdf(&["This page is about the pump."], "");
    for length in [9, 100, whole.len() / 2, whole.len() - 7] {
        let error = read(whole[..length].to_vec()).to_string();
        assert!(
            error.ends_with("cut off; get the file again"),
            "{length}: {error}"
        );
    }
    let damaged = read(b"%PDF-1.4\nhello\n%%EOF\n".to_vec()).to_string();
    assert!(damaged.contains("it is damaged ("), "{damaged}");
    assert!(damaged.contains("save it anew"), "{damaged}");
    let empty = read(pdf(&[""], ""));
    assert!(matches!(&empty, Error::NoText(Some(_))), "{empty}");
    let locked = "/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 \
        /O <0000000000000000000000000000000000000000000000000000000000000000> \
        /U <0000000000000000000000000000000000000000000000000000000000000000> >>";
    let encrypted = read(pdf(&["secret"], locked));
    assert!(matches!(encrypted, Error::Encrypted), "{encrypted}");
    // Whatever is missing, an error comes and no panic.
    let whole = pdf(&["This page is about the pump."], "");
    for end in (0..whole.len()).step_by(37) {
        let _ = super::read(MediaType::Pdf, &whole[..end]);
    }
}

#[test]
fn a_document_without_words_is_told_so() {
    for (kind, bytes) in [
        (MediaType::Markdown, "\n---\n"),
        (MediaType::Html, "<p> </p><script>x</script>"),
        (MediaType::PlainText, " .\n"),
    ] {
        let error = super::read(kind, bytes.as_bytes()).unwrap_err();
        assert!(matches!(error, Error::NoText(None)), "{error}");
    }
}
