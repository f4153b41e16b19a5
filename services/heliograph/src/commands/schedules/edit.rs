//! `heliograph schedules edit`: the change that its options request of a schedule.

use anyhow::bail;
use contracts::schedules::{Schedule, ScheduleDelivery, ScheduleTiming, UpdateSchedule};
use contracts::tools::AlertCondition;

use super::{kind, set_limit, weekday};
use crate::cli::EditSchedule;

/// The body of the change. Times and conditions are sent whole, with the parts that stay. An alert
/// that becomes a question is asked in this zone unless another one is given.
pub(super) fn change(
    before: &Schedule,
    edit: EditSchedule,
    zone: impl FnOnce() -> anyhow::Result<String>,
) -> anyhow::Result<UpdateSchedule> {
    let alert = alert(before, &edit)?;
    let timing = timing(before, &edit, zone)?;
    let change = UpdateSchedule {
        paused: None,
        title: edit.title,
        question: edit.question,
        assistant: edit.assistant,
        timing,
        alert,
        delivery: match (edit.email, edit.webhook) {
            (Some(to), _) => Some(ScheduleDelivery::Email { to }),
            (None, url) => url.map(|url| ScheduleDelivery::Webhook { url }),
        },
    };
    if change == UpdateSchedule::default() {
        bail!("Name at least one part to change, such as --at or --email.");
    }
    Ok(change)
}

fn timing(
    before: &Schedule,
    edit: &EditSchedule,
    zone: impl FnOnce() -> anyhow::Result<String>,
) -> anyhow::Result<Option<ScheduleTiming>> {
    let has_interval = edit.every.is_some() || edit.until.is_some() || edit.once;
    let stays = edit.at.is_none()
        && edit.days.is_empty()
        && !edit.every_day
        && edit.timezone.is_none()
        && !has_interval;
    if stays {
        return Ok(None);
    }
    let mut timing = match (&before.timing, &edit.at) {
        (Some(timing), _) => timing.clone(),
        (None, Some(time)) => ScheduleTiming {
            time: time.clone(),
            timezone: match &edit.timezone {
                Some(zone) => zone.clone(),
                None => zone()?,
            },
            ..ScheduleTiming::default()
        },
        (None, None) => bail!(
            "The schedule is an alert, which has no times. --question and --at make it a question."
        ),
    };
    if let Some(time) = &edit.at {
        timing.time.clone_from(time);
    }
    if edit.once {
        (timing.every_minutes, timing.until) = (None, None);
    }
    timing.every_minutes = edit.every.or(timing.every_minutes);
    if let Some(until) = &edit.until {
        timing.until = Some(until.clone());
    }
    if !edit.days.is_empty() || edit.every_day {
        timing.days = edit.days.iter().copied().map(weekday).collect();
    }
    if let Some(zone) = &edit.timezone {
        timing.timezone.clone_from(zone);
    }
    Ok(Some(timing))
}

fn alert(before: &Schedule, edit: &EditSchedule) -> anyhow::Result<Option<AlertCondition>> {
    let stays = edit.alert.is_none()
        && edit.limit.is_none()
        && edit.logger.is_none()
        && edit.site.is_none()
        && !edit.all_devices;
    if stays {
        return Ok(None);
    }
    let mut alert = match (&before.alert, edit.alert.map(kind)) {
        (Some(alert), None) => alert.clone(),
        (Some(alert), Some(kind)) if alert.kind == kind => alert.clone(),
        (Some(alert), Some(kind)) => AlertCondition {
            logger_id: alert.logger_id.clone(),
            site_id: alert.site_id.clone(),
            ..AlertCondition::of(kind)
        },
        (None, Some(kind)) => AlertCondition::of(kind),
        (None, None) => bail!("The schedule is a question. --alert makes it an alert."),
    };
    if let Some(limit) = edit.limit {
        set_limit(&mut alert, limit);
    }
    if edit.all_devices {
        (alert.logger_id, alert.site_id) = (None, None);
    }
    alert.logger_id = edit.logger.clone().or(alert.logger_id);
    alert.site_id = edit.site.clone().or(alert.site_id);
    Ok(Some(alert))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "a terminal may have none")]
    fn tokyo() -> anyhow::Result<String> {
        Ok("Asia/Tokyo".to_owned())
    }
    use crate::cli::{Condition, Day};

    fn schedule(task: &serde_json::Value) -> Schedule {
        let mut schedule = json!({
            "schedule_id": "s1", "number": 1, "title": "One", "question": null, "assistant": null, "timing": null, "alert": null,
            "delivery": { "channel": "email", "to": "a@example.com" }, "status": "active", "note": null, "next_at": null,
            "created_at": "2026-06-01T10:00:00Z", "open_events": [],
        });
        let members = task.as_object().unwrap().clone();
        schedule.as_object_mut().unwrap().extend(members);
        serde_json::from_value(schedule).unwrap()
    }

    fn sent(before: &Schedule, edit: EditSchedule) -> serde_json::Value {
        json!(change(before, edit, tokyo).unwrap())
    }

    #[test]
    fn the_parts_that_are_named_are_changed_and_the_others_stay() {
        let timing = json!({ "time": "07:00", "days": ["monday"], "timezone": "Asia/Tokyo" });
        let asked =
            schedule(&json!({ "question": "Briefing", "assistant": "site", "timing": timing }));
        let edit = || EditSchedule::default();
        let later = EditSchedule {
            at: Some("08:00".into()),
            ..edit()
        };
        assert_eq!(
            sent(&asked, later),
            json!({ "timing": { "time": "08:00", "days": ["monday"], "timezone": "Asia/Tokyo" } })
        );
        let daily = EditSchedule {
            every_day: true,
            email: Some("b@example.com".into()),
            ..edit()
        };
        assert_eq!(
            sent(&asked, daily),
            json!({
                "timing": { "time": "07:00", "days": [], "timezone": "Asia/Tokyo" },
                "delivery": { "channel": "email", "to": "b@example.com" },
            })
        );
        let sundays = EditSchedule {
            days: vec![Day::Sunday],
            ..edit()
        };
        assert_eq!(sent(&asked, sundays)["timing"]["days"], json!(["sunday"]));
        let often = EditSchedule {
            every: Some(120),
            until: Some("18:00".into()),
            ..edit()
        };
        let timing = sent(&asked, often)["timing"].clone();
        assert_eq!(
            timing,
            json!({
                "time": "07:00", "every_minutes": 120, "until": "18:00", "days": ["monday"], "timezone": "Asia/Tokyo",
            })
        );
        let often =
            schedule(&json!({ "question": "Briefing", "assistant": "site", "timing": timing }));
        let once = EditSchedule {
            once: true,
            ..edit()
        };
        assert_eq!(
            sent(&often, once)["timing"],
            json!({ "time": "07:00", "days": ["monday"], "timezone": "Asia/Tokyo" })
        );
        let out = EditSchedule {
            alert: Some(Condition::NoData),
            limit: Some(3),
            ..edit()
        };
        assert_eq!(
            sent(&asked, out),
            json!({ "alert": { "kind": "no_data", "hours": 3 } })
        );
        assert!(change(&asked, edit(), tokyo).is_err());
        assert!(
            change(
                &asked,
                EditSchedule {
                    limit: Some(3),
                    ..edit()
                },
                tokyo
            )
            .is_err()
        );
    }

    #[test]
    fn a_condition_keeps_its_devices_until_others_are_named() {
        let watched = schedule(
            &json!({ "alert": { "kind": "device_out", "minutes": 30, "logger_id": "INV-1" } }),
        );
        let edit = || EditSchedule::default();
        let sent = |edit| sent(&watched, edit)["alert"].clone();
        assert_eq!(
            sent(EditSchedule {
                limit: Some(90),
                ..edit()
            }),
            json!({ "kind": "device_out", "minutes": 90, "logger_id": "INV-1" })
        );
        assert_eq!(
            sent(EditSchedule {
                alert: Some(Condition::LowEnergy),
                all_devices: true,
                ..edit()
            }),
            json!({ "kind": "low_energy" })
        );
        let question = EditSchedule {
            question: Some("Briefing".into()),
            at: Some("07:00".into()),
            ..edit()
        };
        let change = change(&watched, question, tokyo).unwrap();
        assert_eq!(change.timing.unwrap().timezone, "Asia/Tokyo");
        assert!(
            super::change(
                &watched,
                EditSchedule {
                    every_day: true,
                    ..edit()
                },
                tokyo
            )
            .is_err()
        );
    }
}
