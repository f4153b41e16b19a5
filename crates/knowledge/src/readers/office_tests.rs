use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;

use super::*;
use crate::document::Block;

const W: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";
const P: &str = "xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
const TITLE: (&str, &str) = (
    "docProps/core.xml",
    "<cp:coreProperties xmlns:cp=\"c\" xmlns:dc=\"d\"><dc:title>Service &amp; care</dc:title></cp:coreProperties>",
);

/// A zipped file of these parts.
fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    let document =
        format!("<?xml version=\"1.0\"?><w:document {W}><w:body>{body}</w:body></w:document>");
    let styles = format!(
        "<w:styles {W}><w:style w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style>\
         <w:style w:styleId=\"Own\"><w:name w:val=\"Own\"/><w:basedOn w:val=\"H2\"/></w:style>\
         <w:style w:styleId=\"H2\"><w:name w:val=\"Chapter\"/><w:pPr><w:outlineLvl w:val=\"1\"/></w:pPr></w:style></w:styles>"
    );
    zipped(&[
        ("word/document.xml", &document),
        ("word/styles.xml", &styles),
        TITLE,
    ])
}

/// A workbook of sheets, each with the rows of its `sheetData`.
fn xlsx(sheets: &[(&str, &str)]) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let mut names = String::new();
    let mut references = String::new();
    let mut parts = Vec::new();
    for (number, (name, rows)) in (1..).zip(sheets) {
        write!(
            names,
            "<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"r{number}\"/>"
        )
        .unwrap();
        write!(
            references,
            "<Relationship Id=\"r{number}\" Type=\"{relation}/worksheet\" Target=\"worksheets/sheet{number}.xml\"/>"
        )
        .unwrap();
        let sheet =
            format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/sheet{number}.xml"), sheet));
    }
    parts.push((
        "xl/workbook.xml".to_owned(),
        format!(
            "<workbook xmlns=\"{main}\" xmlns:r=\"{relation}\"><sheets>{names}</sheets></workbook>"
        ),
    ));
    let package = "http://schemas.openxmlformats.org/package/2006";
    parts.push((
        "xl/_rels/workbook.xml.rels".to_owned(),
        format!("<Relationships xmlns=\"{package}/relationships\">{references}</Relationships>"),
    ));
    parts.push((
        "_rels/.rels".to_owned(),
        format!("<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"a\" Type=\"{relation}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"),
    ));
    parts.push((
        "[Content_Types].xml".to_owned(),
        format!("<Types xmlns=\"{package}/content-types\"/>"),
    ));
    let parts: Vec<_> = parts
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    zipped(&parts)
}

fn pptx() -> Vec<u8> {
    let shape = |kind: &str, paragraphs: &str| {
        format!(
            "<p:sp><p:nvSpPr><p:nvPr><p:ph type=\"{kind}\"/></p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
        )
    };
    let paragraph = |level: u8, text: &str| {
        format!("<a:p><a:pPr lvl=\"{level}\"/><a:r><a:t>{text}</a:t></a:r></a:p>")
    };
    let cell = |text: &str| format!("<a:tc><a:txBody>{}</a:txBody></a:tc>", paragraph(0, text));
    let table = format!(
        "<p:graphicFrame><a:tbl><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr></a:tbl></p:graphicFrame>",
        cell("Step"),
        cell("Time"),
        cell("Bleed"),
        cell("5 min")
    );
    let slide =
        |shapes: &str| format!("<p:sld {P}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>");
    let first = slide(
        &[
            shape("ctrTitle", &paragraph(0, "The pump")),
            shape("body", &(paragraph(0, "One") + &paragraph(1, "Two"))),
            shape("sldNum", &paragraph(0, "1")),
        ]
        .concat(),
    );
    let second = slide(&(shape("title", &paragraph(0, "Bleeding")) + &table));
    let notes = slide(&shape("body", &paragraph(0, "Wear gloves.")));
    let relation = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"x/{kind}\" Target=\"{target}\"/>")
    };
    zipped(&[
        (
            "ppt/presentation.xml",
            &format!(
                "<p:presentation {P}><p:sldIdLst><p:sldId id=\"256\" r:id=\"b\"/><p:sldId id=\"257\" r:id=\"a\"/></p:sldIdLst></p:presentation>"
            ),
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            &format!(
                "<Relationships>{}{}</Relationships>",
                relation("a", "slide", "slides/slide2.xml"),
                relation("b", "slide", "slides/slide1.xml")
            ),
        ),
        ("ppt/slides/slide1.xml", &first),
        ("ppt/slides/slide2.xml", &second),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            &format!(
                "<Relationships>{}</Relationships>",
                relation("n", "notesSlide", "../notesSlides/n.xml")
            ),
        ),
        ("ppt/notesSlides/n.xml", &notes),
    ])
}

fn read_ok(kind: MediaType, bytes: &[u8]) -> Document {
    read_now(kind, bytes).unwrap().0
}

fn why(kind: MediaType, bytes: &[u8]) -> String {
    read_now(kind, bytes).unwrap_err().to_string()
}

fn at(page: Option<u32>, content: Content) -> Block {
    Block { content, page }
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
fn a_word_document_keeps_headings_pages_lists_and_tables() {
    let p = |properties: &str, text: &str| {
        format!(
            "<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>"
        )
    };
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", p("", text));
    let item = "<w:numPr><w:ilvl w:val=\"1\"/><w:numId w:val=\"1\"/></w:numPr>";
    let body = [
        p("<w:pStyle w:val=\"berschrift1\"/>", "The pump"),
        p("", "Wear A &amp; B.<w:tab/>").replace("<w:tab/></w:t>", "</w:t><w:tab/><w:t>Now</w:t>"),
        "<w:p><w:del><w:r><w:t>gone</w:t></w:r></w:del><w:r><w:t>kept</w:t></w:r></w:p>".to_owned(),
        p(item, "deep"),
        p(item, "deeper"),
        "<w:p><w:pPr><w:pStyle w:val=\"Own\"/></w:pPr><w:r><w:lastRenderedPageBreak/><w:t>Torque</w:t></w:r></w:p>".to_owned(),
        format!(
            "<w:tbl><w:tr>{}{}</w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>{}</w:tc></w:tr><w:tr>{}{}</w:tr></w:tbl>",
            cell("Bolt"), cell("Nm"), p("", "all"), cell("M8"), cell("25")
        ),
    ]
    .concat();
    let document = read_ok(MediaType::Word, &docx(&body));
    assert_eq!(document.title.as_deref(), Some("Service & care"));
    assert_eq!(document.pages, Some(2));
    assert_eq!(
        document.blocks,
        [
            at(Some(1), heading(1, "The pump")),
            at(Some(1), paragraph("Wear A & B. Now")),
            at(Some(1), paragraph("kept")),
            at(Some(1), list(&["  - deep", "  - deeper"])),
            at(Some(2), heading(2, "Torque")),
            at(
                Some(2),
                table("| Bolt | Nm |", &["| all |  |", "| M8 | 25 |"])
            ),
        ]
    );
}

#[test]
fn what_a_word_document_has_on_the_next_page_is_of_that_page() {
    let run = |text: &str| format!("<w:r>{text}</w:r>");
    let broken = "<w:lastRenderedPageBreak/><w:t>";
    let p = |text: &str| format!("<w:p>{}</w:p>", run(&format!("<w:t>{text}</w:t>")));
    let item = |text: &str| {
        p(text).replacen(
            "<w:p>",
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>",
            1,
        )
    };
    let row = |text: &str| format!("<w:tr><w:tc>{}</w:tc></w:tr>", p(text));
    let next = |text: &str| text.replacen("<w:t>", broken, 1);
    let body = [
        format!(
            "<w:p>{}{}</w:p>",
            run("<w:t>Oil is changed after</w:t>"),
            run(&format!("{broken} five hundred hours.</w:t>"))
        ),
        item("first"),
        next(&item("second")),
        format!(
            "<w:tbl>{}{}{}</w:tbl>",
            row("Bolt"),
            row("M8"),
            next(&row("M10"))
        ),
    ]
    .concat();
    let document = read_ok(MediaType::Word, &docx(&body));
    assert_eq!(document.pages, Some(4));
    assert_eq!(
        document.blocks,
        [
            at(Some(1), paragraph("Oil is changed after")),
            at(Some(2), paragraph("five hundred hours.")),
            at(Some(2), list(&["- first"])),
            at(Some(3), list(&["- second"])),
            at(Some(3), table("| Bolt |", &["| M8 |"])),
            at(Some(4), table("| Bolt |", &["| M10 |"])),
        ]
    );
}

#[test]
fn a_presentation_has_a_page_per_slide_in_its_order_with_notes() {
    let document = read_ok(MediaType::Slides, &pptx());
    assert_eq!(document.pages, Some(2));
    assert_eq!(
        document.blocks,
        [
            at(Some(1), heading(1, "The pump")),
            at(Some(1), list(&["- One", "  - Two"])),
            at(Some(2), heading(1, "Bleeding")),
            at(Some(2), table("| Step | Time |", &["| Bleed | 5 min |"])),
            at(Some(2), paragraph("Wear gloves.")),
        ]
    );
}

/// `PowerPoint` on a Mac keeps the settings of a printer as XML with a document type, in a part
/// that is not read.
#[test]
fn a_presentation_with_the_settings_of_a_printer_is_read() {
    let plist = r#"<?xml version="1.0"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd"><plist/>"#;
    let mut archive = zip::ZipWriter::new_append(Cursor::new(pptx())).unwrap();
    let name = "ppt/printerSettings/printerSettings1.bin";
    archive
        .start_file(name, SimpleFileOptions::default())
        .unwrap();
    archive.write_all(plist.as_bytes()).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let document = read_ok(MediaType::Slides, &bytes);
    assert_eq!(document.pages, Some(2));
}

#[test]
fn a_workbook_has_a_heading_per_sheet_and_a_table_per_block() {
    let text = |place: &str, text: &str| {
        format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
    };
    let number = |place: &str, number: &str| format!("<c r=\"{place}\"><v>{number}</v></c>");
    let row =
        |number: u32, cells: &[String]| format!("<row r=\"{number}\">{}</row>", cells.concat());
    let rows = [
        row(1, &[text("A1", "Spare parts 2024")]),
        row(3, &[text("B3", "Part"), text("C3", "Price")]),
        row(4, &[text("B4", "Seal"), number("C4", "12.5")]),
        row(5, &[text("B5", "Pump")]),
    ]
    .concat();
    let document = read_ok(
        MediaType::Workbook,
        &xlsx(&[("Prices &amp; parts", &rows), ("Empty", "")]),
    );
    let blocks: Vec<Content> = document
        .blocks
        .into_iter()
        .map(|block| block.content)
        .collect();
    assert_eq!(
        blocks,
        [
            heading(1, "Prices & parts"),
            paragraph("Spare parts 2024"),
            table("| Part | Price |", &["| Seal | 12.5 |", "| Pump |"]),
        ]
    );
}

const MAIL: &str = "From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>\r\nTo: service@example.org\r\nSubject: Pump\r\n fault\r\nDate: Mon, 05 Feb 2024 10:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSeal leaks at 5 =B0C.\r\n--b\r\nContent-Type: text/markdown\r\nContent-Disposition: attachment; filename=\"log.md\"\r\n\r\n# Log\r\n\r\nReplaced twice.\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"scan.pdf\"\r\n\r\nno pdf\r\n--b--\r\n";

#[test]
fn an_email_keeps_people_text_and_the_documents_attached() {
    let document = read_ok(MediaType::Email, MAIL.as_bytes());
    assert_eq!(document.title.as_deref(), Some("Pump fault"));
    let blocks: Vec<Content> = document
        .blocks
        .into_iter()
        .map(|block| block.content)
        .collect();
    assert_eq!(
        blocks[..6],
        [
            heading(1, "Pump fault"),
            list(&[
                "From: Jürgen <j@example.org>",
                "To: service@example.org",
                "Date: 2024-02-05T10:00:00+01:00"
            ]),
            paragraph("Seal leaks at 5 °C."),
            heading(2, "Attachment: log.md"),
            heading(3, "Log"),
            paragraph("Replaced twice."),
        ]
    );
    assert_eq!(blocks[6], heading(2, "Attachment: scan.pdf"));
    assert!(
        matches!(&blocks[7], Content::Paragraph(text) if text.starts_with("The attachment was not read"))
    );
    let html = "Subject: Hi\r\nContent-Type: text/html\r\n\r\n<h1>News</h1><table><tr><th>A<tr><td>1</table>";
    let document = read_ok(MediaType::Email, html.as_bytes());
    assert_eq!(document.blocks[2].content, table("| A |", &["| 1 |"]));
}

#[test]
fn what_is_broken_or_of_another_kind_is_refused_with_the_reason() {
    let word = docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>");
    let cases: [(MediaType, Vec<u8>, &str); 14] = [
        (
            MediaType::Word,
            word[..word.len() / 2].to_vec(),
            "it was cut off; get the file again",
        ),
        (
            MediaType::Workbook,
            word.clone(),
            "ends as an Excel workbook (.xlsx), but it is a Word document",
        ),
        (
            MediaType::Slides,
            zipped(&[("a.txt", "x")]),
            "it is not a presentation",
        ),
        (
            MediaType::Word,
            zipped(&[("content.xml", "<x/>")]),
            "OpenDocument",
        ),
        (
            MediaType::Word,
            b"plain words".to_vec(),
            "does not begin as an Office file",
        ),
        (
            MediaType::Word,
            vec![0xd0, 0xcf, 0x11, 0xe0, 1, 2],
            "protected by a password, or in an old Office format",
        ),
        (
            MediaType::PlainText,
            vec![0xd0, 0xcf, 0x11, 0xe0, 1, 2],
            "old Office format",
        ),
        (MediaType::Markdown, word, "its name has another ending"),
        (MediaType::Word, b"%PDF-1.7".to_vec(), "it is a PDF"),
        (
            MediaType::Word,
            zipped(&[("word/document.xml", "<w:a><w:b></w:a>")]),
            "is broken XML",
        ),
        (
            MediaType::Word,
            zipped(&[("word/document.xml", "<w:a>")]),
            "ends in its middle",
        ),
        (
            MediaType::Word,
            docx(&format!("{}x", "<w:p>".repeat(300))),
            "nested too deeply",
        ),
        (
            MediaType::Slides,
            zipped(&[(
                "ppt/presentation.xml",
                &format!("<p {P}><p:sldId r:id=\"q\"/></p>"),
            )]),
            "slide 1 is missing",
        ),
        (
            MediaType::Email,
            b"just words, no mail".to_vec(),
            "it is not an e-mail",
        ),
    ];
    for (kind, bytes, reason) in cases {
        let told = why(kind, &bytes);
        assert!(
            told.contains(reason),
            "{kind:?}: {told} should say {reason:?}"
        );
    }
}

#[test]
fn entities_are_refused_and_what_unpacks_without_end() {
    let entity = "<?xml version=\"1.0\"?><!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><w:document><w:t>&x;</w:t></w:document>";
    let kinds = [
        (MediaType::Word, "word/document.xml"),
        (MediaType::Slides, "ppt/presentation.xml"),
        (MediaType::Workbook, "xl/workbook.xml"),
    ];
    for (kind, main) in kinds {
        let told = why(kind, &zipped(&[(main, entity)]));
        assert!(told.contains("document type, which is refused"), "{told}");
        let undefined = why(kind, &zipped(&[(main, "<w:t>&x;</w:t>")]));
        assert!(!undefined.is_empty());
        // Nothing, over and over.
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default();
        for name in [main, "a.xml", "b.bin"] {
            zip.start_file(name, options).unwrap();
            for _ in 0..3 {
                zip.write_all(&vec![b' '; 1 << 20]).unwrap();
            }
        }
        let bomb = zip.finish().unwrap().into_inner();
        assert!(bomb.len() < 1 << 20);
        let told = why(kind, &bomb);
        assert!(told.contains("unpacks to more than 8 MiB"), "{told}");
    }
}
