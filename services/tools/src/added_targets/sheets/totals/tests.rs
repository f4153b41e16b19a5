use super::*;

fn table(rows: &[&[&str]]) -> Raw {
    let cells = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
    Raw {
        name: "sales".to_owned(),
        source: "Sales".to_owned(),
        columns: ["region", "sum", "day"]
            .map(|name| (name.to_owned(), name.to_owned()))
            .into(),
        rows: rows.iter().map(cells).collect(),
        lines: Vec::new(),
        types: Vec::new(),
        without_result: Vec::new(),
        stored_numbers: Vec::new(),
    }
}

fn note(table: &mut Raw) -> Option<String> {
    let outcome = take(table);
    assert!(outcome.notes.len() < 2, "{:?}", outcome.notes);
    outcome.notes.into_iter().next()
}

fn kept(row: &str) -> String {
    format!(
        "row {row} is named as a sum or an average, but its numbers are not those of the rows above it: it is kept, and counts as a row. Remove it from the file if it must not."
    )
}

#[test]
fn sums_between_the_rows_are_no_rows() {
    let mut sales = table(&[
        &["2026-04-29", "10", ""],
        &["2026-04-30", "20", ""],
        &["Total April", "30", ""],
        &["2026-05-01", "1", ""],
        &["2026-05-02", "2", ""],
        &["Zwischensumme", "3", ""],
        &["2026-05-03", "4", ""],
        &["Zwischensumme", "4", ""],
        &["Mai gesamt", "7", ""],
        &["2026-06-01", "5", ""],
        &["2026-06-02", "6", ""],
        &["June 2026", "11", ""],
        &["Total", "48", ""],
    ]);
    let outcome = take(&mut sales);
    assert_eq!(outcome.left_out, [3, 6, 8, 9, 12, 13]);
    assert!(
        outcome.notes[0].starts_with(
            "6 rows are sums or averages of rows above them, and are left out: 3 (“Total April”), 6 ("
        ),
        "{}",
        outcome.notes[0]
    );
    let sum = |row: &Vec<String>| row[1].parse::<u32>().unwrap();
    assert_eq!(sales.rows.iter().map(sum).sum::<u32>(), 48);
    // Names of people and companies, and a table of months.
    for rows in [
        &[
            &["Total Energies", "1", ""][..],
            &["Sum Ltd", "2", ""],
            &["Ada Sum", "4", ""],
            &["b", "5", ""],
        ],
        &[
            &["Jan", "1", ""],
            &["Feb", "2", ""],
            &["Mar", "3", ""],
            &["Apr", "6", ""],
        ],
    ] {
        let mut kept = table(rows);
        assert_eq!(note(&mut kept), None, "{rows:?}");
    }
}

#[test]
fn a_sum_at_the_end_is_no_row() {
    let mut german = table(&[
        &["Nord", "1.234,50", "01.02.2026"],
        &["Süd", "99,90", "02.02.2026"],
        &["Summe:", "1.334,40", ""],
    ]);
    assert_eq!(
        note(&mut german).as_deref(),
        Some("the last row (“Summe:”) is the sum of those above, and is left out.")
    );
    assert_eq!(german.rows.len(), 2);
    assert_eq!(note(&mut german), None);
}

#[test]
fn several_rows_at_the_end_are_sums_and_averages() {
    let mut sales = table(&[
        &["a", "100", "2026-02-01"],
        &["b", "n/a", "2026-02-02"],
        &["c", "50", "2026-02-03"],
        &["Zwischensumme", "150", ""],
        &["Durchschnitt", "75", ""],
        &["Gesamt", "150", ""],
    ]);
    assert_eq!(
        note(&mut sales).as_deref(),
        Some(
            "the last 3 rows (“Zwischensumme”, “Durchschnitt”, “Gesamt”) are sums or averages of those above, and are left out."
        )
    );
    assert_eq!(sales.rows.len(), 3);
}

#[test]
fn a_row_that_is_not_the_sum_stays_with_a_note() {
    // A company of this name, a sum of other rows, and a row without a number.
    for last in [
        &["Total", "12.5", "2026-02-03"][..],
        &["Total", "12.5", ""],
        &["Total", "100", ""],
        &["Total", "", ""],
    ] {
        let mut sales = table(&[
            &["a", "100", "2026-02-01"],
            &["b", "10", "2026-02-02"],
            last,
        ]);
        let outcome = take(&mut sales);
        assert_eq!(outcome.notes, [kept("3 (“Total”)")], "{last:?}");
        assert_eq!(
            outcome.remark.as_deref(),
            Some(
                "Row 3 (“Total”) of the file is named as a sum or an average, and is counted as a row."
            )
        );
        assert_eq!(sales.rows.len(), 3);
    }
    let mut kept_of = table(&[
        &["a", "100", "2026-02-01"],
        &["b", "10", "2026-02-02"],
        &["Totals of", "110", ""],
    ]);
    assert_eq!(note(&mut kept_of), None);
    let mut between = table(&[
        &["a", "1", ""],
        &["b", "2", ""],
        &["Total May", "4", ""],
        &["c", "5", ""],
    ]);
    assert_eq!(note(&mut between), Some(kept("3 (“Total May”)")));
    // The name of another row, and cells that every other row has.
    for rows in [
        [
            ["North", "1", "x"],
            ["South", "2", "x"],
            ["Total North", "9", "x"],
        ],
        [
            ["North", "1", "x"],
            ["South", "2", "x"],
            ["Total sales", "9", ""],
        ],
    ] {
        let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
        let said = note(&mut table(&rows)).unwrap();
        assert!(said.contains("it is kept"), "{said}");
    }
    let company = [
        ["North", "1", "x"],
        ["South", "2", "x"],
        ["Total sales", "9", "x"],
    ];
    let rows: Vec<&[&str]> = company.iter().map(|row| &row[..]).collect();
    assert_eq!(note(&mut table(&rows)), None);
}

/// A table of amounts, prices and shares.
fn amounts(last: &[&[&str]]) -> Raw {
    let first: [&[&str]; 3] = [
        &["a", "100", "2.5", "2026-02-01"],
        &["b", "250", "3.5", "2026-02-02"],
        &["c", "1000", "9", "2026-02-03"],
    ];
    let rows: Vec<&[&str]> = first.into_iter().chain(last.iter().copied()).collect();
    let mut table = table(&rows);
    let names = ["item", "amount", "price", "day"];
    table.columns = names.map(|name| (name.to_owned(), name.to_owned())).into();
    table
}

#[test]
fn a_sum_beside_an_average_or_a_highest_number_is_no_row() {
    for label in [
        "Total",
        "Grand total:",
        "SUMME",
        "Gesamt",
        "Sub-total",
        "Total 2026",
        "2026 total",
    ] {
        for price in ["5", "9", "2.5", "4.1", "15", "20", ""] {
            let mut table = amounts(&[&[label, "1350", price, ""]]);
            let said = note(&mut table).unwrap();
            assert!(
                said.ends_with("and is left out."),
                "{label} {price}: {said}"
            );
            assert_eq!(table.rows.len(), 3);
        }
        // One number is wrong.
        let mut table = amounts(&[&[label, "1350", "99", ""]]);
        let said = note(&mut table).unwrap();
        assert!(said.contains("it is kept"), "{label}: {said}");
        assert_eq!(table.rows.len(), 4);
    }
    // The sum that follows a wrong one is found, and so is that of the rows behind it.
    let mut table = amounts(&[
        &["Total", "7777", "99", ""],
        &["d", "10", "1", "2026-02-04"],
        &["e", "20", "2", "2026-02-05"],
        &["Subtotal", "30", "3", ""],
        &["Sum", "1380", "18", ""],
    ]);
    let outcome = take(&mut table);
    assert_eq!(outcome.left_out, [7, 8], "{:?}", outcome.notes);
    assert_eq!(outcome.notes[1], kept("4 (“Total”)"));
    // A sum that counts a company of this name.
    let mut table = amounts(&[
        &["Total", "50", "99", "2026-02-04"],
        &["Sum", "1400", "", ""],
    ]);
    let outcome = take(&mut table);
    assert_eq!(outcome.left_out, [5], "{:?}", outcome.notes);
}

#[test]
fn totals_have_other_names() {
    for label in [
        "Endsumme",
        "Teilsumme:",
        "Endbetrag",
        "Gesamtergebnis",
        "Σ",
        "∑",
        "Σ 2026",
        "Übertrag",
    ] {
        let mut table = amounts(&[&[label, "1350", "", ""]]);
        let said = note(&mut table).unwrap();
        assert!(
            said.contains("is the sum of those above"),
            "{label}: {said}"
        );
        assert_eq!(table.rows.len(), 3, "{label}");
    }
    for label in ["Mittel", "Schnitt:"] {
        let mut table = amounts(&[&[label, "450", "5", ""]]);
        let said = note(&mut table).unwrap();
        assert!(said.contains("is the average"), "{label}: {said}");
        assert_eq!(table.rows.len(), 3, "{label}");
    }
    // A transfer and a size.
    for label in ["Übertrag", "Übertrag Konto", "Mittel"] {
        let mut table = amounts(&[&[label, "7", "7", "2026-02-04"]]);
        assert_eq!(note(&mut table), None, "{label}");
        assert_eq!(table.rows.len(), 4, "{label}");
    }
}

#[test]
fn extremes_are_no_rows_and_people_are() {
    for (label, amount, price) in [
        ("Max", "1000", "9"),
        ("Maximum:", "1000", "9"),
        ("Min.", "100", "2.5"),
        ("Minimum", "100", ""),
    ] {
        // Without a day, which every other row has.
        let mut table = amounts(&[&[label, amount, price, ""]]);
        let said = note(&mut table).unwrap();
        assert!(
            said.ends_with("est of those above, and is left out."),
            "{said}"
        );
        assert_eq!(table.rows.len(), 3, "{label}");
        // Another number, and a day.
        for last in [
            [label, "999", price, ""],
            [label, amount, price, "2026-02-04"],
        ] {
            let mut table = amounts(&[&last]);
            assert_eq!(note(&mut table), None, "{last:?}");
            assert_eq!(table.rows.len(), 4, "{last:?}");
        }
    }
    let with = |last: &[&[&str]]| {
        let first: [&[&str]; 3] = [&["Ada", "10", ""], &["Bob", "30", ""], &["Cem", "20", ""]];
        let rows: Vec<&[&str]> = first.into_iter().chain(last.iter().copied()).collect();
        let mut scores = table(&rows);
        let outcome = take(&mut scores);
        (scores.rows.len(), outcome.notes)
    };
    let (rows, notes) = with(&[
        &["Summe", "60", ""],
        &["Schnitt", "20", ""],
        &["Max", "30", ""],
        &["Min", "10", ""],
    ]);
    assert_eq!(rows, 3);
    assert_eq!(
        notes,
        [
            "the last 4 rows (“Summe”, “Schnitt”, “Max”, “Min”) are sums, averages or extremes of those above, and are left out."
        ]
    );
    let (rows, _) = with(&[&["Max", "30", ""], &["Min", "10", ""], &["Summe", "60", ""]]);
    assert_eq!(rows, 3);
    // A person with the highest number, also above the sum and behind one.
    assert_eq!(with(&[&["Max", "30", ""]]).0, 4);
    assert_eq!(with(&[&["Max", "30", ""], &["Summe", "90", ""]]).0, 4);
    let behind: [&[&str]; 3] = [&["Summe", "60", ""], &["Max", "30", ""], &["Eva", "5", ""]];
    assert_eq!(with(&behind).0, 5);
}

#[test]
fn a_sum_whose_formulas_have_no_result_is_no_row() {
    let mut table = amounts(&[
        &["Subtotal", "", "", ""],
        &["d", "10", "", "2026-02-04"],
        &["Total", "", "", ""],
    ]);
    table.without_result = vec![Vec::new(), vec![4, 6], vec![5], Vec::new()];
    let outcome = take(&mut table);
    assert_eq!(outcome.left_out, [4, 6]);
    assert_eq!(
        outcome.notes,
        [
            "2 rows are named as sums or averages, their formulas have no stored result, and they are left out: 4 (“Subtotal”), 6 (“Total”)."
        ]
    );
    assert_eq!(table.rows.len(), 4);
}
