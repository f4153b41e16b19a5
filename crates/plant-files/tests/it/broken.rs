//! Broken files and files of something else: each has one clear error.

use plant_files::FileError;

use crate::import;

/// Name, content, words of the error.
const FILES: &[(&str, &[u8], &str)] = &[
    ("empty.csv", b"", "empty"),
    ("blank.csv", b"  \r\n \n", "empty"),
    ("mark.csv", b"\xef\xbb\xbf", "empty"),
    ("photo.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary file"),
    ("book.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0", "save it as .xlsx"),
    ("manual.pdf", b"%PDF-1.7\n1 0 obj", "PDF"),
    ("archive.xlsx", b"PK\x03\x04\x14\0\0\0photo.jpg", "not an Excel workbook"),
    ("book.xlsx", b"PK\x03\x04\x14\0\0\0xl/workbook.xml", "workbook cannot be read"),
    ("page.xml", b"<root><item>1</item></root>", "XML or HTML"),
    ("rows.json", b"[{\"timestamp\": \"2024-06-01T12:00:00Z\"}]", "JSON"),
    ("gz.csv", b"\x1f\x8b\x08\0\0\0\0\0", "compressed"),
    ("letter.txt", b"Dear reader,\nthere are no rows here.\n", "format is not known"),
    ("multi_meier_goodwe.csv", b"a;b\n1;2\n", "format is not known"),
    ("lti_no_data.csv", b"[header]\nserial=1\n", "format is not known"),
    ("lti_cut.csv", b"[header]\nserial=1\n[data]\n", "no row of the file"),
    ("lti_no_time.csv", b"[header]\nserial=1\n[data]\nP_AC;E_DAY\n1;2\n", "no column timestamp"),
    ("lti_no_rows.csv", b"[header]\nserial=1\n[data]\ntimestamp;P_AC\n", "no row of the file"),
    ("lti_no_id.csv", b"[header]\nmodel=1\n[data]\ntimestamp;P_AC\n2024-06-01 12:00:00;5\n", "logger_id"),
    ("lti_bad.csv", b"[header]\nserial=1\n[data]\ntimestamp;P_AC\n2024-02-31 12:00:00;5\n", "there is no such date"),
    ("lti_nul.csv", b"[header]\nserial=1\n[data]\ntimestamp;P_AC\n2024-02-01 12:00:00;\0\n", "NUL bytes"),
    ("cut.xml", b"<root><system><md><dp timestamp='2024-06-01 12:00:00'><inverter serial='1'><mv type='P_AC'>5</mv>", "cut off"),
    ("mixed.xml", b"<root><system><md><dp timestamp='2024-06-01 12:00:00'></md></dp></system></root>", "XML is broken"),
    ("dtd.xml", b"<!DOCTYPE x [<!ENTITY a 'b'>]><root><system><md><dp/></md></system></root>", "document type"),
    ("entity.xml", b"<root><system><md><dp timestamp='2024-06-01 12:00:00'><inverter serial='1'><mv type='X'>&a;</mv></inverter></dp></md></system></root>", "entity"),
    ("offset.xml", b"<root><system utcOffset='soon'><md><dp/></md></system></root>", "utcOffset"),
    ("none.xml", b"<root><system serial='1'><md></md></system></root>", "no element dp"),
    ("sqlite.s3db", b"SQLite format 3\0", "damaged"),
    ("meteo_no_date.csv", b"[info]\nAnlage=A\n[messung]\nUhrzeit;Pac\n[Start]\n12:00:00;1\n", "no line Datum="),
    ("meteo_bad_date.csv", b"[info]\nAnlage=A\nDatum=241301\n[messung]\nUhrzeit;Pac\n[Start]\n12:00:00;1\n", "Datum is \"241301\""),
    ("meteo_no_start.csv", b"[info]\nAnlage=A\nDatum=240601\n[messung]\nUhrzeit;Pac\n", "no section [Start]"),
    ("meteo_no_names.csv", b"[info]\nAnlage=A\nDatum=240601\n[messung]\n[Start]\n12:00:00;1\n", "no row of column names"),
    ("meteo_no_id.csv", b"[info]\nDatum=240601\n[messung]\nUhrzeit;G_M1\n[Start]\n12:00:00;1\n", "logger_id"),
    ("mbmet_1.csv", b"Zeitstempel,Einstrahlung (W)\n", "no row of the file"),
    ("mbmet_2.csv", b"Zeitstempel,Einstrahlung (W)\n2024_06_01 25:00:00,5\n", "no such time"),
    ("meier_head.csv", b"serial; 5\ndescription; x\n", "no line of column names"),
    ("meier_id.csv", b"; GENERAL.Feed-In_Power\n; W\n01.06.2024 12:00:00; 5\n", "serial number"),
    ("meier_unit.csv", b"serial; 5\n; GENERAL.Feed-In_Power\n; Ohm\n01.06.2024 12:00:00; 5\n", "unit of Feed-In_Power"),
    ("sensor.txt", b"timestamp;value\n1717236000;5;-1\n", "which sensor"),
    ("onewire_1_global_1_1_2024.txt", b"timestamp;value\n17;5;-1\n", "number of seconds"),
    ("goodwe.csv", b"20240601T120000,AB12CD34EF56GH78,pac,many\n", "\"many\""),
    ("no_power.csv", b"timestamp,name\n2024-06-01 12:00:00,a\n", "no column is known to hold power"),
    ("long.csv", b"time,power\n2024-06-01 12:00:00,1,2,3\n", "fields, the header"),
];

#[test]
fn broken_files_are_refused_with_a_reason() {
    let failures: Vec<String> = FILES
        .iter()
        .filter_map(|(name, bytes, words)| match import(name, bytes) {
            Err(error) if error.to_string().contains(words) => None,
            Err(error) => Some(format!("{name}: {error}")),
            Ok((format, rows)) => Some(format!("{name}: read as {format:?}: {rows:?}")),
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(FILES.len() >= 40);
}

#[test]
fn a_reader_that_is_stopped_says_so() {
    struct Stop;
    impl plant_files::Sink for Stop {
        fn row(&mut self, _: plant_files::Row) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Break(())
        }
        fn note(&mut self, _: String) {}
    }
    let file = b"20240601T120000,AB12CD34EF56GH78,pac,1\n";
    let stopped = plant_files::read(
        plant_files::Format::Goodwe,
        &mut std::io::Cursor::new(file),
        &crate::settings("a"),
        &mut Stop,
    );
    assert!(matches!(stopped, Err(FileError::Stopped)));
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_without_a_panic(
        start in proptest::sample::select(vec![
            "", "[header]\nserial=1\n[data]\n", "timestamp;value\n", "serial; 5\n;a\n;W\n", "Zeitstempel,Einstrahlung\n",
            "<root><system><md><dp>", "[info]\nDatum=240601\n[messung]\nUhrzeit;Pac\n[Start]\n", "time;power\n2024-06-01 12:00;1\n",
        ]),
        rest in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
    ) {
        let bytes = [start.as_bytes(), &rest].concat();
        let _ = import("x_1.csv", &bytes);
    }
}
