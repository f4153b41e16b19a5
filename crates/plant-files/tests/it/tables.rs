//! Tables of any shape.

use std::io::{Cursor, Write as _};

use plant_files::table::{Field, Mapping, guess};
use plant_files::{FileError, Format, Role};
use serde_json::json;

use crate::{brief, import, import_with, meta, records, row, settings};

fn guessed(text: &str) -> Mapping {
    guess(Format::Csv, &mut Cursor::new(text.as_bytes()), None).unwrap()
}

fn fields(mapping: &Mapping) -> Vec<(Field, Option<&str>)> {
    mapping
        .columns
        .iter()
        .map(|column| (column.field, column.logger.as_deref()))
        .collect()
}

#[test]
fn a_german_export_is_read_without_a_word() {
    let text = "Anlage Hof;;;\nZeit;Leistung [kW];Tagesertrag [kWh];Temperatur;Gerät\n01.06.2024 12:00;2,4;8,1;31,5;WR 1\n01.06.2024 12:05;1.234,5;8,2;-;WR 2\n01.06.2024 12:10;kaputt;8,2;31;WR 1\n";
    let mapping = guessed(text);
    assert_eq!(
        (
            mapping.decimal,
            mapping.delimiter.as_deref(),
            mapping.header_line
        ),
        (',', Some(";"), 2)
    );
    let (format, rows) = import("export.csv", text.as_bytes()).unwrap();
    assert_eq!(format, Format::Csv);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row("WR 1", "2024-06-01 12:00:00", Some(2400.0), Some(8.1), None),
            row(
                "WR 2",
                "2024-06-01 12:05:00",
                Some(1_234_500.0),
                Some(8.2),
                None
            ),
        ]
    );
    assert_eq!(meta(&all[0], "Temperatur"), &serde_json::json!(31.5));
    let refused: Vec<_> = rows.refusals().collect();
    assert_eq!(refused, [(5, "Leistung [kW] is \"kaputt\", not a number")]);
}

#[test]
fn a_device_that_is_called_a_meter_is_one() {
    let text = "time,device,power_w\n2024-06-01 12:00,MILL-METER,2400\n2024-06-01 12:00,MILL-1,1200\n2024-06-01 12:00,Zähler 1,900\n2024-06-01 12:00,PARAMETER-1,800\n";
    let (_, rows) = import("export.csv", text.as_bytes()).unwrap();
    let roles: Vec<_> = rows.records().map(|record| record.role).collect();
    let expected = [Role::Meter, Role::Inverter, Role::Meter, Role::Inverter];
    assert_eq!(roles, expected);
}

#[test]
fn the_column_of_error_codes_is_found_in_other_languages() {
    for name in ["Error code", "Störung", "Stoerungscode", "Défaut", "Fallo"] {
        let text =
            format!("Zeit;P [W];{name}\n01.06.2024 12:00;240;E-017\n01.06.2024 12:05;230;\n");
        let found = fields(&guessed(&text))[2].0;
        assert_eq!(found, Field::ErrorCode, "{name}");
    }
}

#[test]
fn a_wide_table_has_a_device_per_column() {
    let text = "Timestamp,INV-1 Power (W),INV-2 Power (W),Irradiance (W/m2),Ambient (C)\n2024-06-01T12:00:00+02:00,100,200,700,20\n2024-06-01T12:05:00+02:00,,210,710,21\n";
    let mapping = guessed(text);
    assert_eq!(
        fields(&mapping),
        [
            (Field::Timestamp, None),
            (Field::Power, Some("INV-1")),
            (Field::Power, Some("INV-2")),
            (Field::Irradiance, None),
            (Field::Keep, None),
        ]
    );
    let all = records(Format::Csv, "a.csv", text);
    assert_eq!(
        brief(&all)[..3],
        [
            row("INV-1", "2024-06-01T10:00:00Z", Some(100.0), None, None),
            row("INV-2", "2024-06-01T10:00:00Z", Some(200.0), None, None),
            row(
                "roof-weather",
                "2024-06-01T10:00:00Z",
                None,
                None,
                Some(700.0)
            ),
        ]
    );
    assert_eq!(all[2].role, plant_files::Role::Weather);
    assert_eq!(all.len(), 5);
}

#[test]
fn dates_and_times_in_two_columns_and_units_in_a_line_of_their_own() {
    let text = "Date\tTime\tP_AC\tE\n\t\tkW\tWh\n06/13/2024\t12:00 PM\t2.4\t100\n06/13/2024\t12:05 PM\t2.4\t90\n06/13/2024\t24:00\t0\t110\n";
    let mapping = guessed(text);
    assert_eq!(
        (mapping.delimiter.as_deref(), mapping.units_line),
        (Some("tab"), true)
    );
    let all = records(Format::Csv, "a.tsv", text);
    assert_eq!(
        brief(&all),
        [
            row("roof", "2024-06-13 12:00:00", Some(2400.0), None, None),
            row("roof", "2024-06-13 12:05:00", Some(2400.0), None, None),
            // 24:00 ends the day.
            row("roof", "2024-06-14 00:00:00", Some(0.0), None, None),
        ]
    );
    let intervals: Vec<_> = all
        .iter()
        .map(|one| meta(one, "energyIntervalKwh"))
        .collect();
    assert_eq!(intervals, [&json!(0.1), &json!(0.09), &json!(0.11)]);
}

#[test]
fn the_order_of_day_and_month_follows_from_the_rows() {
    for (text, first) in [
        (
            "t,power_w\n01/02/2024 10:00,1\n02/02/2024 10:00,2\n",
            "2024-02-01",
        ),
        (
            "t,power_w\n02/01/2024 10:00,1\n02/02/2024 10:00,2\n02/13/2024 10:00,3\n",
            "2024-02-01",
        ),
        ("t,power_w\n1717236000,1\n1717236300,2\n", "2024-06-01"),
        ("t,power_w\n202406011200,1\n202406011205,2\n", "2024-06-01"),
    ] {
        let all = records(Format::Csv, "a.csv", text);
        assert!(
            all[0].stamp.text().starts_with(first),
            "{text} {:?}",
            all[0].stamp
        );
    }
}

/// The field of the third column of a table with these rows.
fn energy_field(name: &str, rows: &[&str]) -> Field {
    guessed(&format!("time,device,{name}\n{}\n", rows.join("\n"))).columns[2].field
}

#[test]
fn the_kind_of_an_energy_does_not_depend_on_the_order_of_rows() {
    let register: Vec<String> = (0..24)
        .flat_map(|hour| {
            ["A", "B"].map(|device| format!("2024-06-01 {hour:02}:00,{device},{}", hour * 2))
        })
        .collect();
    let intervals: Vec<String> = (0..24)
        .map(|hour: i32| {
            format!(
                "2024-06-01 {hour:02}:00,A,{}",
                12 - (hour - 12).abs() + hour % 2 * 3
            )
        })
        .collect();
    for (rows, field) in [
        (&register, Field::EnergyDay),
        (&intervals, Field::EnergyInterval),
    ] {
        let mut rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        assert_eq!(energy_field("energy", &rows), field);
        rows.reverse();
        assert_eq!(energy_field("energy", &rows), field, "newest first");
        rows.sort_by_key(|row| row.bytes().map(u32::from).sum::<u32>() % 7);
        assert_eq!(energy_field("energy", &rows), field, "in no order");
        assert_eq!(
            energy_field("interval_kwh", &rows),
            Field::EnergyInterval,
            "by name"
        );
    }
}

#[test]
fn a_mark_that_may_group_thousands_is_remarked_on() {
    let notes = |cells: [&str; 3]| {
        let rows = cells.iter().enumerate();
        let text: Vec<String> = rows
            .map(|(at, cell)| format!("13.02.2026 10:0{at};{cell}"))
            .collect();
        let text = text.join("\n");
        let (_, rows) = import("a.csv", format!("timestamp;power\n{text}").as_bytes()).unwrap();
        let power = rows.records().last().unwrap().power_w;
        (
            power,
            rows.notes
                .iter()
                .any(|note| note.contains("separates thousands")),
        )
    };
    assert_eq!(notes(["1.234", "2.345", "999"]), (Some(999.0), false));
    assert_eq!(notes(["1.234", "2.345", "3.456"]), (Some(3.456), true));
    assert_eq!(notes(["1.234", "2.345", "0.456"]), (Some(0.456), false));
}

#[test]
fn a_mapping_that_a_person_corrected_is_used_and_checked() {
    let text = "when,a,b,c\n2024-06-01 12:00,1.5,20,x\n";
    let unknown = import("a.csv", text.as_bytes()).unwrap_err().to_string();
    assert!(unknown.contains("say which does"), "{unknown}");
    let mapping = Mapping {
        sheet: None,
        delimiter: Some(",".to_owned()),
        decimal: '.',
        header_line: 1,
        units_line: false,
        times: plant_files::stamps::Order::YearFirst,
        columns: serde_json::from_value(serde_json::json!([
            { "name": "when", "field": "timestamp" },
            { "name": "a", "field": "power", "unit": "kW" },
            { "name": "b", "field": "energy_day" },
            { "name": "c", "field": "ignore" },
        ]))
        .unwrap(),
    };
    let read = |mapping: Mapping, text: &str| {
        let settings = plant_files::Settings {
            mapping: Some(mapping),
            logger_id: Some("INV".to_owned()),
            ..settings("a.csv")
        };
        let mut rows = plant_files::Rows::default();
        plant_files::read(
            Format::Csv,
            &mut Cursor::new(text.as_bytes()),
            &settings,
            &mut rows,
        )
        .map(|()| rows)
    };
    let rows = read(mapping.clone(), text).unwrap();
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [row(
            "INV",
            "2024-06-01 12:00:00",
            Some(1500.0),
            Some(20.0),
            None
        )]
    );
    let other = read(mapping.clone(), "when,z,b,c\n2024-06-01 12:00,1,1,x\n").unwrap_err();
    assert!(
        other.to_string().contains("the mapping expects \"a\""),
        "{other}"
    );
    let mut wrong = mapping.clone();
    wrong.columns[1].unit = Some("kWh".to_owned());
    assert!(matches!(read(wrong, text), Err(FileError::Needed(why)) if why.contains("unit")));
    let mut twice = mapping;
    twice.columns[2].field = Field::Power;
    assert!(matches!(read(twice, text), Err(FileError::Needed(why)) if why.contains("logger")));
}

/// A workbook with one sheet, as small as Excel reads it.
pub(crate) fn workbook(rows: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let head = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let relations = "http://schemas.openxmlformats.org/package/2006/relationships";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    for (name, text) in [
        (
            "[Content_Types].xml",
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#
                .to_owned(),
        ),
        (
            "_rels/.rels",
            format!(
                r#"<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                r#"<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                r#"<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{office}/styles" Target="styles.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/styles.xml",
            format!(
                r#"<styleSheet xmlns="{main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>"#
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!(r#"<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>"#),
        ),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(format!("{head}{text}").as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn cells(row: u32, cells: &[&str]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .zip(["A", "B", "C"])
        .map(|(cell, column)| match cell.strip_prefix('@') {
            Some(serial) => format!(r#"<c r="{column}{row}" s="1"><v>{serial}</v></c>"#),
            None if cell.parse::<f64>().is_ok() => {
                format!(r#"<c r="{column}{row}"><v>{cell}</v></c>"#)
            }
            None => format!(r#"<c r="{column}{row}" t="inlineStr"><is><t>{cell}</t></is></c>"#),
        })
        .collect();
    format!(r#"<row r="{row}">{}</row>"#, cells.concat())
}

#[test]
fn a_workbook_is_read_with_the_dates_of_excel() {
    let rows = [
        cells(1, &["Plant", "Hof"]),
        cells(3, &["Zeit", "AC Power (kW)", "Inverter"]),
        // 45444.5 is 2024-06-01 12:00.
        cells(4, &["@45444.5", "2.4", "WR 1"]),
        cells(5, &["@45444.503472222226", "1.25", "WR 1"]),
        cells(6, &["@45444.6", "broken", "WR 1"]),
    ];
    let bytes = workbook(&rows.concat());
    let (format, read) = import("plant.xlsx", &bytes).unwrap();
    assert_eq!(format, Format::Xlsx);
    let all: Vec<_> = read.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row("WR 1", "2024-06-01 12:00:00", Some(2400.0), None, None),
            row("WR 1", "2024-06-01 12:05:00", Some(1250.0), None, None),
        ]
    );
    assert_eq!(
        read.refusals().map(|(line, _)| line).collect::<Vec<_>>(),
        [6]
    );
    let cut = import("plant.xlsx", &bytes[..bytes.len() / 2])
        .unwrap_err()
        .to_string();
    assert!(cut.contains("workbook cannot be read"), "{cut}");
    let nameless = plant_files::Settings {
        mapping: None,
        ..settings("x")
    };
    assert!(import_with(&nameless, &bytes).is_ok());
}

#[test]
fn a_workbook_may_begin_at_midnight() {
    for (value, power) in [
        ("0", 0.0),
        ("0.5", 0.5),
        ("5.5", 5.5),
        ("100", 100.0),
        ("999", 999.0),
        ("-1", -1.0),
        ("1000", 1000.0),
    ] {
        // 46327 is 2026-11-01 00:00; the dates of a title are not data.
        let rows = [
            cells(1, &["@46320", "7"]),
            cells(2, &["Zeit", "Leistung [W]"]),
            cells(3, &["@46327", value]),
            cells(4, &["@46327.010416666664", "12"]),
            cells(5, &["@46328", "3"]),
        ];
        let bytes = workbook(&rows.concat());
        let (_, read) = import("plant.xlsx", &bytes).unwrap();
        let all: Vec<_> = read.records().cloned().collect();
        let times = [
            ("2026-11-01 00:00:00", power),
            ("2026-11-01 00:15:00", 12.0),
            ("2026-11-02 00:00:00", 3.0),
        ];
        let plant = &all[0].logger_id;
        let expected = times.map(|(at, power)| row(plant, at, Some(power), None, None));
        assert_eq!(brief(&all), expected, "{value}");
        assert_eq!(read.refusals().count(), 0, "{value}");
    }
    // Every other row is a midnight.
    let rows: Vec<String> = (0..6)
        .map(|half| {
            cells(
                half + 2,
                &[&format!("@{}", 46_327.0 + f64::from(half) / 2.0), "5"],
            )
        })
        .collect();
    let bytes = workbook(&format!(
        "{}{}",
        cells(1, &["Zeit", "Leistung [W]"]),
        rows.concat()
    ));
    let (_, read) = import("plant.xlsx", &bytes).unwrap();
    assert_eq!(read.records().count(), 6);
}

#[test]
fn a_workbook_that_unpacks_to_more_than_memory_should_hold_is_refused() {
    use std::io::Write as _;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive
        .start_file(
            "xl/sharedStrings.xml",
            zip::write::SimpleFileOptions::default(),
        )
        .unwrap();
    for _ in 0..300 {
        archive.write_all(&vec![b' '; 1024 * 1024]).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    assert!(bytes.len() < 1024 * 1024, "{}", bytes.len());
    let error = crate::import("bomb.xlsx", &bytes).unwrap_err();
    assert!(error.to_string().contains("unpacks to more"), "{error}");
    let error = crate::import("cut.xlsx", &bytes[..bytes.len() / 2]).unwrap_err();
    assert!(error.to_string().contains("cut off"), "{error}");
}

#[test]
fn columns_that_are_named_by_devices_are_their_powers() {
    let text =
        "Time;WR 1;WR 3;Remark\n2025-06-01 12:00;2400,5;1200;ok\n2025-06-01 12:05;2410;1210,5;\n";
    let found = crate::records(Format::Csv, "wide.csv", text);
    let found = crate::brief(&found);
    let expected = [
        ("WR 1", "2025-06-01 12:00:00", 2400.5),
        ("WR 3", "2025-06-01 12:00:00", 1200.0),
        ("WR 1", "2025-06-01 12:05:00", 2410.0),
        ("WR 3", "2025-06-01 12:05:00", 1210.5),
    ];
    for (id, time, power) in expected {
        let row = crate::row(id, time, Some(power), None, None);
        assert!(
            found.iter().any(|one| one.0 == row.0 && one.2 == row.2),
            "{found:?}"
        );
    }
    assert_eq!(found.len(), 4, "{found:?}");
    // One column of numbers alone says nothing, nor do names that occur twice.
    for text in [
        "Time;Value\n2025-06-01 12:00;2400\n2025-06-01 12:05;2410\n",
        "Time;WR;WR\n2025-06-01 12:00;2400;1\n2025-06-01 12:05;2410;2\n",
        "Time;max WR 1;max WR 2\n2025-06-01 12:00;2400;1\n2025-06-01 12:05;2410;2\n",
    ] {
        let error = crate::import("wide.csv", text.as_bytes()).unwrap_err();
        assert!(
            error.to_string().contains("not known") || error.to_string().contains("no column"),
            "{error}"
        );
    }
}

#[test]
fn inverters_without_numbers_are_devices_beside_an_irradiance() {
    let text = "Datum;Uhrzeit;WR Nord;WR Süd;Einstrahlung\n07.09.2026;10:00;100;200;300\n07.09.2026;11:00;110;210;310\n";
    let mapping = guessed(text);
    assert_eq!(
        fields(&mapping),
        [
            (Field::Date, None),
            (Field::Time, None),
            (Field::Power, Some("WR Nord")),
            (Field::Power, Some("WR Süd")),
            (Field::Irradiance, None),
        ]
    );
    // Numbers beside an irradiance are not powers because their names are numbered.
    let text =
        "Zeit;T 1;T 2;Einstrahlung\n07.09.2026 10:00;20;21;300\n07.09.2026 11:00;20;22;310\n";
    assert_eq!(guessed(text).columns[1].field, Field::Keep);
}

#[test]
fn names_that_are_units_or_symbols_say_what_a_column_holds() {
    let text = "time,id,kW,kWh\n2026-09-07T10:00:00Z,N-1,1.5,3\n2026-09-07T10:00:00Z,S-1,2.5,4\n";
    let (_, rows) = import("a.csv", text.as_bytes()).unwrap();
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row("N-1", "2026-09-07T10:00:00Z", Some(1500.0), Some(3.0), None),
            row("S-1", "2026-09-07T10:00:00Z", Some(2500.0), Some(4.0), None),
        ]
    );
    let mapping = guessed("time,P\n2026-09-13T10:00:00Z,2000\n2026-09-13T10:15:00Z,2100\n");
    assert_eq!(mapping.columns[1].field, Field::Power);
}

/// A person says what they hold.
#[test]
fn columns_without_a_known_name_are_found_and_not_read() {
    let text = "Datum;Uhrzeit;Nord;Sonne\n07.09.2026;10:00;100;300\n07.09.2026;11:00;110;310\n";
    let mut mapping = guessed(text);
    let names: Vec<&str> = mapping.columns.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Datum", "Uhrzeit", "Nord", "Sonne"]);
    let refused = import("a.csv", text.as_bytes()).unwrap_err();
    assert!(refused.to_string().contains("say which does"), "{refused}");
    mapping.columns[2].field = Field::Power;
    let mut told = settings("a.csv");
    told.mapping = Some(mapping);
    let (format, rows) = import_with(&told, text.as_bytes()).unwrap();
    assert_eq!((format, rows.records().count()), (Format::Csv, 2));
}
