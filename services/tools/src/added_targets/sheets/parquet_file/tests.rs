use super::*;

/// A file that pyarrow wrote: see `write.py` beside it.
fn sample(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples/parquet");
    std::fs::read(format!("{folder}/{name}.parquet")).unwrap()
}

fn read(bytes: Vec<u8>, limits: (u64, u64)) -> Result<Vec<Vec<String>>, String> {
    let read = || {
        let file = ParquetFile::open(bytes)?;
        let mut rows = Vec::new();
        file.rows(limits, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    };
    read().map_err(|error: SheetError| error.to_string())
}

const LIMITS: (u64, u64) = (16 << 20, 1_000_000);

/// The numbers of a dictionary are not the lengths of texts.
#[test]
fn lists_of_numbers_are_read() {
    let rows = read(sample("lists"), LIMITS).unwrap();
    assert_eq!(rows.len(), 200);
    assert_eq!(rows[199], ["[1,2]"]);
}

#[test]
fn types_and_values_are_those_of_the_file() {
    let file = ParquetFile::open(sample("types")).unwrap();
    let rows = read(sample("types"), LIMITS).unwrap();
    let columns: Vec<_> = file.columns().collect();
    let told = |at: usize| {
        let cells: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        (columns[at].0, columns[at].1.sql(), cells)
    };
    let expected = [
        ("id", "bigint", ["1", "2", "3"]),
        ("small", "bigint", ["-1", "", "127"]),
        ("huge", "numeric", ["18446744073709551615", "0", ""]),
        ("price", "numeric", ["12345678901234567890.12", "-0.10", ""]),
        ("cost", "numeric", ["1.234", "", "5.678"]),
        ("ratio", "double precision", ["0.1", "", "1e300"]),
        ("half", "double precision", ["0.1", "2", ""]),
        ("ok", "boolean", ["true", "", "false"]),
        ("postcode", "text", ["01067", "12345", ""]),
        ("year", "text", ["2024", "2025", "2026"]),
        ("day", "date", ["2026-04-03", "0001-01-01", ""]),
        ("local_ms", "timestamp", ["2026-03-29 01:30:00.123", "", ""]),
        (
            "local_ns",
            "timestamp",
            ["2026-03-29 01:30:00.123456", "", ""],
        ),
        (
            "utc",
            "timestamptz",
            ["2026-03-29 01:30:00.123456Z", "", ""],
        ),
        (
            "berlin",
            "timestamptz",
            ["2026-03-29 01:30:00.123456Z", "", ""],
        ),
        ("clock", "text", ["08:05:00.500", "", ""]),
        ("clock_ns", "text", ["08:05:00", "", ""]),
        ("raw", "text", ["2 bytes", "text", ""]),
        (
            "key",
            "text",
            ["00000000-0000-0000-0000-000000000001", "", ""],
        ),
        ("nothing", "text", ["", "", ""]),
        ("tags", "text", [r#"["a","b"]"#, "[]", ""]),
        (
            "place",
            "text",
            [
                r#"{"lat":1.5,"at":"2026-03-29 01:30:00.123456"}"#,
                "",
                r#"{"lat":null,"at":null}"#,
            ],
        ),
        ("labels", "text", [r#"{"k":1}"#, "{}", ""]),
        ("Über uns", "text", ["x", "y", "z"]),
    ];
    assert_eq!(columns.len(), expected.len());
    for (at, (name, sql, cells)) in expected.into_iter().enumerate() {
        assert_eq!(told(at), (name, sql, cells.to_vec()));
    }
    assert_eq!(
        columns[13].1.value(&rows[0][13]).unwrap(),
        "2026-03-29 01:30:00.123456+00"
    );
    assert!(
        file.notes[0].ends_with("JSON: tags, place, labels."),
        "{:?}",
        file.notes
    );
}

#[test]
fn old_timestamps_are_read() {
    let rows = read(sample("int96"), LIMITS).unwrap();
    assert_eq!(rows[0], ["1", "2026-03-29 01:30:00.123"]);
    assert_eq!(rows[1], ["2", ""]);
}

#[test]
fn every_way_of_packing_is_read() {
    for name in ["snappy", "gzip", "brotli", "zstd", "lz4", "v2", "delta"] {
        let rows = read(sample(name), LIMITS).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(rows.len(), 300, "{name}");
        assert_eq!(rows[0], ["0", "device 0", ""], "{name}");
        assert_eq!(rows[299], ["299", "device 5", "74.75"], "{name}");
    }
}

#[test]
fn lz4_of_hadoop_is_read() {
    // Literals only.
    let block = b"\x50hello";
    let mut framed = [0, 0, 0, 5, 0, 0, 0, 6].to_vec();
    framed.extend_from_slice(block);
    let twice = framed.repeat(2);
    let unpack =
        |bytes: &[u8], most| super::pages::unpack(parquet::basic::Compression::LZ4, bytes, most);
    assert_eq!(unpack(&twice, 100).unwrap().unwrap(), "hellohello");
    assert_eq!(unpack(block, 100).unwrap().unwrap(), "hello");
    assert!(unpack(&twice, 9).is_err());
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    assert_eq!(read(sample("bomb"), (100 << 20, 1_000)).unwrap().len(), 60);
    for (name, limits, why) in [
        ("bomb", LIMITS, "unpacks to more than 16 MiB"),
        ("gzip", (1_000, 1_000_000), "unpacks to more"),
        ("brotli", (1_000, 1_000_000), "unpacks to more"),
        ("snappy", (1_000, 1_000_000), "unpacks to more"),
        ("repeated", (16 << 20, 99_999), "more than 99999 cells"),
    ] {
        let error = read(sample(name), limits).unwrap_err();
        assert!(error.contains(why), "{name}: {error}");
    }
}

/// A file that was cut, or has another byte somewhere, is refused or read, and ends no process.
#[test]
fn damaged_files_are_refused() {
    let whole = sample("types");
    for length in [4, 8, 100, whole.len() - 1] {
        let error = read(whole[..length].to_vec(), LIMITS).unwrap_err();
        assert!(
            error.starts_with("The Parquet file is damaged: "),
            "{error}"
        );
        assert!(error.ends_with("Was it transferred completely?"), "{error}");
    }
    let mut refused = 0;
    for name in ["types", "zstd", "v2", "delta", "lz4"] {
        let whole = sample(name);
        for at in (4..whole.len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            refused += u32::from(read(damaged, LIMITS).is_err());
        }
    }
    assert!(refused > 500, "{refused}");
}

/// A file with only a footer, whose schema has groups within groups.
fn nested(levels: u32) -> Vec<u8> {
    // The version, and a list of structures with its length.
    let mut footer = vec![0x15, 0x02, 0x19, 0xfc];
    let mut count = levels + 1;
    while count >= 0x80 {
        footer.push(u8::try_from(count & 0x7f).unwrap() | 0x80);
        count >>= 7;
    }
    footer.push(u8::try_from(count).unwrap());
    for level in 0..=levels {
        // An empty name, and one child but for the innermost.
        footer.extend([0x48, 0x00]);
        if level < levels {
            footer.extend([0x15, 0x02]);
        }
        footer.push(0);
    }
    let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
    [MAGIC, &footer, &length, MAGIC].concat()
}

#[test]
fn a_file_that_nests_deeper_than_a_stack_is_refused_before_it_is_read() {
    assert_eq!(depth::of(&sample("types")), Some(3));
    assert_eq!(depth::of(&nested(7)), Some(7));
    for levels in [51, 300, 100_000] {
        let why = read(nested(levels), LIMITS).unwrap_err();
        assert_eq!(
            why,
            format!("The columns are nested too deeply: {levels} levels, and 50 are read.")
        );
    }
    let mut cut = nested(7);
    cut.drain(4..8);
    assert!(read(cut, LIMITS).unwrap_err().contains("is damaged"));
}

#[test]
fn a_footer_that_claims_too_much_is_refused_before_anything_is_unpacked() {
    // The footer says 60 megabytes: one byte less is refused without a look at the pages.
    let file = ParquetFile::open(sample("bomb")).unwrap();
    let groups = file.reader.metadata().row_groups().iter();
    let (bytes, values) = Room::claimed(groups.flat_map(RowGroupMetaData::columns));
    assert!(bytes > 60_000_000, "{bytes}");
    assert_eq!(values, 60);
    let room = Room::new(bytes - 1, values);
    assert!(room.check_claim((bytes, values)).is_err());
    let room = Room::new(bytes, values - 1);
    assert!(room.check_claim((bytes, values)).is_err());
    let room = Room::new(bytes, values);
    assert!(room.check_claim((bytes, values)).is_ok());
}
