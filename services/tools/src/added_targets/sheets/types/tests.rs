use super::*;

fn guess(cells: &[&'static str]) -> (SheetType, Vec<Option<String>>) {
    let guess = Guess::of(&cells.iter().copied());
    let values = cells.iter().filter(|cell| !cell.is_empty());
    (guess.kind, values.map(|cell| guess.value(cell)).collect())
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}

#[test]
fn why_a_column_of_dates_is_text_is_told() {
    let told = |cells: &[&str]| {
        let cells = cells.iter().copied();
        almost(&Guess::of(&cells), &cells, &[])
    };
    assert_eq!(
        told(&["2026-01-05", "2026-01-06", "", "soon", "2026-01-09"]).as_deref(),
        Some("1 of its 4 cells is not a date, such as “soon” in row 4.")
    );
    assert_eq!(
        told(&["2026-01-05", "06/01/2026", "2026-01-09"]).as_deref(),
        Some("its dates are written in different ways, such as “2026-01-05” and “06/01/2026”.")
    );
    assert_eq!(
        told(&["1.5", "2.5", "n/a"]).as_deref(),
        Some("1 of its 3 cells is not a number, such as “n/a” in row 3.")
    );
    for plain in [
        &["Anna", "Ben", "2026-01-05"][..],
        &["01234", "98765"],
        &["2026-01-05", "2026-01-06"],
        &["", ""],
        &["4711"],
    ] {
        assert_eq!(told(plain), None, "{plain:?}");
    }
}

#[test]
fn types_are_guessed_by_all_cells() {
    assert_eq!(
        guess(&["1", "", "-20"]),
        (SheetType::Integer, some(&["1", "-20"]))
    );
    assert_eq!(
        guess(&["1", "2.5"]),
        (SheetType::Number, some(&["1", "2.5"]))
    );
    assert_eq!(
        guess(&["1.234,50", "7,25 €"]),
        (SheetType::Number, some(&["1234.50", "7.25"]))
    );
    assert_eq!(
        guess(&["1,234", "12.5"]),
        (SheetType::Number, some(&["1234", "12.5"]))
    );
    assert_eq!(
        guess(&["yes", "No"]),
        (SheetType::Boolean, some(&["true", "false"]))
    );
    assert_eq!(
        guess(&["31.01.2026", "01.02.2026"]),
        (SheetType::Date, some(&["2026-01-31", "2026-02-01"]))
    );
    // Only the month first fits both.
    assert_eq!(
        guess(&["01/02/2026", "01/31/2026"]),
        (SheetType::Date, some(&["2026-01-02", "2026-01-31"]))
    );
    assert_eq!(
        guess(&["2026-01-31T10:00:00Z", "2026-01-31T10:00:01Z"]).0,
        SheetType::Timestamp
    );
    // A midnight is written as its day.
    assert_eq!(
        guess(&["2026-06-01", "2026-06-01 01:30:00"]),
        (
            SheetType::Timestamp,
            some(&["2026-06-01 00:00:00", "2026-06-01 01:30:00"])
        )
    );
    assert_eq!(guess(&["01067", "12345"]).0, SheetType::Text);
    assert_eq!(guess(&["1", "n/a"]).0, SheetType::Text);
    assert_eq!(guess(&["", ""]).0, SheetType::Text);
    assert_eq!(guess(&["99999999999999999999", "1"]).0, SheetType::Number);
    assert_eq!(guess(&["1e999"]).0, SheetType::Text);
}

#[test]
fn days_in_several_forms_are_read_where_each_has_one_meaning() {
    assert_eq!(
        guess(&["2026-11-06", "08 Jan 2026", "soon"]).0,
        SheetType::Text
    );
    assert_eq!(
        guess(&["2026-11-06", "08.01.2026", "08 Jan 2026", "9. März 2026"]),
        (
            SheetType::Date,
            some(&["2026-11-06", "2026-01-08", "2026-01-08", "2026-03-09"])
        )
    );
    assert_eq!(
        guess(&["2026-11-06 10:00", "08 Jan 2026", "08.01.2026 10:00:30"]),
        (
            SheetType::Timestamp,
            some(&[
                "2026-11-06 10:00:00",
                "2026-01-08 00:00:00",
                "2026-01-08 10:00:30"
            ])
        )
    );
    // 3 April or 4 March: a person says which.
    let cells = ["2026-11-06", "03/04/2026"];
    assert_eq!(guess(&cells).0, SheetType::Text);
    let asked = |text| Guess::as_asked(Asked::parse(text).unwrap(), cells.iter().copied(), &[]);
    assert_eq!(
        asked("date").unwrap_err(),
        "the cells are written in different ways, and some have two meanings: ask for date/dmy or date/mdy"
    );
    for (form, day) in [("date/dmy", "2026-04-03"), ("date/mdy", "2026-03-04")] {
        let way = asked(form).unwrap();
        assert_eq!(
            (way.value(cells[1]).as_deref(), way.name()),
            (Some(day), form.to_owned())
        );
        assert_eq!(way.value(cells[0]).as_deref(), Some("2026-11-06"));
    }
}

#[test]
fn a_type_that_is_asked_for_must_fit() {
    let cells = ["01067", "x"];
    let asked = |text| Asked::parse(text).unwrap();
    let error = Guess::as_asked(asked("integer"), cells.iter().copied(), &[5, 6]).unwrap_err();
    assert_eq!(error, "'x' in row 6 is not of this type");
    let text = Guess::as_asked(asked("text"), ["1", "2"].into_iter(), &[]).unwrap();
    assert_eq!(text.sql(), "text");
    let day = Guess::as_asked(asked("date"), ["20260131"].into_iter(), &[]).unwrap();
    assert_eq!(day.value("20260131").unwrap(), "2026-01-31");
    for unknown in [
        "",
        "numbers",
        "number/mdy",
        "date/comma",
        "text/",
        "number/",
    ] {
        assert_eq!(Asked::parse(unknown), None, "{unknown}");
    }
}

#[test]
fn cells_of_two_meanings_have_another_form_that_can_be_asked_for() {
    for (cells, guessed, value, other, other_value) in [
        (
            ["1.234", "5.678"],
            "number/point",
            "1.234",
            "number/comma",
            "1234",
        ),
        (
            ["1,234", ""],
            "number/point",
            "1234",
            "number/comma",
            "1.234",
        ),
        (
            ["03/04/2026", "05/06/2026"],
            "date/dmy",
            "2026-04-03",
            "date/mdy",
            "2026-03-04",
        ),
        (
            ["03/04/2026 10:00", ""],
            "timestamp/dmy",
            "2026-04-03 10:00:00",
            "timestamp/mdy",
            "2026-03-04 10:00:00",
        ),
    ] {
        let all = cells.iter().copied();
        let guess = Guess::of(&all);
        assert_eq!(guess.name(), guessed);
        assert_eq!(guess.value(cells[0]).as_deref(), Some(value));
        let found = guess.other(&all).unwrap();
        assert_eq!(found.name(), other);
        assert_eq!(found.value(cells[0]).as_deref(), Some(other_value));
        let asked = Asked::parse(other).unwrap();
        assert_eq!(Guess::as_asked(asked, all, &[]), Ok(found));
    }
    // Each has one meaning only, or the same in both forms.
    for cells in [
        ["1.234,50", "2"],
        ["12.5", "3.25"],
        ["31/01/2026", "01/02/2026"],
        ["04/04/2026", "05/05/2026"],
        ["2026-01-02", "2026-01-03"],
        ["1", "2"],
    ] {
        let all = cells.iter().copied();
        assert_eq!(Guess::of(&all).other(&all), None, "{cells:?}");
    }
}

#[test]
fn times_with_an_offset_are_instants() {
    for (cells, value) in [
        (
            ["2026-06-03T12:00:00+02:00", "2026-06-03T13:30:00+02:00"],
            "2026-06-03 10:00:00+00",
        ),
        (
            ["2026-06-03 12:00:00.5-0330", "2026-06-03 12:00:00Z"],
            "2026-06-03 15:30:00.500+00",
        ),
        (["03.06.2026 00:15 +01", ""], "2026-06-02 23:15:00+00"),
    ] {
        let all = cells.iter().copied();
        let guess = Guess::of(&all);
        assert_eq!(guess.sql(), "timestamptz", "{cells:?}");
        assert_eq!(guess.value(cells[0]).as_deref(), Some(value));
        assert!(guess.remark(&all).unwrap().contains(value));
        let asked = Asked::parse("timestamp").unwrap();
        assert_eq!(Guess::as_asked(asked, all, &[]), Ok(guess));
    }
    let days = ["2026-06-03", "2026-06-04"];
    assert_eq!(Guess::of(&days.iter().copied()).sql(), "date");
}

#[test]
fn percents_are_numbers_as_stated() {
    for (cells, value) in [(["12 %", "7%"], "12"), (["12,5 %", "-7,25%"], "12.5")] {
        let all = cells.iter().copied();
        let guess = Guess::of(&all);
        assert_eq!(
            (guess.sql(), guess.value(cells[0]).as_deref()),
            ("double precision", Some(value))
        );
        assert_eq!(
            guess.remark(&all).unwrap(),
            format!("its cells are percents: “{}” is read as {value}.", cells[0])
        );
    }
    // Numbers with the sign and without it are not of one unit.
    let mixed = ["12 %", "0.12"];
    assert_eq!(guess(&mixed).0, SheetType::Text);
    let told = almost(&Guess::TEXT, &mixed.iter().copied(), &[]).unwrap();
    assert!(told.contains("“12 %” and “0.12”"), "{told}");
}

#[test]
fn years_of_two_digits_are_days() {
    for (cells, form, value, other) in [
        (["03.06.26", "14.06.26"], "date/dmy", "2026-06-03", None),
        (["6/3/26", "6/14/26"], "date/mdy", "2026-06-03", None),
        (
            ["03/06/26", "04/06/26"],
            "date/dmy",
            "2026-06-03",
            Some("2026-03-06"),
        ),
        (
            ["03.06.26 12:15", "04.06.26"],
            "timestamp/dmy",
            "2026-06-03 12:15:00",
            None,
        ),
        // A column that has both forms.
        (["03.06.26", "14.06.2026"], "date", "2026-06-03", None),
    ] {
        let all = cells.iter().copied();
        let guess = Guess::of(&all);
        assert_eq!(
            (guess.name().as_str(), guess.value(cells[0]).as_deref()),
            (form, Some(value)),
            "{cells:?}"
        );
        let found = guess.other(&all).and_then(|other| other.value(cells[0]));
        assert_eq!(found.as_deref(), other, "{cells:?}");
    }
    // Versions are not days.
    assert_eq!(guess(&["1.2.10", "1.10.12"]).0, SheetType::Text);
    assert_eq!(guess(&["1-2-10", "10-10-12"]).0, SheetType::Text);
}
