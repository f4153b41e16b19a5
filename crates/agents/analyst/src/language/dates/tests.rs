//! Today is Wednesday, 15 January 2025, as in the BI agent.

use proptest::prelude::*;

use super::*;

fn today() -> NaiveDate {
    "2025-01-15".parse().unwrap()
}

fn shown(text: &str) -> String {
    let all: Vec<_> = find(text, today())
        .into_iter()
        .map(|mention| match mention.meaning {
            Ok(days) if days.start == days.end => days.start.to_string(),
            Ok(days) => format!(
                "{}..{}",
                if days.start == OPEN_START {
                    String::new()
                } else {
                    days.start.to_string()
                },
                if days.end == OPEN_END {
                    String::new()
                } else {
                    days.end.to_string()
                },
            ),
            Err(_) => format!("not {:?}", mention.words),
        })
        .collect();
    all.join(" & ")
}

fn check(table: &[(&str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .map(|(text, expected)| (*text, *expected, shown(text)))
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_documents_weeks() {
    check(&[
        (
            "Show shipments to Miami last week",
            "2025-01-08..2025-01-15",
        ),
        (
            "show me all shipments arrive at port of Miami last week",
            "2025-01-08..2025-01-15",
        ),
        ("Shanghai, and also last week", "2025-01-08..2025-01-15"),
        (
            "Retrieve all shipments that arrived at Miami port between 2025-01-08 and 2025-01-15",
            "2025-01-08..2025-01-15",
        ),
        (
            "Retrieve shipments to Miami port 2025-01-08 to 2025-01-15",
            "2025-01-08..2025-01-15",
        ),
        ("LAST WEEK", "2025-01-08..2025-01-15"),
        (
            "shipments from last week to Miami",
            "2025-01-08..2025-01-15",
        ),
    ]);
}

#[test]
fn days_by_the_calendar() {
    check(&[
        ("on 2025-01-08", "2025-01-08"),
        ("2025/01/08", "2025-01-08"),
        ("20250108", "2025-01-08"),
        ("2025-01-08T10:00:00.000Z", "2025-01-08"),
        ("8 Jan 2025", "2025-01-08"),
        ("January 8th", "2025-01-08"),
        ("the 8th of January, 2025", "2025-01-08"),
        ("Jan 8, 2024", "2024-01-08"),
        ("Jan. 8", "2025-01-08"),
        ("08.01.2025", "2025-01-08"),
        ("8.1.25", "2025-01-08"),
        ("on 8.1.", "2025-01-08"),
        ("1/8/2025", "2025-01-08"),
        ("13/1/2025", "2025-01-13"),
        ("on 1/8", "2025-01-08"),
        ("Dec 20", "2024-12-20"),
        ("Jan 20", "2025-01-20"),
        ("feb 29", "2024-02-29"),
        ("januray 8", "2025-01-08"),
        ("arrived on December 24", "2024-12-24"),
        ("planned for March 3", "2025-03-03"),
        ("shipments of 2025-01-08 please", "2025-01-08"),
    ]);
}

#[test]
fn days_that_do_not_exist() {
    check(&[
        ("on Feb 30", "not \"Feb 30\""),
        ("on 2025-13-01", "not \"2025-13-01\""),
        ("2025-02-29", "not \"2025-02-29\""),
        ("31.11.2024", "not \"31.11.2024\""),
        ("from Jan 8 to Jan 32", "not \"from Jan 8 to Jan 32\""),
        (
            "between 2025-01-15 and 2025-01-08",
            "not \"between 2025-01-15 and 2025-01-08\"",
        ),
        ("in Q5", "not \"Q5\""),
        ("week 60", "not \"week 60\""),
        ("last 0 days", "not \"last 0 days\""),
        ("last 999999999 years", "not \"last 999999999 years\""),
        ("next 99999 years", "not \"next 99999 years\""),
    ]);
    let reason = |text| find(text, today()).remove(0).meaning.unwrap_err().reason;
    assert_eq!(
        reason("on Feb 30"),
        "“Feb 30” is not a day of the calendar."
    );
    assert_eq!(
        reason("from 2025-02-01 to 2025-01-01"),
        "“from 2025-02-01 to 2025-01-01” ends before it begins."
    );
}

#[test]
fn days_by_their_distance() {
    check(&[
        ("yesterday", "2025-01-14"),
        ("yesterday's shipments", "2025-01-14"),
        ("yesterady", "2025-01-14"),
        ("today", "2025-01-15"),
        ("tomorrow", "2025-01-16"),
        ("tommorow", "2025-01-16"),
        ("the day before yesterday", "2025-01-13"),
        ("the day after tomorrow", "2025-01-17"),
        ("3 days ago", "2025-01-12"),
        ("a week ago", "2025-01-08"),
        ("two weeks ago", "2025-01-01"),
        ("a month ago", "2024-12-15"),
        ("on Monday", "2025-01-13"),
        ("on Wednesday", "2025-01-15"),
        ("last Wednesday", "2025-01-08"),
        ("last Friday", "2025-01-10"),
        ("next Friday", "2025-01-17"),
        ("next Wednesday", "2025-01-22"),
        ("this Friday", "2025-01-17"),
        ("on fri", "2025-01-10"),
        ("arriving on Friday", "2025-01-17"),
        ("wendesday", "2025-01-15"),
    ]);
}

#[test]
fn periods() {
    check(&[
        ("past week", "2025-01-08..2025-01-15"),
        ("last 7 days", "2025-01-09..2025-01-15"),
        ("the last seven days", "2025-01-09..2025-01-15"),
        ("past 30 days", "2024-12-17..2025-01-15"),
        ("last 2 weeks", "2025-01-02..2025-01-15"),
        ("last fortnight", "2025-01-02..2025-01-15"),
        ("the last couple of days", "2025-01-14..2025-01-15"),
        ("last few days", "2025-01-13..2025-01-15"),
        ("last 48 hours", "2025-01-13..2025-01-15"),
        ("past 24 hours", "2025-01-14..2025-01-15"),
        ("last 3 months", "2024-10-16..2025-01-15"),
        ("previous week", "2025-01-06..2025-01-12"),
        ("last calendar week", "2025-01-06..2025-01-12"),
        ("this week", "2025-01-13..2025-01-19"),
        ("this week so far", "2025-01-13..2025-01-15"),
        ("next week", "2025-01-15..2025-01-22"),
        ("last month", "2024-12-01..2024-12-31"),
        ("past month", "2024-12-16..2025-01-15"),
        ("this month", "2025-01-01..2025-01-31"),
        ("month to date", "2025-01-01..2025-01-15"),
        ("next month", "2025-02-01..2025-02-28"),
        ("last quarter", "2024-10-01..2024-12-31"),
        ("this quarter", "2025-01-01..2025-03-31"),
        ("next quarter", "2025-04-01..2025-06-30"),
        ("last year", "2024-01-01..2024-12-31"),
        ("this year", "2025-01-01..2025-12-31"),
        ("YTD", "2025-01-01..2025-01-15"),
        ("next 10 days", "2025-01-15..2025-01-24"),
        ("the coming 2 weeks", "2025-01-15..2025-01-28"),
        ("in March", "2024-03-01..2024-03-31"),
        ("in March 2025", "2025-03-01..2025-03-31"),
        ("planned arrival in March", "2025-03-01..2025-03-31"),
        ("in January", "2025-01-01..2025-01-31"),
        ("december", "2024-12-01..2024-12-31"),
        ("last March", "2024-03-01..2024-03-31"),
        ("last January", "2024-01-01..2024-01-31"),
        ("next March", "2025-03-01..2025-03-31"),
        ("in May", "2024-05-01..2024-05-31"),
        ("2024-11", "2024-11-01..2024-11-30"),
        ("Q1 2025", "2025-01-01..2025-03-31"),
        ("2024 Q3", "2024-07-01..2024-09-30"),
        ("2024-Q3", "2024-07-01..2024-09-30"),
        ("in Q4", "2024-10-01..2024-12-31"),
        ("the first quarter of 2024", "2024-01-01..2024-03-31"),
        ("first quarter of last year", "2024-01-01..2024-03-31"),
        ("H2 2024", "2024-07-01..2024-12-31"),
        ("in 2024", "2024-01-01..2024-12-31"),
        ("for 2024", "2024-01-01..2024-12-31"),
        ("during the year 2023", "2023-01-01..2023-12-31"),
        ("the week of Jan 6", "2025-01-06..2025-01-12"),
        ("week 2 of 2025", "2025-01-06..2025-01-12"),
        ("last weekend", "2025-01-11..2025-01-12"),
        ("this weekend", "2025-01-18..2025-01-19"),
    ]);
}

#[test]
fn ranges() {
    check(&[
        ("Jan 8-15", "2025-01-08..2025-01-15"),
        ("Jan 8 – 15", "2025-01-08..2025-01-15"),
        ("Jan 8 to 15, 2024", "2024-01-08..2024-01-15"),
        ("8-15 Jan", "2025-01-08..2025-01-15"),
        ("8th to 15th of January 2024", "2024-01-08..2024-01-15"),
        ("between 8 and 15 January", "2025-01-08..2025-01-15"),
        ("from Jan 8 to Jan 15", "2025-01-08..2025-01-15"),
        ("between Jan 8 and Jan 15, 2024", "2024-01-08..2024-01-15"),
        ("Dec 20 to Jan 5", "2024-12-20..2025-01-05"),
        ("Dec 20 to Jan 5, 2024", "2023-12-20..2024-01-05"),
        ("from October to December", "2024-10-01..2024-12-31"),
        ("between Q1 2024 and Q3 2024", "2024-01-01..2024-09-30"),
        ("2025-01-08..2025-01-15", "2025-01-08..2025-01-15"),
        ("2025-01-08 - 2025-01-15", "2025-01-08..2025-01-15"),
        ("from Monday to today", "2025-01-13..2025-01-15"),
        ("from Friday to Monday", "2025-01-10..2025-01-13"),
        ("from 2023 to 2024", "2023-01-01..2024-12-31"),
        ("from Jan 8 until now", "2025-01-08..2025-01-15"),
        ("since Jan 8", "2025-01-08..2025-01-15"),
        ("since yesterday", "2025-01-14..2025-01-15"),
        ("since last week", "2025-01-08..2025-01-15"),
        ("since 2024", "2024-01-01..2025-01-15"),
        ("from Jan 8 on", "2025-01-08..2025-01-15"),
        ("from Jan 8 onwards", "2025-01-08..2025-01-15"),
        ("starting Jan 20", "2025-01-20.."),
        ("after Jan 8", "2025-01-09.."),
        ("before Jan 8", "..2025-01-07"),
        ("before March 2024", "..2024-02-29"),
        ("until Jan 8", "..2025-01-08"),
        ("up to yesterday", "..2025-01-14"),
    ]);
}

#[test]
fn no_dates() {
    check(&[
        ("", ""),
        ("may I see the shipments", ""),
        ("march on", ""),
        ("more than 2000 containers", ""),
        ("between 2000 and 2100 kg", ""),
        ("value over 2024", ""),
        ("delayed more than 3 days", ""),
        ("5 containers", ""),
        ("container MSCU2024012", ""),
        ("shipment SHP-20250108", ""),
        ("the sun sat down", ""),
        ("for 2000 containers", ""),
        ("top 10 carriers", ""),
        ("version 1.2.3", ""),
        ("per month", ""),
        ("average delay by week", ""),
        ("the last shipment", ""),
        ("next task", ""),
    ]);
}

#[test]
fn mentions_say_where_they_stand() {
    let text = "Shipments in März and in March 2025.";
    let mention = find(text, today()).remove(0);
    assert_eq!(&text[mention.span.clone()], "March 2025");
    assert_eq!(&text[mention.phrase.clone()], "in March 2025");
    assert_eq!(mention.words, "March 2025");
}

#[test]
fn two_times_are_two_mentions() {
    check(&[(
        "compare last week with last month",
        "2025-01-08..2025-01-15 & 2024-12-01..2024-12-31",
    )]);
}

#[test]
fn a_phrase_reads_back_as_the_same_days() {
    for text in [
        "last week",
        "yesterday",
        "since Monday",
        "before March",
        "after Jan 8",
        "until 2024-12-31",
        "Q1 2025",
    ] {
        let days = find(text, today()).remove(0).meaning.unwrap();
        let again = find(&days.phrase(), today()).remove(0).meaning.unwrap();
        assert_eq!((days.start, days.end), (again.start, again.end), "{text}");
    }
}

fn wordy() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "last",
        "week",
        "from",
        "to",
        "between",
        "and",
        "Jan",
        "8",
        "2025",
        "-",
        "01",
        "15",
        "Q",
        "5",
        "before",
        "days",
        "0",
        "999999999",
        "of",
        "th",
        ".",
        "/",
        "next",
        "month",
        "é",
        "ß",
        "monday",
        "the",
        "a",
        "couple",
        "since",
        "year",
        "T",
        ":",
        "99",
        "week 54",
        "may",
        "\u{301}",
        "😀",
    ]);
    let gap = prop::sample::select(vec!["", " ", "\t"]);
    prop::collection::vec((word, gap), 0..30).prop_map(|parts| {
        parts
            .into_iter()
            .flat_map(|(word, gap)| [word, gap])
            .collect()
    })
}

proptest! {
    #[test]
    fn spans_are_words_of_the_text(text in prop_oneof![any::<String>(), wordy()], day in 0_i32..800_000) {
        let today = NaiveDate::from_num_days_from_ce_opt(365 + day).unwrap();
        let mut last = 0;
        for mention in find(&text, today) {
            prop_assert_eq!(&text[mention.span.clone()], mention.words.as_str());
            prop_assert!(text.is_char_boundary(mention.phrase.start));
            prop_assert!(mention.span.start >= last);
            last = mention.span.end;
            if let Ok(days) = mention.meaning {
                prop_assert!(days.start <= days.end);
            }
        }
    }
}

#[test]
fn parts_of_a_period() {
    check(&[
        ("before the end of March 2025", "..2025-03-31"),
        ("by the end of the month", "..2025-01-31"),
        ("until the end of last month", "..2024-12-31"),
        ("after the end of November", "2024-12-01.."),
        ("since the beginning of the week", "2025-01-13..2025-01-15"),
        ("before the start of December", "..2024-11-30"),
        (
            "from the middle of December to the end of December",
            "2024-12-11..2024-12-31",
        ),
        ("at the end of December", "2024-12-21..2024-12-31"),
        ("in early December", "2024-12-01..2024-12-10"),
        ("mid-December", "2024-12-11..2024-12-20"),
        ("late December shipments", "2024-12-01..2024-12-31"),
        ("the end of the report", ""),
        ("the end of the end of December", "2024-12-21..2024-12-31"),
    ]);
}

#[test]
fn parts_of_parts_end_soon() {
    assert!(find(&"the end of ".repeat(2_000), today()).is_empty());
}
