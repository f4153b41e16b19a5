//! Intervals within a day, and times in words.

use super::*;

#[test]
fn intervals_of_hours_and_minutes_are_read_with_their_limits() {
    for (message, minutes, from, until, days) in [
        ("every hour the power now to a@b.ch", 60, "00:00", None, 0),
        ("hourly, the power now to a@b.ch", 60, "00:00", None, 0),
        (
            "Every 2 hours between 8 and 18 the power now to a@b.ch",
            120,
            "08:00",
            Some("18:00"),
            0,
        ),
        (
            "every two hours from 8 to 6 on weekdays send the power now to a@b.ch",
            120,
            "08:00",
            Some("18:00"),
            5,
        ),
        (
            "on weekdays every 30 minutes the power now to a@b.ch",
            30,
            "00:00",
            None,
            5,
        ),
        (
            "send the power now to a@b.ch every half an hour between 6:30 and 9 pm",
            30,
            "06:30",
            Some("21:00"),
            0,
        ),
        (
            "every quarter of an hour the power now to a@b.ch",
            15,
            "00:00",
            None,
            0,
        ),
        (
            "every other hour the power now to a@b.ch",
            120,
            "00:00",
            None,
            0,
        ),
        (
            "every 1.5 hours starting at 6 the power now to a@b.ch",
            90,
            "06:00",
            None,
            0,
        ),
        (
            "twice an hour mail the power now to a@b.ch",
            30,
            "00:00",
            None,
            0,
        ),
        (
            "mail the power now to a@b.ch every 3 hours until noon from 6",
            180,
            "06:00",
            None,
            0,
        ),
    ] {
        let read = draft(message);
        assert_eq!(read.every_minutes, Some(minutes), "{message}");
        assert_eq!(
            (read.time.as_deref(), read.until.as_deref()),
            (Some(from), until),
            "{message}"
        );
        assert_eq!((read.days.len(), read.lacks()), (days, vec![]), "{message}");
        assert!(
            read.question.as_deref().unwrap().starts_with("Power now"),
            "{message}: {read:?}"
        );
    }
}

#[test]
fn an_interval_has_a_zone_and_answers_what_is_missing_and_its_hours_are_of_one_day() {
    let read = draft("every 2 hours in Tokyo send me the briefing");
    assert_eq!(read.lacks(), [Lacks::Delivery]);
    assert_eq!(read.timezone.as_deref(), Some("Asia/Tokyo"));
    // As an answer.
    let read = draft("send me the briefing every day");
    let read = answered(&read, "every 2 hours between 8 and 18 to a@b.ch");
    assert_eq!(
        (read.every_minutes, read.until.as_deref(), read.lacks()),
        (Some(120), Some("18:00"), vec![])
    );
    for (message, said) in [
        (
            "every 2 hours between 22 and 6 the briefing to a@b.ch",
            "between 22 and 6",
        ),
        (
            "every hour in the morning the briefing to a@b.ch",
            "in the morning",
        ),
        (
            "every hour during the day the briefing to a@b.ch",
            "during the day the briefing to",
        ),
        (
            "every hour from 8 to 25:00 the briefing to a@b.ch",
            "from 8 to 25:00",
        ),
    ] {
        let why = Impossible::Hours(said.to_owned());
        assert_eq!(impossible(message), why, "{message}");
    }
}

#[test]
fn times_in_words_are_read() {
    for (message, time) in [
        ("every day at half past six the briefing to a@b.ch", "06:30"),
        (
            "every evening at quarter to eight mail the briefing to a@b.ch",
            "19:45",
        ),
        (
            "every morning at a quarter past 7 the briefing to a@b.ch",
            "07:15",
        ),
        ("every day at ten to seven the briefing to a@b.ch", "06:50"),
        (
            "every day at twenty past seven pm the briefing to a@b.ch",
            "19:20",
        ),
        ("every day at seven the briefing to a@b.ch", "07:00"),
        ("every day at seven thirty the briefing to a@b.ch", "07:30"),
        ("every day at seven o'clock the briefing to a@b.ch", "07:00"),
        (
            "every day at quarter to one the briefing to a@b.ch",
            "12:45",
        ),
    ] {
        let read = draft(message);
        assert_eq!(read.time.as_deref(), Some(time), "{message}");
        assert_eq!(
            read.question.as_deref(),
            Some("Morning briefing"),
            "{message}"
        );
    }
    let read = draft("every evening the briefing to a@b.ch");
    for (answer, time) in [("half past six", "18:30"), ("at seven", "19:00")] {
        assert_eq!(answered(&read, answer).time.as_deref(), Some(time));
    }
    let site = draft("every day at 7 the energy at one site to a@b.ch");
    assert_eq!(site.question.as_deref(), Some("Energy at one site"));
}

#[test]
fn what_is_no_time_of_day_is_named() {
    for (message, said) in [
        ("every day at 25:00 the briefing to a@b.ch", "25:00"),
        ("every day at 7:75 the briefing to a@b.ch", "7:75"),
        ("every day at 13 pm the briefing to a@b.ch", "13 pm"),
        (
            "every day at half seven the briefing to a@b.ch",
            "half seven",
        ),
    ] {
        let why = Impossible::Time(said.to_owned());
        assert_eq!(impossible(message), why, "{message}");
    }
    let read = draft("every day the briefing to a@b.ch");
    let why = Impossible::Time("25:00".to_owned());
    assert_eq!(read.completed("at 25:00"), Some(Err(why)));
}

#[test]
fn a_time_without_days_does_not_come_again() {
    for (message, said) in [
        ("at 7 the briefing to ops@example.com", "at 7"),
        ("at 7 the briefing", "at 7"),
        ("tomorrow at 7:30 the briefing to a@b.ch", "at 7:30"),
        ("Mail me the briefing at half past six", "at 6:30"),
        ("at 7 send me the energy of yesterday", "at 7"),
    ] {
        let why = Impossible::Once(said.to_owned());
        assert_eq!(impossible(message), why, "{message}");
    }
    for message in [
        "what was the power at 7?",
        "At 7 yesterday, how much did INV-1 deliver?",
        "send me the power at 7 on 3 June",
        "at 7 to ops@example.com",
    ] {
        assert_eq!(schedule_request(message), None, "{message}");
    }
}
