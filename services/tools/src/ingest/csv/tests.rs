//! What uploads in CSV are read as.

use super::*;
use crate::ingest::rows::tests::read;
use crate::ingest::{Format, Reading};
use serde_json::json;

fn options() -> IngestOptions {
    let mut options = IngestOptions::new(Format::Csv);
    options.timezone = Some(chrono_tz::UTC);
    options
}

fn good(options: &IngestOptions, body: &str) -> Vec<Reading> {
    let (rows, end) = read(options, body.as_bytes());
    assert_eq!(end, None);
    rows.into_iter()
        .filter_map(|row| row.reading.unwrap().reading())
        .collect()
}

fn head_fault(options: &IngestOptions, body: &[u8]) -> String {
    match read(options, body).1 {
        Some(Broken::Body { row: 0, reason }) => reason,
        other => panic!("{other:?}"),
    }
}

fn metadata(reading: &Reading) -> Value {
    serde_json::from_str(reading.metadata.as_deref().unwrap()).unwrap()
}

#[test]
fn the_layout_of_the_fixtures_is_read() {
    let body = "timestamp,loggerId,loggerType,activePowerWatts,energyDailyKwh,irradiance,metadata\n\
        2022-01-02T07:00:00Z,RSF2-INV2,pvdaq,0,,-1.5,\"{\"\"dcVoltage1\"\":3.6001}\"\n";
    let readings = good(&options(), body);
    assert_eq!(readings.len(), 1);
    assert_eq!(readings[0].active_power_watts, Some(0.0));
    assert_eq!(readings[0].energy_daily_kwh, None);
    assert_eq!(readings[0].irradiance, Some(-1.5));
    assert_eq!(readings[0].logger_type.as_deref(), Some("pvdaq"));
    assert_eq!(metadata(&readings[0]), json!({"dcVoltage1": 3.6001}));
}

#[test]
fn a_table_programs_file_is_read() {
    let mut options = options();
    options.delimiter = Some(b';');
    options.decimal_comma = Some(true);
    options.logger_id = Some("INV-1".to_owned());
    options.columns = vec![
        (Field::Timestamp, "Zeit".to_owned()),
        (Field::ActivePowerWatts, "P AC".to_owned()),
    ];
    let body = "\u{feff}Zeit;P AC;Temp;Status;;Code\r\n04.12.2025 12:00;1234,5;-7,25;ok; ;007\r\n\r\n\
        04.12.2025 12:05:30; 12 ;;\"a;\r\nb\";x;5";
    let readings = good(&options, body);
    assert_eq!(readings[0].active_power_watts, Some(1234.5));
    assert_eq!(
        metadata(&readings[0]),
        json!({"Temp": -7.25, "Status": "ok", "Code": "007"})
    );
    assert_eq!(readings[1].active_power_watts, Some(12.0));
    assert_eq!(
        metadata(&readings[1]),
        json!({"Status": "a;\r\nb", "column5": "x", "Code": 5})
    );
    assert_eq!(readings[1].at.to_rfc3339(), "2025-12-04T12:05:30+00:00");
}

#[test]
fn a_mapped_field_takes_the_place_of_the_column_of_its_name() {
    let mut options = options();
    options.columns = vec![(Field::Timestamp, "utc".to_owned())];
    let body = "timestamp,utc,loggerId,irradiance\n13:00,2025-12-04 12:00,A,1\n";
    let readings = good(&options, body);
    assert_eq!(metadata(&readings[0]), json!({"timestamp": "13:00"}));
}

#[test]
fn bad_rows_are_refused_one_by_one() {
    let body = b"timestamp,loggerId,irradiance,metadata\n\
        2025-12-04 12:00,A,1\n\
        2025-12-04 12:00,A,1,,5\n\
        2025-12-04 12:00,A,one,\n\
        2025-12-04 12:00,A,\"1 234\",\n\
        2025-12-04 12:00,A,\"1,5\",\n\
        2025-12-04 12:00,A,1,[]\n\
        2025-12-04 12:00,A,1,{\n\
        2025-12-04 12:00,A\0,1,\n\
        2025-12-04 12:00,\xff,1,\n\
        2025-12-04 12:00,A,1e999,\n\
        2025-12-04 12:00,A,1,\n";
    let mut options = options();
    options.decimal_comma = Some(false);
    let (rows, end) = read(&options, body);
    assert_eq!(end, None);
    let refused: Vec<_> = rows
        .iter()
        .filter(|row| row.reading.is_err())
        .map(|row| row.number)
        .collect();
    assert_eq!(refused, (1..=10).collect::<Vec<_>>());
    assert!(rows[10].reading.is_ok());
    assert_eq!(
        rows[0].reading,
        Err("the row has 3 fields, the header 4".to_owned())
    );
}

#[test]
fn a_file_without_a_usable_header_is_refused_whole() {
    let options = options();
    assert!(head_fault(&options, b"").contains("empty"));
    assert!(head_fault(&options, b"\n\n").contains("empty"));
    assert!(head_fault(&options, b"loggerId,irradiance\nA,1\n").contains("columns=timestamp="));
    assert!(head_fault(&options, b"timestamp,irradiance\n").contains("columns=loggerId="));
    assert!(head_fault(&options, b"timestamp,loggerId,a,a\n").contains("twice"));
    assert!(head_fault(&options, b"timestamp,loggerId,logger_id\n").contains("twice"));
    assert!(head_fault(&options, b"\xff\xfet\0i\0m\0e\0\n\0").contains("UTF-16"));
    assert!(head_fault(&options, b"timestamp,logg\xffrId\n").contains("UTF-8"));
}

#[test]
fn a_mapped_column_must_be_there() {
    let mut options = options();
    options.columns = vec![(Field::ActivePowerWatts, "P_AC".to_owned())];
    let (_, end) = read(&options, b"timestamp,loggerId,Pac\n");
    assert!(
        matches!(end, Some(Broken::Columns(reason)) if reason.contains("\"P_AC\"") && reason.contains("Pac"))
    );
}

/// The numbers of the rows that are readings, and the reasons of the others.
fn outcome(options: &IngestOptions, body: &str) -> (Vec<u64>, Vec<String>) {
    let (rows, end) = read(options, body.as_bytes());
    assert_eq!(end, None);
    let mut outcome = (Vec::new(), Vec::new());
    for row in rows {
        match row.reading {
            Ok(Checked::Empty) => {}
            Ok(_) => outcome.0.push(row.number),
            Err(reason) => outcome.1.push(reason),
        }
    }
    outcome
}

#[test]
fn a_quote_that_is_not_closed_costs_its_own_row() {
    let body = "timestamp,loggerId,irradiance,note\n\
        2025-12-04 12:00,A,1,\n\
        2025-12-04 12:05,A,2,\"open\n\
        2025-12-04 12:10,A,3,\n\
        2025-12-04 12:15,A,4,\"two\nlines\"\n\
        2025-12-04 12:20,\"A,5,\n\
        2025-12-04 12:25,A,6,\n\
        2025-12-04 12:30,A,7,\"x";
    let (readings, reasons) = outcome(&options(), body);
    assert_eq!(readings, [1, 3, 4, 6]);
    assert_eq!(
        reasons,
        vec!["a quote is opened in this row and not closed"; 3]
    );
}

#[test]
fn a_row_without_end_does_not_fill_the_memory() {
    let long = "x".repeat(3 * MAX_ROW_BYTES);
    let body = format!(
        "timestamp,loggerId,irradiance\n2025-12-04 12:00,A,\"{long}\n2025-12-04 12:05,A,1\n"
    );
    let (readings, reasons) = outcome(&options(), &body);
    assert_eq!(readings, [2]);
    assert!(reasons[0].contains("longer than"), "{}", reasons[0]);
}

#[test]
fn texts_for_no_value_leave_their_field_out_and_nothing_else() {
    let body = "timestamp,loggerId,activePowerWatts,irradiance,T\n\
        2025-12-04 12:00,A,NaN,500,n/a\n\
        2025-12-04 12:05,A, -- ,501,-\n\
        2025-12-04 12:10,A,NULL,502,#n/a\n\
        2025-12-04 12:15,A,100,-,20.5\n\
        2025-12-04 12:20,A,#N/A,n/a,\n\
        2025-12-04 12:25,A,,,\n\
        ,,,,\n";
    let readings = good(&options(), body);
    let values: Vec<_> = readings
        .iter()
        .map(|reading| (reading.active_power_watts, reading.irradiance))
        .collect();
    assert_eq!(
        values,
        [
            (None, Some(500.0)),
            (None, Some(501.0)),
            (None, Some(502.0)),
            (Some(100.0), None)
        ]
    );
    assert_eq!(readings[0].metadata, None);
    assert_eq!(metadata(&readings[3]), json!({"T": 20.5}));
    let (rows, _) = read(&options(), body.as_bytes());
    let empty = rows.iter().filter(|row| row.reading == Ok(Checked::Empty));
    assert_eq!(empty.count(), 3);
}

#[test]
fn the_texts_for_no_value_can_be_chosen() {
    let body = "timestamp,loggerId,activePowerWatts,note\n\
        2025-12-04 12:00,A,NaN,x\n2025-12-04 12:05,A,-9999,n/a\n";
    let mut options = options();
    options.missing = vec!["-9999".to_owned()];
    let (readings, reasons) = outcome(&options, body);
    assert_eq!(readings, [2]);
    assert!(
        reasons[0].contains("not a number: \"NaN\""),
        "{}",
        reasons[0]
    );
}

#[test]
fn delimiter_and_decimal_mark_are_found_and_told() {
    let mut options = options();
    options.logger_id = Some("A".to_owned());
    for (delimiter, named) in [(";", ";"), ("\t", "tab"), ("|", "|")] {
        let body =
            "timestamp;activePowerWatts;T\n04.12.2025 12:00;1234,5;20,25\n".replace(';', delimiter);
        let mut parser = CsvParser::new(&options, Checks::new(&options));
        let mut rows = Vec::new();
        parser.feed(body.as_bytes(), &mut rows).unwrap();
        parser.finish(&mut rows).unwrap();
        let reading = rows.remove(0).reading.unwrap().reading().unwrap();
        assert_eq!(reading.active_power_watts, Some(1234.5));
        assert_eq!(metadata(&reading), json!({"T": 20.25}));
        let read_as = parser.read_as().unwrap();
        assert_eq!(
            (read_as.delimiter.as_str(), read_as.decimal.as_str()),
            (named, ",")
        );
        assert_eq!(read_as.found, ["delimiter", "decimal"]);
        assert_eq!(
            read_as.columns,
            ["timestamp=timestamp", "activePowerWatts=activePowerWatts"]
        );
    }
}

#[test]
fn thousands_are_not_guessed() {
    for (body, said) in [
        ("2025-12-04 12:00;1,234", "decimal mark `.`"),
        // What the request says holds; the point is not its mark.
        ("2025-12-04 12:00;1.23,5", "without a separator"),
        (
            "2025-12-04 12:00;12,5\n2025-12-04 12:05;1.234",
            "decimal mark `,`",
        ),
        ("2025-12-04 12:00;1'234", "without a separator"),
    ] {
        let mut options = options();
        options.logger_id = Some("A".to_owned());
        let (_, reasons) = outcome(&options, &format!("timestamp;activePowerWatts\n{body}\n"));
        assert_eq!(reasons.len(), 1, "{body}");
        assert!(reasons[0].contains(said), "{body}: {}", reasons[0]);
    }
}

#[test]
fn thousands_that_the_file_shows_are_read_in_all_of_it() {
    let mut options = options();
    options.logger_id = Some("A".to_owned());
    // The cell that can be nothing else comes long after the others, as noon after a night.
    let night: Vec<String> = (0..1000)
        .map(|step| {
            format!(
                "2025-12-{:02} {:02}:{:02};0\n",
                1 + step / 96,
                step / 4 % 24,
                step % 4 * 15
            )
        })
        .collect();
    let rows = "2025-12-20 12:00;1.234\n2025-12-20 12:15;1.234,5\n2025-12-20 12:30;812,5\n";
    for stated in [None, Some(true)] {
        options.decimal_comma = stated;
        let body = format!("timestamp;activePowerWatts\n{}{rows}", night.concat());
        let readings = good(&options, &body);
        let watts: Vec<f64> = readings[1000..]
            .iter()
            .map(|reading| reading.active_power_watts.unwrap())
            .collect();
        assert_eq!(watts, [1234.0, 1234.5, 812.5]);
    }
    options.decimal_comma = Some(false);
    let (_, reasons) = outcome(&options, &format!("timestamp;activePowerWatts\n{rows}"));
    assert_eq!(reasons.len(), 2, "{reasons:?}");
}

#[test]
fn what_table_programs_add_at_the_end_of_lines_does_not_matter() {
    let body = "\u{feff}timestamp,loggerId,irradiance,,\r\n\
        2025-12-04 12:00,A,1,,\r\n\
        2025-12-04 12:05,A,2\r\n\
        2025-12-04 12:10,A,3,,,,\r\n\
        ,,,,\r\n";
    let (readings, reasons) = outcome(&options(), body);
    assert_eq!((readings, reasons.len()), (vec![1, 2, 3], 0));
    let (rows, end) = read(&options(), b"timestamp,loggerId,irradiance\n");
    assert_eq!((rows.len(), end), (0, None));
}

#[test]
fn loose_values_keep_their_meaning() {
    for (cell, value) in [
        ("5", json!(5)),
        ("-5", json!(-5)),
        ("0", json!(0)),
        ("0.5", json!(0.5)),
        ("1e3", json!(1000.0)),
        ("007", json!("007")),
        ("+5", json!("+5")),
        ("-", json!("-")),
        ("E-501", json!("E-501")),
        ("1.2.3", json!("1.2.3")),
        ("99999999999999999999", json!("99999999999999999999")),
        ("true", json!("true")),
        ("NaN", json!("NaN")),
        ("é", json!("é")),
    ] {
        assert_eq!(loose_value(cell, Numbers::default()), value, "{cell}");
    }
    let commas = Numbers {
        decimal_comma: true,
        thousands: false,
    };
    assert_eq!(loose_value("12,5", commas), json!(12.5));
    assert_eq!(loose_value("12,5", Numbers::default()), json!("12,5"));
}

proptest::proptest! {
    #[test]
    fn what_a_csv_writer_writes_is_read(
        id in "[a-zA-Z0-9é\";,\\\\-][a-zA-Z0-9é \";,\\\\]{0,20}[a-z]",
        note in "[a-zA-Zé\";,\n\\\\][a-zA-Z0-9é\";,\n\\\\]{0,20}[a-z]",
        power in proptest::option::of(-1e9f64..1e9),
        crlf in proptest::bool::ANY,
    ) {
        let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new().terminator(terminator).from_writer(Vec::new());
        let text = power.map(|value| value.to_string()).unwrap_or_default();
        writer.write_record(["timestamp", "loggerId", "note", "activePowerWatts"]).unwrap();
        writer.write_record(["2025-12-04 12:00", &id, &note, &text]).unwrap();
        let readings = good(&options(), &String::from_utf8(writer.into_inner().unwrap()).unwrap());
        proptest::prop_assert_eq!(&readings[0].logger_id, &id);
        proptest::prop_assert_eq!(readings[0].active_power_watts, power);
        proptest::prop_assert_eq!(metadata(&readings[0]), json!({"note": note.trim()}));
    }
}
