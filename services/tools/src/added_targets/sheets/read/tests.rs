use std::io::Cursor;

use super::workbook::duration;
use super::*;

fn csv(text: &[u8]) -> Result<Found, String> {
    let config = AddedTargetsConfig {
        file_cells: 1_000,
        file_columns: 5,
        cell_chars: 20,
        ..AddedTargetsConfig::default()
    };
    read("Umsatz 2026.csv", text.to_vec(), None, &config).map_err(|error| error.to_string())
}

fn columns(found: &Found) -> Vec<&str> {
    let columns = found.tables[0].columns.iter();
    columns.map(|(name, _)| name.as_str()).collect()
}

#[test]
fn a_table_is_named_after_its_file_and_headers() {
    let found = csv("Kunde;Umsatz (€);Ort\nMüller;1.234,50;Köln\n".as_bytes()).unwrap();
    assert_eq!(
        (found.format, found.tables[0].name.as_str()),
        ("csv", "umsatz_2026")
    );
    assert_eq!(columns(&found), ["kunde", "umsatz", "ort"]);
    assert_eq!(found.tables[0].rows, [["Müller", "1.234,50", "Köln"]]);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

#[test]
fn a_file_without_names_keeps_its_first_row() {
    let found = csv(b"2026-06-01;12,5;DE\n2026-06-02;13,1;FR\n2026-06-03;9,0;DE\n").unwrap();
    assert_eq!(columns(&found), ["column_a", "column_b", "column_c"]);
    assert_eq!(found.tables[0].rows.len(), 3);
    assert_eq!(found.tables[0].line(0), 1);
    assert_eq!(
        found.notes,
        [
            "“Umsatz 2026”: row 1 is read as values, as the rows below it; the columns are named Column A to Column C."
        ]
    );
    // Years, numbers that count up and any text among numbers are names.
    for text in [
        "Land;2024;2025\nDE;1,5;2,5\nFR;3;4\n",
        "day;0;1;2\n2026-06-01;5;6;7\n2026-06-02;5;6;7\n",
        "a;1\n5;7\n6;8\n",
        "2024;a\n1;2\n3;4\n",
        "Ort;Name\nKiel;Ada\nBonn;Max\n",
    ] {
        let found = csv(text.as_bytes()).unwrap();
        assert_eq!(found.tables[0].rows.len(), 2, "{text}");
    }
    // A person knows better, either way.
    let config = AddedTargetsConfig::default();
    for (text, has_names, rows) in [("1;2\n3;4\n", true, 1), ("Ort;Name\nKiel;Ada\n", false, 2)] {
        let found = read("a.csv", text.into(), Some(has_names), &config).unwrap();
        assert_eq!(found.tables[0].rows.len(), rows, "{text}");
    }
}

#[test]
fn other_encodings_are_read() {
    let latin = csv(b"Stra\xdfe,Ort\nHauptstra\xdfe,K\xf6ln\n").unwrap();
    assert_eq!(latin.tables[0].rows[0], ["Hauptstraße", "Köln"]);
    let utf16: Vec<u8> = "\u{feff}a,b\nü,2\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(csv(&utf16).unwrap().tables[0].rows[0], ["ü", "2"]);
}

#[test]
fn quotation_marks_that_are_closed_or_inside_a_cell_are_read() {
    let found = csv(b"a,b\n\"1,\n\"\"x\"\"\",2\n5\",6\"\"\n\"7\"8\",9\n").unwrap();
    let rows = &found.tables[0].rows;
    assert_eq!(rows[0], ["1,\n\"x\"", "2"]);
    assert_eq!(rows[1], ["5\"", "6\"\""]);
    assert_eq!(rows[2], ["78\"", "9"]);
}

#[test]
fn an_error_of_a_database_file_is_a_sentence() {
    let error = csv(b"SQLite format 3\0 broken").err().unwrap();
    assert!(
        error.starts_with("The SQLite file") && error.ends_with('?'),
        "{error}"
    );
}

#[test]
fn broken_files_are_refused_with_the_reason() {
    for (file, reason) in [
        (&b""[..], "is empty"),
        (b" \n\n", "is empty"),
        (b"only,a,header\n", "no table"),
        (b"\x00\x01\x02binary", "not a text"),
        (b"PK\x03\x04 broken", "damaged"),
        (b"SQLite format 3\0 broken", "damaged"),
        (b"PAR1....", "Parquet file is damaged"),
        (b"PARE....", "encrypted"),
        (b"a,b\n1,2\n3,\"4\n5,6\n", "in line 3 is never closed"),
        (b"\xd0\xcf\x11\xe0....", "97-2003"),
        (b"a,b,c,d,e,f\n1,2,3,4,5,6\n", "more than 5 columns"),
    ] {
        let error = csv(file).err().unwrap();
        assert!(error.contains(reason), "{error}");
    }
    let many = format!("a,b\n{}", "1,2\n".repeat(600));
    assert!(csv(many.as_bytes()).err().unwrap().contains("1000 cells"));
}

/// A small file that unpacks to a large one is refused before anything reads it.
#[test]
fn a_bomb_is_refused() {
    use std::io::Write as _;
    use zip::write::SimpleFileOptions;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive
        .start_file("xl/sharedStrings.xml", SimpleFileOptions::default())
        .unwrap();
    for _ in 0..200 {
        archive.write_all(&vec![b' '; 64 * 1024]).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    let config = AddedTargetsConfig {
        file_bytes: 1024 * 1024,
        ..AddedTargetsConfig::default()
    };
    let error = read("bomb.xlsx", bytes, None, &config).err().unwrap();
    assert!(error.to_string().contains("unpacks to more"), "{error}");
}

/// A text that is once in the file, and in many cells.
#[test]
fn cells_with_too_much_text_are_refused() {
    let bytes = include_bytes!("../../../../tests/samples/parquet/repeated.parquet").to_vec();
    let config = AddedTargetsConfig {
        file_bytes: 1024 * 1024,
        ..AddedTargetsConfig::default()
    };
    let error = read("a.parquet", bytes, None, &config).err().unwrap();
    assert!(
        error.to_string().contains("more than 8 MiB of text"),
        "{error}"
    );
}

/// The file itself says how many cells it has.
#[test]
fn a_table_with_too_many_cells_is_refused_before_it_is_read() {
    let bytes = include_bytes!("../../../../tests/samples/parquet/zstd.parquet").to_vec();
    let of = |file_cells| AddedTargetsConfig {
        file_cells,
        ..AddedTargetsConfig::default()
    };
    let found = read("a.parquet", bytes.clone(), None, &of(900)).unwrap();
    assert_eq!(found.tables[0].rows.len(), 300);
    let error = read("a.parquet", bytes, None, &of(899)).err().unwrap();
    assert!(error.to_string().contains("more than 899 cells"), "{error}");
}

/// A file of one column of numbers, each the same, with this type.
fn of_one_number(kind: &str, number: i64, rows: usize) -> Vec<u8> {
    use ::parquet::data_type::Int64Type;
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    let schema = format!("message schema {{ REQUIRED INT64 at {kind}; }}");
    let schema = std::sync::Arc::new(parse_message_type(&schema).unwrap());
    let mut bytes = Vec::new();
    let in_one_page = WriterProperties::builder().set_data_page_row_count_limit(rows);
    let properties = std::sync::Arc::new(in_one_page.build());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values = vec![number; rows];
    column
        .typed::<Int64Type>()
        .write_batch(&values, None, None)
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

/// The same number a million times takes some hundred bytes in a file, and some hundred megabytes
/// as rows.
#[test]
fn a_small_file_with_many_rows_is_refused_by_its_footer() {
    let config = AddedTargetsConfig::default();
    let bytes = of_one_number("", 7, 1_000_000);
    assert!(bytes.len() < 1_000, "{}", bytes.len());
    let error = read("bomb_rows.parquet", bytes, None, &config)
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("has 1000000 cells in"),
        "{error}"
    );
    let few = read("a.parquet", of_one_number("", 7, 200_000), None, &config).unwrap();
    assert_eq!(few.tables[0].rows.len(), 200_000);
}

#[test]
fn digits_that_are_not_kept_are_told() {
    let config = AddedTargetsConfig::default();
    let kind = "(TIMESTAMP(NANOS,false))";
    let notes = |number| {
        let bytes = of_one_number(kind, number, 3);
        read("a.parquet", bytes, None, &config).unwrap().notes
    };
    assert_eq!(
        notes(1_800_000_000_123_456_789),
        ["“at”: 3 times have digits beyond microseconds, which are left out."]
    );
    assert_eq!(notes(1_800_000_000_123_456_000), Vec::<String>::new());
    let old = include_bytes!("../../../../tests/samples/parquet/int96.parquet").to_vec();
    let notes = read("a.parquet", old, None, &config)
        .unwrap()
        .notes
        .join(" ");
    assert!(
        notes.contains("INT96 are read to the millisecond") && notes.contains("local_ns"),
        "{notes}"
    );
}

#[test]
fn lengths_of_time_and_fractions_of_a_second_are_those_of_the_workbook() {
    for (days, text) in [
        (0.0, "00:00:00"),
        (0.5, "12:00:00"),
        (1.5, "36:00:00"),
        (100.0 + 1.0 / 86_400.0, "2400:00:01"),
        (0.25 / 86_400.0, "00:00:00.250"),
        (-1.5 / 24.0, "-01:30:00"),
    ] {
        assert_eq!(duration(days), text);
    }
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    let format = |code: &str| rust_xlsxwriter::Format::new().set_num_format(code);
    let cells = [
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("[h]:mm:ss", 0.5, "12:00:00"),
        (
            "yyyy-mm-dd hh:mm:ss.000",
            46_000.5 + 0.25 / 86_400.0,
            "2025-12-09 12:00:00.250",
        ),
        ("hh:mm:ss.000", 0.25 + 0.125 / 86_400.0, "06:00:00.125"),
        ("hh:mm:ss", 0.25, "06:00:00"),
        ("yyyy-mm-dd", 46_000.0, "2025-12-09"),
    ];
    for (at, (code, days, _)) in (0_u16..).zip(&cells) {
        sheet.write_string(0, at, format!("c{at}")).unwrap();
        sheet
            .write_number_with_format(1, at, *days, &format(code))
            .unwrap();
    }
    let bytes = book.save_to_buffer().unwrap();
    let found = read("a.xlsx", bytes, None, &AddedTargetsConfig::default()).unwrap();
    let expected: Vec<&str> = cells.iter().map(|(_, _, text)| *text).collect();
    assert_eq!(found.tables[0].rows[0], expected);
}

#[test]
fn odd_tables_are_read_and_the_oddity_is_told() {
    let found =
        csv(b"Report of May,,\n\nName,Name,\nx,y,z,w\n,,\nlong long long long long long,2\n")
            .unwrap();
    assert_eq!(columns(&found), ["name", "name_2", "column_3", "column_4"]);
    let rows = &found.tables[0].rows;
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0], ["x", "y", "z", "w"]);
    assert_eq!(rows[1][0].chars().count(), 20);
    let notes = found.notes.join("\n");
    for part in [
        "above the header in row 3",
        "more cells than the header; the columns without a header are named column_3, column_4.",
        "twice",
        "were cut",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
}

fn merged_book() -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    sheet.set_name("Ausgaben 2026").unwrap();
    let plain = rust_xlsxwriter::Format::new();
    sheet
        .merge_range(0, 0, 0, 4, "Overview of the club", &plain)
        .unwrap();
    for (at, name) in ["Beleg", "Datum", "Kategorie"].into_iter().enumerate() {
        let at = u16::try_from(at).unwrap();
        sheet.merge_range(3, at, 4, at, name, &plain).unwrap();
    }
    sheet.merge_range(3, 3, 3, 4, "Beträge", &plain).unwrap();
    sheet.write_string(4, 3, "netto").unwrap();
    sheet.write_string(4, 4, "brutto").unwrap();
    for row in 5..8 {
        let number = f64::from(row - 4);
        sheet.write_number(row, 0, number).unwrap();
        sheet.write_string(row, 1, "2026-02-01").unwrap();
        sheet.write_string(row, 2, "Miete").unwrap();
        sheet.write_number(row, 3, 10.0 * number).unwrap();
        sheet.write_number(row, 4, 12.0 * number).unwrap();
    }
    sheet.write_string(8, 0, "Summe").unwrap();
    sheet.write_number(8, 3, 60.0).unwrap();
    sheet.write_number(8, 4, 72.0).unwrap();
    book.save_to_buffer().unwrap()
}

#[test]
fn a_heading_over_two_rows_is_joined_names() {
    let found = read(
        "a.xlsx",
        merged_book(),
        None,
        &AddedTargetsConfig::default(),
    )
    .unwrap();
    let names = [
        "beleg",
        "datum",
        "kategorie",
        "beträge_netto",
        "beträge_brutto",
    ];
    assert_eq!(columns(&found), names);
    let table = &found.tables[0];
    assert_eq!(table.rows[0], ["1", "2026-02-01", "Miete", "10", "12"]);
    assert_eq!(table.lines, [6, 7, 8, 9]);
    assert_eq!(
        found.notes,
        [
            "“Ausgaben 2026”: what stands above the header in row 4 is left out.",
            "“Ausgaben 2026”: the header is in rows 4 and 5; their names are joined.",
        ]
    );
}

#[test]
fn a_file_without_merged_cells_has_its_names_in_two_rows_too() {
    let found = csv(b";Q1;;Q2;\nRegion;Jan;Feb;Apr;May\nNorth;1;2;3;4\nSouth;5;6;7;8\n").unwrap();
    assert_eq!(
        columns(&found),
        ["region", "q1_jan", "q1_feb", "q2_apr", "q2_may"]
    );
    assert_eq!(found.tables[0].rows.len(), 2);
    // A row of values is none of names.
    for text in [
        "Name;Phone;\nAnna;1234;5678\nBen;1;2\n",
        "Name;Words;\nAnna;red;green\nBen;blue;black\n",
        "Name;2025;2026\nAnna;1;2\n",
    ] {
        let rows = csv(text.as_bytes()).unwrap().tables[0].rows.len();
        assert_eq!(rows, text.lines().count() - 1, "{text}");
    }
}

#[test]
fn names_are_identifiers() {
    assert_eq!(identifier("2026 Umsatz"), "n2026_umsatz");
    assert_eq!(identifier("  pg_class\"; DROP "), "t_pg_class_drop");
    assert_eq!(identifier("ÄÖ-ü"), "äö_ü");
    assert!(identifier(&"ü".repeat(100)).len() <= 60);
    assert_eq!(names(vec![String::new(), "-".to_owned()])[1].0, "column_2");
}
