use contracts::tools::AlertKind;

use super::*;

mod intervals;

fn draft(message: &str) -> Draft {
    match schedule_request(message) {
        Some(ScheduleRequest::Create(draft)) => *draft,
        other => panic!("{message}: {other:?}"),
    }
}

/// The draft after an answer that adds to it.
fn answered(draft: &Draft, answer: &str) -> Draft {
    draft.completed(answer).unwrap().unwrap()
}

fn impossible(message: &str) -> Impossible {
    match schedule_request(message) {
        Some(ScheduleRequest::Impossible(why)) => why,
        other => panic!("{message}: {other:?}"),
    }
}

fn email(to: &str) -> ScheduleDelivery {
    ScheduleDelivery::Email { to: to.to_owned() }
}

#[test]
fn the_briefing_every_morning_is_whole() {
    let read = draft("every morning at 7 the briefing to ops@example.com");
    assert_eq!(read.question.as_deref(), Some("Morning briefing"));
    assert_eq!(read.time.as_deref(), Some("07:00"));
    assert_eq!((read.days.len(), read.lacks()), (0, vec![]));
    assert_eq!(read.delivery, Some(email("ops@example.com")));
}

#[test]
fn a_time_is_read_in_the_forms_of_people() {
    for (message, time) in [
        ("Every morning at 7 send the briefing to a@b.ch", "07:00"),
        ("Send me the briefing every day at 6:30 to a@b.ch", "06:30"),
        (
            "Please mail the briefing to a@b.ch each evening at 7",
            "19:00",
        ),
        ("every weekday at 7 pm send the briefing to a@b.ch", "19:00"),
        ("daily at noon, e-mail the briefing to a@b.ch", "12:00"),
        ("every day at 18.45 the briefing to a@b.ch", "18:45"),
        (
            "Every night at 11 o'clock mail the briefing to a@b.ch",
            "23:00",
        ),
        (
            "every day at 7 in the evening send the briefing to a@b.ch",
            "19:00",
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
}

#[test]
fn days_are_those_that_are_named() {
    use Weekday::{Friday, Monday, Saturday, Sunday};
    let days = |message: &str| draft(message).days;
    assert_eq!(
        days("Every Monday and Friday at 8 send the briefing to a@b.ch"),
        [Monday, Friday]
    );
    assert_eq!(
        days("on weekends at 9 mail the briefing to a@b.ch"),
        [Saturday, Sunday]
    );
    assert_eq!(
        days("every weekday at 7 the briefing to a@b.ch"),
        Weekday::ALL[..5]
    );
}

#[test]
fn any_question_can_be_asked() {
    for (message, question) in [
        (
            "Every Monday at 8 send me the energy of last week per device to a@b.ch",
            "Energy of last week per device",
        ),
        (
            "every day at 20:00 send the health check of all devices to https://example.com/hook",
            "Health check of all devices",
        ),
    ] {
        assert_eq!(draft(message).question.as_deref(), Some(question));
    }
}

#[test]
fn a_zone_is_taken_when_it_is_named() {
    let read = draft("every day at 7 America/New_York the briefing to a@b.ch");
    assert_eq!(read.timezone.as_deref(), Some("America/New_York"));
    assert_eq!(read.question.as_deref(), Some("Morning briefing"));
}

#[test]
fn what_is_missing_is_asked_for_and_answered() {
    let read = draft("send me the briefing every morning");
    assert_eq!(read.lacks(), [Lacks::Time, Lacks::Delivery]);
    let read = answered(&read, "at 7");
    assert_eq!(read.time.as_deref(), Some("07:00"));
    let read = answered(&read, "to ops@example.com please");
    assert_eq!(read.lacks(), []);
    let evening = draft("mail it to a@b.ch every evening");
    assert_eq!(evening.lacks(), [Lacks::Question, Lacks::Time]);
    let evening = answered(&evening, "the financial report of this week");
    assert_eq!(
        evening.question.as_deref(),
        Some("Financial report of this week")
    );
    assert_eq!(answered(&evening, "7:30").time.as_deref(), Some("19:30"));
    assert_eq!(evening.completed("how is the fleet?"), None);
}

#[test]
fn alerts_are_read_with_their_limits() {
    let alert = |message: &str| draft(message).alert.unwrap();
    let out = alert("tell me when a device is out for an hour");
    assert_eq!((out.kind, out.minutes), (AlertKind::DeviceOut, Some(60)));
    let out =
        alert("Alert ops@example.com if inverter INV-3 goes offline for more than 30 minutes");
    assert_eq!(
        (out.minutes, out.logger_id.as_deref()),
        (Some(30), Some("INV-3"))
    );
    let out = alert("Let me know as soon as an inverter stops working");
    assert_eq!((out.kind, out.minutes), (AlertKind::DeviceOut, None));
    let silent = alert("notify me if there is no data for 3 hours");
    assert_eq!((silent.kind, silent.hours), (AlertKind::NoData, Some(3)));
    let silent = alert("mail a@b.ch when the site north sends no data for half a day");
    assert_eq!(
        (silent.hours, silent.site_id.as_deref()),
        (Some(12), Some("north"))
    );
    let low = alert("warn me when a device delivers less than 70 % of the forecast");
    assert_eq!((low.kind, low.percent), (AlertKind::LowEnergy, Some(70)));
    let low = alert("tell me when the energy of a day is below expectation");
    assert_eq!((low.kind, low.percent), (AlertKind::LowEnergy, None));
}

#[test]
fn an_alert_is_never_about_more_than_was_named() {
    for (message, named) in [
        ("alert me when LTI fails", Some("lti")),
        ("tell me when LIN-INV-2 goes down", Some("lin-inv-2")),
        (
            "notify me if the energy of meier is below 80 % of the forecast",
            Some("meier"),
        ),
        (
            "tell me when there is no data from LTI for 2 hours",
            Some("lti"),
        ),
        (
            "tell me when LTI's production falls below the forecast",
            Some("lti"),
        ),
        ("tell me when any of my devices is out", None),
        (
            "warn me when the energy of a day is below the forecast",
            None,
        ),
        ("tell me when one of the inverters stops working", None),
        ("tell me when there is no data for 2 hours", None),
        ("mail a@b.ch when a device sends no data for 3 hours", None),
    ] {
        let alert = draft(message).alert.unwrap();
        assert_eq!(alert.logger_id.as_deref(), named, "{message}");
    }
}

#[test]
fn two_times_of_a_day_are_asked_for_again() {
    let read = draft("every morning at 7 and at 19 the briefing to a@b.ch");
    assert_eq!(read.question.as_deref(), Some("Morning briefing"));
    assert_eq!(read.lacks(), [Lacks::Time]);
    // A figure behind "at" is not a time.
    let read = draft("every morning at 7 the devices at 80 percent to a@b.ch");
    assert_eq!(read.question.as_deref(), Some("Devices at 80 percent"));
    assert_eq!(read.time.as_deref(), Some("07:00"));
}

#[test]
fn other_times_are_no_answer_to_what_is_missing() {
    let read = draft("every morning at 7 the briefing");
    for (answer, interval) in [
        ("every 5 minutes the briefing to a@b.ch", "every 5 minutes"),
        ("monthly to a@b.ch", "monthly"),
        ("Weekly", "weekly"),
    ] {
        let why = Impossible::Interval(interval.to_owned());
        assert_eq!(read.completed(answer), Some(Err(why)), "{answer}");
    }
    assert_eq!(read.completed("the energy of every month"), None);
    // Its time is there.
    let another = "every hour the energy of yesterday to https://example.com/x";
    assert_eq!(read.completed(another), None);
    assert!(read.completed("to a@b.ch").is_some());
}

#[test]
fn intervals_that_there_are_not_are_named() {
    for (message, interval) in [
        ("every minute the briefing to a@b.ch", "every minute"),
        ("Every 10 minutes send me the briefing", "every 10 minutes"),
        ("every 13 hours the briefing", "every 13 hours"),
        ("every few hours the briefing", "every few hours"),
        (
            "send the briefing every other day at 7 to a@b.ch",
            "every other day",
        ),
        (
            "mail me the briefing every second Monday at 8",
            "every second monday",
        ),
        ("send the briefing to a@b.ch once a week", "once a week"),
        ("Send the briefing to a@b.ch twice a day", "twice a day"),
        ("please send me the briefing every month", "every month"),
    ] {
        let why = Impossible::Interval(interval.to_owned());
        assert_eq!(impossible(message), why, "{message}");
    }
    // An interval of the question is none of the sending.
    let read = draft("every day at 7 send the energy of every hour to a@b.ch");
    assert_eq!(read.question.as_deref(), Some("Energy of every hour"));
    let daily = draft("once a day at 7 send the briefing to a@b.ch");
    assert_eq!((daily.days.len(), daily.lacks()), (0, vec![]));
}

#[test]
fn a_zone_is_that_of_the_place_that_is_named() {
    for (message, zone) in [
        (
            "every morning at 7 in Tokyo the briefing to a@b.ch",
            "Asia/Tokyo",
        ),
        (
            "every morning at 7 in tokyo the briefing to a@b.ch",
            "Asia/Tokyo",
        ),
        (
            "every morning at 7 Tokyo time the briefing to a@b.ch",
            "Asia/Tokyo",
        ),
        (
            "every morning in Tokyo at 7 the briefing to a@b.ch",
            "Asia/Tokyo",
        ),
        (
            "every morning at 7 (Tokyo) the briefing to a@b.ch",
            "Asia/Tokyo",
        ),
        (
            "every morning at 7 local time in New York the briefing to a@b.ch",
            "America/New_York",
        ),
        (
            "every day at 7 am in the time zone Europe/Zurich the briefing to a@b.ch",
            "Europe/Zurich",
        ),
        (
            "every day at 7 (europe/zurich) the briefing to a@b.ch",
            "Europe/Zurich",
        ),
        (
            "every day at 7 o'clock in Zürich the briefing to a@b.ch",
            "Europe/Zurich",
        ),
        ("every day at 7 UTC the briefing to a@b.ch", "UTC"),
        ("every day at 7 CEST the briefing to a@b.ch", "CET"),
        (
            "every day at 7 PST, the briefing to a@b.ch",
            "America/Los_Angeles",
        ),
        ("every day at 7 in Japan the briefing to a@b.ch", "Japan"),
        (
            "send the briefing to a@b.ch every day at 7, Sydney time",
            "Australia/Sydney",
        ),
        (
            "send the briefing to a@b.ch every day at 7, time zone Singapore",
            "Singapore",
        ),
    ] {
        let read = draft(message);
        assert_eq!(
            read.timezone
                .map(|zone| zone.parse::<chrono_tz::Tz>().unwrap()),
            zone.parse().ok(),
            "{message}"
        );
        assert_eq!(read.time.as_deref(), Some("07:00"), "{message}");
        assert_eq!(
            read.question.as_deref(),
            Some("Morning briefing"),
            "{message}"
        );
    }
}

#[test]
fn a_zone_that_there_is_not_is_refused_and_none_is_not_guessed() {
    for (message, said) in [
        (
            "every morning at 7 in Springfield the briefing to a@b.ch",
            "Springfield",
        ),
        ("every morning at 7 IST the briefing to a@b.ch", "IST"),
        ("every morning at 7 UTC+2 the briefing to a@b.ch", "UTC+2"),
        (
            "every morning at 7 Europe/Atlantis the briefing to a@b.ch",
            "Europe/Atlantis",
        ),
        (
            "every morning at 7 the briefing to a@b.ch, time zone Mars",
            "Mars",
        ),
    ] {
        assert_eq!(
            impossible(message),
            Impossible::Zone(said.to_owned()),
            "{message}"
        );
    }
    let read = draft("every morning the briefing to a@b.ch");
    assert_eq!(
        answered(&read, "at 7 in Tokyo").timezone.as_deref(),
        Some("Asia/Tokyo")
    );
    assert_eq!(
        answered(&read, "7:30 Tokyo time").time.as_deref(),
        Some("07:30")
    );
    let why = Impossible::Zone("Springfield".to_owned());
    assert_eq!(read.completed("at 7 in Springfield"), Some(Err(why)));
    for message in [
        "every morning at 7 the energy of yesterday in kWh to a@b.ch",
        "every morning at 7 the energy at the time of the peak to a@b.ch",
        "every morning at 7 local time the briefing to a@b.ch",
    ] {
        assert_eq!(draft(message).timezone, None, "{message}");
    }
    let read = draft("every morning at 7 local time the briefing to a@b.ch");
    assert_eq!(read.question.as_deref(), Some("Morning briefing"));
}

#[test]
fn schedules_are_listed_and_changed() {
    for message in [
        "show my schedules",
        "List my alerts",
        "my schedules",
        "What is scheduled?",
    ] {
        assert_eq!(
            schedule_request(message),
            Some(ScheduleRequest::List),
            "{message}"
        );
    }
    for (message, change, which) in [
        ("delete schedule 2", Change::Delete, Which::Numbers(vec![2])),
        ("Stop alert 1.", Change::Delete, Which::Numbers(vec![1])),
        (
            "pause the schedule",
            Change::Pause,
            Which::Words {
                words: vec![],
                alerts: false,
            },
        ),
        ("resume schedule 3", Change::Resume, Which::Numbers(vec![3])),
        (
            "send schedule 1 now",
            Change::SendNow,
            Which::Numbers(vec![1]),
        ),
        ("delete alert #12", Change::Delete, Which::Numbers(vec![12])),
        (
            "delete the alert for INV-003",
            Change::Delete,
            Which::Words {
                words: vec!["inv-003".to_owned()],
                alerts: true,
            },
        ),
        (
            "delete schedules 1 and 3",
            Change::Delete,
            Which::Numbers(vec![1, 3]),
        ),
        (
            "delete all schedules",
            Change::Delete,
            Which::All { alerts: false },
        ),
        (
            "pause all my alerts",
            Change::Pause,
            Which::All { alerts: true },
        ),
        ("delete schedule 3.5", Change::Delete, Which::Unclear),
        (
            "delete schedule 4 if it is broken",
            Change::Delete,
            Which::Unclear,
        ),
        (
            "delete the morning briefing schedule",
            Change::Delete,
            Which::Words {
                words: vec!["morning".to_owned(), "briefing".to_owned()],
                alerts: false,
            },
        ),
    ] {
        let read = schedule_request(message);
        assert_eq!(
            read,
            Some(ScheduleRequest::Change(change, which)),
            "{message}"
        );
    }
}

#[test]
fn a_limit_is_the_one_that_was_said() {
    for (said, minutes) in [
        ("an hour and a half", 90),
        ("3 weeks", 30_240),
        ("2 months", 86_400),
        ("90 seconds", 2),
        ("0 minutes", 0),
        ("99999 months", u32::MAX),
        ("1 hour and 20 minutes", 80),
        ("1 hour, 20 minutes", 80),
        ("an hour and twenty minutes", 80),
        ("1 h 20 min", 80),
        ("1h20", 80),
        ("1.5 hours", 90),
        ("two and a half hours", 150),
        ("a quarter of an hour", 15),
        ("1 day and 2 hours", 1_560),
    ] {
        let message = format!("Tell me when a device is out for {said} at ops@example.com");
        let Some(ScheduleRequest::Create(draft)) = schedule_request(&message) else {
            panic!("{message}");
        };
        assert_eq!(draft.alert.unwrap().minutes, Some(minutes), "{message}");
    }
    let longer = draft("tell me when a device is out longer than 2 hours");
    assert_eq!(longer.alert.unwrap().minutes, Some(120));
    for (message, said) in [
        (
            "tell me when a device is out for a couple of hours",
            "a couple of hours",
        ),
        (
            "tell me when there is no data from LTI for a while",
            "a while",
        ),
        ("tell me when a device is out for 1:20 hours", "1:20 hours"),
        ("tell me when a device is out for ages", "ages"),
        ("tell me when a device is out for 2 hours 30", "30"),
        ("tell me when a device is out for more than 30", "30"),
    ] {
        assert_eq!(
            impossible(message),
            Impossible::Duration(said.to_owned()),
            "{message}"
        );
    }
    for (message, percent) in [
        (
            "warn me when a device delivers less than half of the forecast",
            50,
        ),
        (
            "warn me when a device delivers less than three quarters of its forecast",
            75,
        ),
    ] {
        assert_eq!(
            draft(message).alert.unwrap().percent,
            Some(percent),
            "{message}"
        );
    }
    for (message, said) in [
        (
            "warn me when a device delivers less than 0.5 of the forecast",
            "0.5",
        ),
        (
            "warn me when a device delivers less than 20 kWh of the forecast",
            "20 kwh",
        ),
    ] {
        let why = Impossible::Share(said.to_owned());
        assert_eq!(impossible(message), why, "{message}");
    }
    let low = "notify me when the production is below 170 % of the forecast";
    let Some(ScheduleRequest::Create(draft)) = schedule_request(low) else {
        panic!("{low}");
    };
    assert_eq!(draft.alert.unwrap().percent, Some(170));
}

#[test]
fn of_several_addresses_none_is_taken() {
    let message = "every morning at 7 the briefing to ops@example.com and boss@example.com";
    let Some(ScheduleRequest::Create(draft)) = schedule_request(message) else {
        panic!("{message}");
    };
    assert_eq!(draft.lacks(), [Lacks::Delivery]);
    assert_eq!(draft.question.as_deref(), Some("Morning briefing"));
}

#[test]
fn questions_about_the_site_are_none() {
    for message in [
        "energy of every day in June",
        "Show me the energy each day of last week",
        "energy per day and every month",
        "Morning briefing",
        "do not send me the briefing every morning at 7 to ops@example.com",
        "I don't want the briefing every morning at 7",
        "tell me if a device is out",
        "Tell me when INV-1 was offline",
        "when was the device out for an hour?",
        "Which devices are offline?",
        "stop",
        "cancel",
        "What was the power at 7 every day?",
        "tell me about the alerts in the manual",
        "how much energy did we produce on weekdays?",
        "send",
        "How much does each device deliver every hour?",
        "hourly energy of yesterday",
        "Every hour of yesterday with its energy",
        "energy every 2 hours",
        "weekly energy per device",
        "show me the schedule of maintenance in the documents",
        "tell me once more what the energy was",
    ] {
        assert_eq!(schedule_request(message), None, "{message}");
    }
}
