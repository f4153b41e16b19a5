//! The formats of data loggers.

use std::fmt::Write as _;

use plant_files::{Format, Role, Stamp};
use serde_json::json;

use crate::{brief, import, import_with, meta, records, row, settings};

const GW: &str = "AB12CD34EF56GH78";

#[test]
fn goodwe_joins_the_lines_of_a_device_and_a_time() {
    let text = format!(
        "20240601T120000,{GW},pac,2400\n20240601T120000,{GW},e_day,8.1\n20240601T120000,{GW},e_total,12345\n\
         20240601T120000,{GW},reactive power,77\n20240601T120000,{GW},Active_power percent,80\n\
         20240601T120000,{GW},Error Code,E12\n20240601T120000,ZZ12CD34EF56GH78,pac,2.4kW\n\
         20240601T120500,{GW},power,1\n20240601T120500,{GW},pac,0\n20240601T120500,{GW},e_day,--\n"
    );
    let all = records(Format::Goodwe, "export.csv", &text);
    assert_eq!(
        brief(&all),
        [
            row(GW, "2024-06-01 12:00:00", Some(2400.0), Some(8.1), None),
            row(
                "ZZ12CD34EF56GH78",
                "2024-06-01 12:00:00",
                Some(2400.0),
                None,
                None
            ),
            row(GW, "2024-06-01 12:05:00", Some(0.0), None, None),
        ]
    );
    assert_eq!(meta(&all[0], "energyLifetimeKwh"), &json!(12345.0));
    assert_eq!(meta(&all[0], "reactivePower"), &json!(77.0));
    assert_eq!(meta(&all[0], "errorCode"), &json!("E12"));
}

#[test]
fn goodwe_joins_lines_that_are_apart_and_refuses_single_lines() {
    let text = format!(
        "20240601T120000,{GW},pac,100\n20240601T120500,{GW},pac,200\n20240231T120500,{GW},pac,200\n\
         20240601T120000,{GW},e_day,1,5\n20240601T120000,{GW},e_day,\"1.5\"\n20240601T120500,{GW},e_day,1.6\n20240601T12"
    );
    let (_, rows) = import("multi_lti_name.csv", text.as_bytes()).unwrap();
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row(GW, "2024-06-01 12:00:00", Some(100.0), Some(1.5), None),
            row(GW, "2024-06-01 12:05:00", Some(200.0), Some(1.6), None),
        ]
    );
    let lines: Vec<u64> = rows.refusals().map(|(line, _)| line).collect();
    assert_eq!(lines, [3, 4, 7]);
    assert_eq!(rows.merged, 2);
}

#[test]
fn both_passes_of_the_doubled_hour_are_kept() {
    let text = format!(
        "20251026T023000,{GW},pac,1\n20251026T023000,{GW},e_day,2\n20251026T025500,{GW},pac,2\n20251026T023000,{GW},pac,3\n20251026T030000,{GW},pac,4\n"
    );
    let all = records(Format::Goodwe, "a.csv", &text);
    let powers: Vec<_> = all.iter().map(|record| record.power_w).collect();
    assert_eq!(powers, [Some(1.0), Some(2.0), Some(3.0), Some(4.0)]);
    assert_eq!(all[0].energy_day_kwh, Some(2.0));
}

const LTI: &str = "[header]\nserial=LT-7\nmodel=X\n[data]\n\
timestamp;P_AC;E_INT;U_DC;E_TOTAL;error\n2024-06-01 23:55:00;2400;0,1;610;900;0\n\
2024-06-02 00:00:00;1200;0.1;-;901;F7;\n2024-06-02 00:05:00;12abc;0.1;610;901;0\n\
2024-06-02 00:10:00;600;0.1;610;901\n2024-06-02 00:15:00;-0;0.1;610;901;0\n";

#[test]
fn lti_marks_the_energy_of_intervals() {
    let (format, rows) = import("LTi7_inverter_20240601.csv", LTI.as_bytes()).unwrap();
    assert_eq!(format, Format::Lti);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row("LT-7", "2024-06-01 23:55:00", Some(2400.0), None, None),
            row("LT-7", "2024-06-02 00:00:00", Some(1200.0), None, None),
            row("LT-7", "2024-06-02 00:15:00", Some(0.0), None, None),
        ]
    );
    assert_eq!(meta(&all[0], "energyIntervalKwh"), &json!(0.1));
    assert_eq!(meta(&all[1], "errorCode"), &json!("F7"));
    assert_eq!(meta(&all[0], "errorCode"), &json!(null));
    assert_eq!(
        meta(&all[0], "energyDailyDerivedFrom"),
        &json!("energyIntervalKwh")
    );
    let refused: Vec<_> = rows.refusals().collect();
    assert_eq!(refused[0], (8, "P_AC is \"12abc\", not a number"));
    assert_eq!(refused[1], (9, "the line has 5 fields, the header 6"));
}

#[test]
fn lti_keeps_the_devices_of_repeated_sections_apart() {
    let text = "\u{feff}[header]\r\nserial=A\r\n[data]\r\ntimestamp;address;PAC;E_DAY\r\n2024-06-01 12:00:00;1;10;1\r\n2024-06-01 12:00:00;2;20;2\r\n\r\n\
                [header]\r\nserial=B\r\n[data]\r\ntimestamp;E_DAY;PAC\r\n2024-06-01 12:00:00;3;30";
    let all = records(Format::Lti, "x.txt", text);
    assert_eq!(
        brief(&all),
        [
            row("A-1", "2024-06-01 12:00:00", Some(10.0), Some(1.0), None),
            row("A-2", "2024-06-01 12:00:00", Some(20.0), Some(2.0), None),
            row("B", "2024-06-01 12:00:00", Some(30.0), Some(3.0), None),
        ]
    );
}

const INTEGRA: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<root xmlns="urn:x"><system interval="300" serial="P1" utcOffset="+1">
<md><dp timestamp="2024-06-01 12:00:00"><inverter serial="0007" type="T"><mv type="P_AC">: 2400</mv><mv type="E_DAY">8,1</mv>
<mv type="G_HOR">500</mv><mv type="G_POA">700</mv><mv type="STATE">Run</mv><mv type="ERROR">: --</mv><mv type="U_AC1">: 230.1</mv></inverter>
<inverter serial="0008"><mv type="P_AC">: --</mv><mv type="ERROR">E7</mv></inverter><inverter><mv type="P_AC">1</mv></inverter></dp>
<dp timestamp="2024-06-31 12:05:00"><inverter serial="0007"><mv type="P_AC">1</mv></inverter></dp></md></system></root>"#;

#[test]
fn integra_reads_every_inverter_with_the_offset_of_the_file() {
    let (format, rows) = import("copy.txt", INTEGRA.as_bytes()).unwrap();
    assert_eq!(format, Format::Integra);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row(
                "0007",
                "2024-06-01T11:00:00Z",
                Some(2400.0),
                Some(8.1),
                Some(700.0)
            ),
            row("0008", "2024-06-01T11:00:00Z", None, None, None),
        ]
    );
    assert_eq!(meta(&all[0], "status"), &json!("Run"));
    assert_eq!(meta(&all[0], "errorCode"), &json!(null));
    assert_eq!(meta(&all[0], "uAc1"), &json!(230.1));
    assert_eq!(meta(&all[1], "errorCode"), &json!("E7"));
    assert_eq!(rows.refusals().count(), 2);
    assert!(
        rows.notes.iter().any(|note| note.contains("+1")),
        "{:?}",
        rows.notes
    );
}

#[test]
fn integra_reads_prefixes_several_systems_and_times_without_an_offset() {
    let dp = |time: &str| {
        format!(
            "<x:md><x:dp timestamp='{time}'><x:inverter serial='A'><x:mv type='P_AC' unit='kW'>1.5</x:mv></x:inverter></x:dp></x:md>"
        )
    };
    let text = format!(
        "<x:root xmlns:x='u'><x:system>{}</x:system><x:system>{}</x:system></x:root>",
        dp("2024-06-01 12:00:00"),
        dp("2024-06-01 12:05:00")
    );
    let all = records(Format::Integra, "a.xml", &text);
    assert_eq!(
        brief(&all),
        [
            row("A", "2024-06-01 12:00:00", Some(1500.0), None, None),
            row("A", "2024-06-01 12:05:00", Some(1500.0), None, None)
        ]
    );
    let mut ignoring = settings("a.xml");
    ignoring.ignore_offset = true;
    let (_, rows) = import_with(&ignoring, INTEGRA.as_bytes()).unwrap();
    assert!(matches!(
        rows.records().next().unwrap().stamp,
        Stamp::Local(_)
    ));
}

const INVERTERS: &str = "[info]\nAnlage=Park A. 1 - N\nDatum=241231\n[messung]\n\
Uhrzeit;Intervall;Adresse;IP-Adresse;Serien Nummer;Pac;E_Tag;Fehler;Status\n;s;;;;kW;kWh;;\n[Start]\n\
12:00:00;900;3;10.0.0.3;SN0001;2,4;8,1;0;4\n12:00:00;900;4;10.0.0.4;;1.2;4;17;3\nInfo;Start\n24:00:00;900;3;10.0.0.3;SN0001;0;8,3;0;4\n12:15:00;900;3\n";

#[test]
fn meteocontrol_inverters_keep_their_faults_and_roll_over_the_year() {
    let (format, rows) = import("delta_inverter_241231.csv", INVERTERS.as_bytes()).unwrap();
    assert_eq!(format, Format::Meteocontrol);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row(
                "SN0001",
                "2024-12-31 12:00:00",
                Some(2400.0),
                Some(8.1),
                None
            ),
            row(
                "Park_A_1_N-4",
                "2024-12-31 12:00:00",
                Some(1200.0),
                Some(4.0),
                None
            ),
            row("SN0001", "2025-01-01 00:00:00", Some(0.0), Some(8.3), None),
        ]
    );
    assert_eq!(meta(&all[1], "errorCode"), &json!("17"));
    assert_eq!(meta(&all[0], "status"), &json!("4"));
    assert_eq!(
        rows.refusals().map(|(line, _)| line).collect::<Vec<_>>(),
        [12]
    );
    let watts = INVERTERS
        .replace(";;;;kW;kWh", ";;;;W;Wh")
        .replace(";2,4;8,1;", ";2400;8100;");
    let all = records(Format::Meteocontrol, "x", &watts);
    assert_eq!(
        (all[0].power_w, all[0].energy_day_kwh),
        (Some(2400.0), Some(8.1))
    );
}

#[test]
fn meteocontrol_analog_values_are_those_of_a_weather_station() {
    let text = "[INFO]\r\nAnlage=Hof=S\u{fc}d\r\nDatum=250330\r\n[Messung]\r\nUhrzeit;Intervall;G_M6;G_M2;G_H1;T_U\r\n;s;W/m2;kW/m\u{b2};W/m2;\u{b0}C\r\n[Start]\r\n\
                12:00:00;900;640,5;;633;21,5\r\n12:15:00;900;;0,7;633;-\r\n\r\n[info]\r\nDatum=250331\r\n[messung]\r\nUhrzeit;G_H1\r\n[Start]\r\n12:00:00;5\r\n";
    let bytes: Vec<u8> = text
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)).unwrap())
        .collect();
    let (format, rows) = import("x.csv", &bytes).unwrap();
    assert_eq!(format, Format::Meteocontrol);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row("Hof=Süd", "2025-03-30 12:00:00", None, None, Some(640.5)),
            row("Hof=Süd", "2025-03-30 12:15:00", None, None, Some(700.0)),
            row("Hof=Süd", "2025-03-31 12:00:00", None, None, Some(5.0)),
        ]
    );
    assert_eq!(all[0].role, Role::Weather);
    assert_eq!(meta(&all[0], "tU"), &json!(21.5));
    let mut chosen = settings("x.csv");
    chosen.sensor = Some("G_H1".to_owned());
    let (_, rows) = import_with(&chosen, &bytes).unwrap();
    assert_eq!(rows.records().next().unwrap().irradiance, Some(633.0));
}

/// Late in the evening, two hours more are the next day's first ones.
#[test]
fn a_whole_day_of_meteocontrol_does_not_jump_back() {
    let head = "[info]
Anlage=Hof
Datum=260620
[messung]
Uhrzeit;G_H1
;W/m2
[Start]
";
    let times = (0..96).map(|at| {
        format!(
            "{:02}:{:02}:00;{at}
",
            at / 4,
            at % 4 * 15
        )
    });
    let day: String = times.collect();
    let (_, rows) = import("x.txt", format!("{head}{day}").as_bytes()).unwrap();
    assert_eq!(rows.records().count(), 96);
    assert_eq!(rows.notes, Vec::<String>::new());
    let (_, rows) = import("x.txt", format!("{head}{day}{day}").as_bytes()).unwrap();
    assert!(rows.notes[0].contains("jump back"), "{:?}", rows.notes);
}

const MBMET: &str = "Zeitstempel,Einstrahlung (Sensor Ost),T_Zelle (Sensor Ost),Einstrahlung (Sensor West),T-Zelle (Sensor West)\n\
yyyy_MM_dd HH:mm:ss,W/m2,C,W/m2,C\n2024_06_01 12:00:00,712.4,38.0,120.0,30.1\n2024_06_01 12:05:00,712,4,38.0,120.0,30.1\n2024-06-01 12:10:00,,38.0,--,30.1\n";

#[test]
fn mbmet_takes_one_sensor_and_keeps_the_others_apart() {
    let (format, rows) = import("up/mbmet_einstrahlung_4711 (1).csv", MBMET.as_bytes()).unwrap();
    assert_eq!(format, Format::Mbmet);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row("4711", "2024-06-01 12:00:00", None, None, Some(120.0)),
            row("4711", "2024-06-01 12:10:00", None, None, None)
        ]
    );
    assert_eq!(meta(&all[0], "irradianceSensorEast"), &json!(712.4));
    assert_eq!(meta(&all[0], "temperatureCellCSensorWest"), &json!(30.1));
    assert_eq!(
        rows.refusals().map(|(line, _)| line).collect::<Vec<_>>(),
        [4]
    );
    assert!(rows.notes.iter().any(|note| note.contains("West")));
    let mut chosen = settings("x_12.csv");
    chosen.sensor = Some("Ost".to_owned());
    let (_, rows) = import_with(&chosen, MBMET.as_bytes()).unwrap();
    assert_eq!(rows.records().next().unwrap().irradiance, Some(712.4));
    let nameless = import("wetter.csv", MBMET.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(nameless.contains("logger_id"), "{nameless}");
}

const MEIER: &str = "serial; 00123\nusermail; ada@example.org\ndescription; Hof\n; GENERAL.Feed-In_Power; GENERAL.Yield; Kostal.1.2.Feed-In_Power; Kostal.1.2.Yield; Kostal.1.3.Feed-In_Power\n\
; W; Wh; kW; Wh; W\n01.06.2024 12:00:00; 2400; 100; 1,2; 50; 1200\n01.06.2024 12:05:00; 2400; 100; 1.2; 50; --\n01.06.2024 12:05:00; 2400; 100; 1.2; 50; --\n\
31.02.2024 12:10:00; 1; 1; 1; 1; 1\n02.06.2024 12:00:00; 10; 100; 0; 0; 0\n";

#[test]
fn meier_gives_each_device_and_its_yield() {
    let (format, rows) = import("meier.csv", MEIER.as_bytes()).unwrap();
    assert_eq!(format, Format::Meier);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all)[..5],
        [
            row("00123", "2024-06-01 12:00:00", Some(2400.0), None, None),
            row(
                "00123-Kostal.1.2",
                "2024-06-01 12:00:00",
                Some(1200.0),
                None,
                None
            ),
            row(
                "00123-Kostal.1.3",
                "2024-06-01 12:00:00",
                Some(1200.0),
                None,
                None
            ),
            row("00123", "2024-06-01 12:05:00", Some(2400.0), None, None),
            row(
                "00123-Kostal.1.2",
                "2024-06-01 12:05:00",
                Some(1200.0),
                None,
                None
            ),
        ]
    );
    let yields: Vec<_> = all
        .iter()
        .map(|one| meta(one, "energyIntervalKwh"))
        .collect();
    assert_eq!(yields[..2], [&json!(0.1), &json!(0.05)]);
    assert_eq!(
        meta(&all[1], "energyDailyDerivedFrom"),
        &json!("energyIntervalKwh")
    );
    // The plant's total beside its devices does not count as a producer.
    assert_eq!((all[0].role, all[1].role), (Role::Meter, Role::Inverter));
    assert!(!format!("{rows:?}").contains("example.org"));
    assert_eq!(rows.refusals().count(), 1);
}

#[test]
fn a_meier_plant_without_devices_is_the_producer() {
    let text = "serial; 9\ndescription; x\nfirmware; 2\n; GENERAL.Feed-In_Power; GENERAL.Yield; GENERAL.Global\n; kW; kWh; W/m2\n01.06.2024 12:00:00; 2,4; 0,1; 700\n";
    let all = records(Format::Meier, "a.txt", text);
    assert_eq!(
        brief(&all),
        [row(
            "9",
            "2024-06-01 12:00:00",
            Some(2400.0),
            None,
            Some(700.0)
        )]
    );
    assert_eq!(all[0].role, Role::Inverter);
}

const SMARTDOG: &str = "timestamp;address;bus;strings;stringid;pac;pdc;udc;temp\n1717236000;4;1;2;1;1200;1300;602;31\n1717236300;4;1;2;1;1200;1300;602;31\n1717236600;4;1;2;1;;1300;602\n1717236600;4;1;2;1;--;1300;602;31\n";

#[test]
fn smartdog_is_in_utc_and_has_no_register() {
    let (format, rows) = import("B1_A4_S1_global_6_1_2024.txt", SMARTDOG.as_bytes()).unwrap();
    assert_eq!(format, Format::Smartdog);
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row(
                "roof-smartdog-B1-A4-S1",
                "2024-06-01T10:00:00Z",
                Some(1200.0),
                None,
                None
            ),
            row(
                "roof-smartdog-B1-A4-S1",
                "2024-06-01T10:05:00Z",
                Some(1200.0),
                None,
                None
            ),
            row(
                "roof-smartdog-B1-A4-S1",
                "2024-06-01T10:10:00Z",
                None,
                None,
                None
            ),
        ]
    );
    assert_eq!(
        rows.refusals().map(|(line, _)| line).collect::<Vec<_>>(),
        [4]
    );
    let renamed = import("renamed.txt", SMARTDOG.as_bytes()).unwrap().1;
    assert_eq!(
        renamed.records().next().unwrap().logger_id,
        "roof-smartdog-B1-A4-S1"
    );
    let other = import("B9_A4_S1_global_6_1_2024.txt", SMARTDOG.as_bytes())
        .unwrap()
        .1;
    assert!(other.notes.iter().any(|note| note.contains("disagree")));
}

#[test]
fn smartdog_sensors_have_three_values_under_two_names() {
    let text = "timestamp;value\n1761436800;712.4;-1\n1761437100;20000;-1\n1761437400;0;-1\n";
    let (_, rows) = import(
        "smartdog_modbustcpsensor_3_global_10_26_2025.txt",
        text.as_bytes(),
    )
    .unwrap();
    let all: Vec<_> = rows.records().cloned().collect();
    assert_eq!(
        brief(&all),
        [
            row(
                "roof-smartdog-sensor-3",
                "2025-10-26T00:00:00Z",
                None,
                None,
                Some(712.4)
            ),
            row(
                "roof-smartdog-sensor-3",
                "2025-10-26T00:05:00Z",
                None,
                None,
                None
            ),
            row(
                "roof-smartdog-sensor-3",
                "2025-10-26T00:10:00Z",
                None,
                None,
                Some(0.0)
            ),
        ]
    );
    assert_eq!(meta(&all[0], "status"), &json!("-1"));
    let (_, rows) = import("onewire_2_global_10_26_2025.txt", text.as_bytes()).unwrap();
    assert_eq!(
        meta(rows.records().next().unwrap(), "temperatureAmbientC"),
        &json!(712.4)
    );
    let summary = import("B1_A1_S1_avg_day_6_2024.txt", text.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(summary.contains("avg_day"), "{summary}");
}

#[test]
fn a_day_of_25_hours_keeps_every_row_of_smartdog() {
    let mut text = "timestamp;address;bus;strings;stringid;pac\n".to_owned();
    for step in 0..25 * 12 {
        writeln!(text, "{};1;1;1;1;60", 1_761_429_600 + step * 300).unwrap();
    }
    let all = records(Format::Smartdog, "B1_A1_S1_global_10_26_2025.txt", &text);
    assert_eq!(all.len(), 300);
    let last = all.last().unwrap();
    assert!(all.iter().all(|record| record.power_w == Some(60.0)));
    assert_eq!(last.stamp.text(), "2025-10-26T22:55:00.000000Z");
}

#[test]
fn a_large_file_is_read_row_by_row() {
    struct Count(u64);
    impl plant_files::Sink for Count {
        fn row(&mut self, row: plant_files::Row) -> std::ops::ControlFlow<()> {
            self.0 += u64::from(row.record.is_ok());
            std::ops::ControlFlow::Continue(())
        }
        fn note(&mut self, _: String) {}
    }
    let mut text = "[header]\nserial=A\n[data]\ntimestamp;P_AC\n".to_owned();
    let start = chrono::DateTime::from_timestamp(1_717_200_000, 0).unwrap();
    for step in 0..100_000 {
        let at = start + chrono::TimeDelta::minutes(step);
        writeln!(text, "{};{}", at.format("%Y-%m-%d %H:%M:%S"), step % 3000).unwrap();
    }
    let mut count = Count(0);
    let mut input = std::io::Cursor::new(text.as_bytes());
    plant_files::read(Format::Lti, &mut input, &settings("a"), &mut count).unwrap();
    assert_eq!(count.0, 100_000);
}
