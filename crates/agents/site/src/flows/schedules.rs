//! Schedules: made, listed, paused and deleted in the person's words. What is missing is asked for.

use std::sync::Arc;

use agent_kit::UserInput;
use agent_kit::schedules::ScheduleError;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use contracts::schedules::{CreateSchedule, Schedule, ScheduleDelivery, ScheduleStatus};
use contracts::tools::LoggerSummary;
use graph::NodeResult;

use crate::{
    language::{
        is_cancel,
        schedules::{Change, Draft, Impossible, Lacks, ScheduleRequest, Which, schedule_request},
    },
    objection::objection,
    run::{Context, Node, site},
    state::{SiteState, SiteUpdate},
};

const NOTHING_SAVED: &str = "Nothing was saved.";

/// Whether a message is about schedules: a sentence of its own, or what was asked for.
pub(crate) fn is_about(state: &SiteState, message: &str) -> bool {
    if schedule_request(message).is_some() {
        return true;
    }
    state
        .schedule_draft
        .as_ref()
        .is_some_and(|draft| is_cancel(message) || draft.completed(message).is_some())
}

pub(crate) async fn schedules(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let said = match &node.run().message {
        UserInput::Text(text) => answer(&node, &state, text).await,
        UserInput::SelectionOutput { .. } => Ok(String::new()),
    };
    let text = said.unwrap_or_else(|error| error.to_string());
    node.say_in_step(&text).await;
    Ok(node.done())
}

async fn answer(node: &Node, state: &SiteState, text: &str) -> Result<String, ScheduleError> {
    let open = state.schedule_draft.as_deref();
    match schedule_request(text) {
        Some(ScheduleRequest::Create(draft)) => make(node, state, continued(*draft, open)).await,
        Some(ScheduleRequest::Impossible(why)) => {
            // "At 7, the briefing" answers what was asked for.
            if let (Impossible::Once(_), Some(Ok(draft))) =
                (&why, open.and_then(|draft| draft.completed(text)))
            {
                return make(node, state, draft).await;
            }
            Ok(format!("{} {NOTHING_SAVED}", impossible(&why)))
        }
        Some(ScheduleRequest::List) => {
            let all = node.run().schedules.list().await?;
            Ok(listed(&all))
        }
        Some(ScheduleRequest::Change(change, which)) => {
            let all = node.run().schedules.list().await?;
            match chosen(&all, &which) {
                Ok(found) => changed(node, change, &found).await,
                Err(why) => Ok(why),
            }
        }
        None => match open.and_then(|draft| draft.completed(text)) {
            Some(Ok(draft)) => make(node, state, draft).await,
            Some(Err(why)) => Ok(format!("{} Say it again, or \"cancel\".", impossible(&why))),
            None => {
                node.update(SiteUpdate::ScheduleDraft(None));
                Ok(NOTHING_SAVED.to_owned())
            }
        },
    }
}

/// A sentence without a question ("every 2 hours to ops@example.com") is about the question that is
/// open.
fn continued(mut draft: Draft, open: Option<&Draft>) -> Draft {
    let open = open.filter(|open| open.question.is_some());
    if let Some(open) = open
        && draft.question.is_none()
        && draft.alert.is_none()
    {
        draft.question.clone_from(&open.question);
        draft.delivery = draft.delivery.or_else(|| open.delivery.clone());
    }
    draft
}

/// Creates the schedule, or asks for what is missing.
async fn make(node: &Node, state: &SiteState, mut draft: Draft) -> Result<String, ScheduleError> {
    let known = site(node.run(), state).await;
    if let Some(unknown) = named(&mut draft, &known.loggers) {
        node.update(SiteUpdate::ScheduleDraft(None));
        return Ok(unknown);
    }
    if let Some(question) = &draft.question
        && let Some(objection) = objection(question, known, node.run().now, node.has_model())
    {
        node.update(SiteUpdate::ScheduleDraft(None));
        return Ok(format!(
            "The question \"{question}\" {}. So nothing was saved.",
            objection.reason
        ));
    }
    let lacks = draft.lacks();
    if !lacks.is_empty() {
        // Who may have no schedule is not asked for the rest of it.
        node.run().schedules.list().await?;
        let question = question(&draft, &lacks);
        node.update(SiteUpdate::ScheduleDraft(Some(Box::new(draft))));
        return Ok(question);
    }
    let zone = zone(node, state).await;
    let timing = draft.timing(zone.name());
    let Some(delivery) = draft.delivery.clone() else {
        return Ok(question(&draft, &[Lacks::Delivery]));
    };
    let wanted = CreateSchedule {
        title: None,
        question: draft.question.clone(),
        assistant: None,
        timing,
        alert: draft.alert.clone(),
        delivery,
    };
    let made = match node.run().schedules.create(wanted).await {
        Ok(made) => made,
        Err(ScheduleError::Other(reason)) => {
            node.update(SiteUpdate::ScheduleDraft(None));
            return Ok(format!("That was not saved. {reason}"));
        }
        Err(ScheduleError::Address(reason)) => {
            // A wrong address can be given again.
            let kept = Draft {
                delivery: None,
                ..draft
            };
            node.update(SiteUpdate::ScheduleDraft(Some(Box::new(kept))));
            return Ok(format!(
                "That was not saved. {reason} Give another address, or say \"cancel\"."
            ));
        }
    };
    node.update(SiteUpdate::ScheduleDraft(None));
    Ok(saved(&made))
}

/// Puts the ids of the devices and sites that the person named in place of their words, or says
/// that there are none of these words.
fn named(draft: &mut Draft, loggers: &[LoggerSummary]) -> Option<String> {
    let alert = draft.alert.as_mut()?;
    if let Some(word) = alert.logger_id.take() {
        let whole = |logger: &&LoggerSummary| logger.logger_id.eq_ignore_ascii_case(&word);
        let lower = word.to_lowercase();
        let parts: Vec<&LoggerSummary> = loggers
            .iter()
            .filter(|logger| logger.logger_id.to_lowercase().contains(&lower))
            .collect();
        let at_site = |logger: &&LoggerSummary| {
            logger.site_id.eq_ignore_ascii_case(&word)
                || logger.site_name.eq_ignore_ascii_case(&word)
        };
        let part = parts.first().copied().filter(|_| parts.len() == 1);
        match (
            loggers.iter().find(whole).or(part),
            loggers.iter().find(at_site),
        ) {
            (Some(one), _) => alert.logger_id = Some(one.logger_id.clone()),
            (None, Some(one)) => alert.site_id = Some(one.site_id.clone()),
            (None, None) => {
                return Some(format!(
                    "There is no single device or site that is called {word}, so nothing was saved. \"Which devices are there?\" lists them."
                ));
            }
        }
    }
    if let Some(word) = &alert.site_id {
        let same = |logger: &&LoggerSummary| {
            logger.site_id.eq_ignore_ascii_case(word) || logger.site_name.eq_ignore_ascii_case(word)
        };
        let Some(found) = loggers.iter().find(same) else {
            return Some(format!(
                "There is no site {word}, so nothing was saved. \"Which devices are there?\" lists sites and devices."
            ));
        };
        alert.site_id = Some(found.site_id.clone());
    }
    None
}

/// The clock of the person; where it is not known, that of the devices.
async fn zone(node: &Node, state: &SiteState) -> Tz {
    let persons = state.flow_context.user_timezone.as_deref();
    match persons.and_then(|zone| zone.parse().ok()) {
        Some(zone) => zone,
        None => site(node.run(), state).await.zone,
    }
}

/// Why there cannot be such a schedule, and what there can be.
fn impossible(why: &Impossible) -> String {
    match why {
        Impossible::Zone(zone) => format!(
            "I know no single time zone by the name \"{zone}\". Name it as in \"at 7 Asia/Tokyo\", or by a city that it is named after, as in \"at 7 in Tokyo\"."
        ),
        Impossible::Interval(interval) => format!(
            "A question is asked at one time of day, or in an interval of 15 minutes to 12 hours, every day or on days of the week, and not {interval}. Say for example \"every morning at 7 the briefing to me@example.com\", \"every Monday at 8 …\" or \"every 2 hours between 8 and 18 …\"; for other times make a schedule for each. To hear of a failure within minutes, say \"tell me when a device is out for an hour\"."
        ),
        Impossible::Hours(said) => format!(
            "I don't understand the hours \"{said}\". Say them as in \"every 2 hours between 8 and 18\", within one day."
        ),
        Impossible::Time(said) => format!(
            "\"{said}\" is not a time of day that I understand. Say it as in \"at 6:30\", \"at 18:30\" or \"at half past six\"."
        ),
        Impossible::Once(said) => format!(
            "A schedule comes again, and \"{said}\" does not say on which days. Say \"every day {said} …\" or \"every Monday {said} …\"."
        ),
        Impossible::Duration(said) => format!(
            "I don't know how long \"{said}\" is. Say it in minutes, hours or days, as in \"for 90 minutes\"."
        ),
        Impossible::Share(said) => format!(
            "I don't understand \"{said}\" of the forecast. Say a percentage, as in \"less than 70 % of the forecast\"."
        ),
    }
}

fn question(draft: &Draft, lacks: &[Lacks]) -> String {
    let what = match (&draft.alert, &draft.question) {
        (Some(alert), _) => format!("I can tell you when {}. ", alert.words()),
        (None, Some(question)) => format!("I can send \"{question}\" to you regularly. "),
        (None, None) => String::new(),
    };
    let asked = match lacks.first() {
        Some(Lacks::Question) => {
            "What should be sent? For example \"the morning briefing\" or \"the energy of yesterday per device\"."
        }
        Some(Lacks::Time) => "At what time of the day? For example \"at 7:00\".",
        _ => "Where should it go? Give one e-mail address, or the https address of a webhook.",
    };
    format!("{what}{asked}")
}

fn saved(made: &Schedule) -> String {
    let number = made.number;
    let to = target(&made.delivery);
    let what = match (&made.question, &made.timing, &made.alert) {
        (Some(question), Some(timing), _) => {
            let first = made
                .next_at
                .map(|at| format!(" The first one comes on {}.", moment(at, &timing.timezone)))
                .unwrap_or_default();
            format!(
                "Saved: {}, the answer to \"{question}\" goes to {to}.{first}",
                timing.words()
            )
        }
        (_, _, Some(alert)) => format!(
            "Saved: when {}, a message goes to {to}, and another one when it is over.",
            alert.words()
        ),
        _ => format!("Saved: \"{}\" goes to {to}.", made.title),
    };
    let secret = match &made.delivery {
        ScheduleDelivery::Webhook { .. } => format!(
            " Signatures are verified with the secret that `heliograph schedules secret {}` shows.",
            made.schedule_id
        ),
        ScheduleDelivery::Email { .. } => String::new(),
    };
    format!(
        "{what}{secret}\n\nIt is schedule {number}: \"send schedule {number} now\" tries it, \"pause schedule {number}\" and \"delete schedule {number}\" stop it."
    )
}

fn target(delivery: &ScheduleDelivery) -> String {
    match delivery {
        ScheduleDelivery::Email { to } => to.clone(),
        ScheduleDelivery::Webhook { url } => format!("the webhook {url}"),
    }
}

fn moment(at: DateTime<Utc>, zone: &str) -> String {
    let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
    at.with_timezone(&zone)
        .format("%-d %B %Y, %H:%M")
        .to_string()
}

fn listed(all: &[Schedule]) -> String {
    if all.is_empty() {
        return "Nothing is scheduled. Say for example \"every morning at 7 the briefing to me@example.com\", or \"tell me when a device is out for an hour\".".to_owned();
    }
    let mut lines = vec!["Your schedules:".to_owned(), String::new()];
    for schedule in all {
        let when = match (&schedule.timing, &schedule.alert) {
            (Some(timing), _) => timing.words(),
            (None, Some(alert)) => format!("when {}", alert.words()),
            (None, None) => String::new(),
        };
        let state = match schedule.status {
            ScheduleStatus::Active => match (&schedule.timing, schedule.next_at) {
                (Some(timing), Some(next)) => {
                    format!("next on {}", moment(next, &timing.timezone))
                }
                _ if schedule.open_events.is_empty() => "nothing to report".to_owned(),
                _ => schedule.open_events.join(" "),
            },
            ScheduleStatus::Paused => "paused".to_owned(),
            ScheduleStatus::Stopped => "stopped".to_owned(),
        };
        let note = schedule
            .note
            .as_ref()
            .map(|note| format!(" ({note})"))
            .unwrap_or_default();
        lines.push(format!(
            "- Schedule {}, {}: {when}, to {}; {state}{note}",
            schedule.number,
            schedule.title,
            target(&schedule.delivery)
        ));
    }
    lines.push(String::new());
    let number = all[0].number;
    lines.push(format!(
        "\"Pause schedule {number}\", \"delete schedule {number}\" and \"send schedule {number} now\" do what they say."
    ));
    lines.join("\n")
}

/// Changes each schedule, and says so. What was done before a failure is said, too.
async fn changed(
    node: &Node,
    change: Change,
    found: &[&Schedule],
) -> Result<String, ScheduleError> {
    let mut said = Vec::new();
    for one in found {
        match changed_one(node, change, one).await {
            Ok(done) => said.push(done),
            Err(error) if said.is_empty() => return Err(error),
            Err(error) => {
                said.push(format!("\"{}\" is not changed. {error}", one.title));
                break;
            }
        }
    }
    Ok(said.join("\n\n"))
}

async fn changed_one(node: &Node, change: Change, one: &Schedule) -> Result<String, ScheduleError> {
    let schedules = &node.run().schedules;
    let (id, title, number) = (one.schedule_id.as_str(), &one.title, one.number);
    Ok(match change {
        Change::Pause => {
            schedules.pause(id, true).await?;
            format!("\"{title}\" is paused. \"Resume schedule {number}\" continues it.")
        }
        Change::Resume => {
            schedules.pause(id, false).await?;
            format!("\"{title}\" works again.")
        }
        Change::Delete => {
            schedules.delete(id).await?;
            format!("\"{title}\" is deleted. Nothing of it is sent any more.")
        }
        Change::SendNow => schedules.send_now(id).await?,
    })
}

/// The schedules that the person refers to, or a sentence that says why they are not known.
fn chosen<'a>(all: &'a [Schedule], which: &Which) -> Result<Vec<&'a Schedule>, String> {
    if all.is_empty() {
        return Err("Nothing is scheduled.".to_owned());
    }
    let none = || "There is no such schedule. \"Show my schedules\" lists them.".to_owned();
    match which {
        Which::Numbers(numbers) => {
            let of = |number: &u32| all.iter().find(|schedule| schedule.number == *number);
            let found: Option<Vec<&Schedule>> = numbers.iter().map(of).collect();
            found.ok_or_else(|| match numbers.as_slice() {
                [_] => none(),
                _ => "One of these numbers is of no schedule, so nothing was done. \"Show my schedules\" lists them.".to_owned(),
            })
        }
        Which::All { alerts } => {
            let found: Vec<&Schedule> = all
                .iter()
                .filter(|schedule| !alerts || schedule.alert.is_some())
                .collect();
            if found.is_empty() {
                return Err("There is no alert. \"Show my schedules\" lists what there is.".to_owned());
            }
            Ok(found)
        }
        Which::Words { words, alerts } => {
            let is_meant = |schedule: &&Schedule| {
                let title = schedule.title.to_lowercase();
                (!alerts || schedule.alert.is_some())
                    && words.iter().all(|word| title.contains(word.as_str()))
            };
            let found: Vec<&Schedule> = all.iter().filter(is_meant).collect();
            match found.len() {
                0 => Err(none()),
                1 => Ok(found),
                several => Err(format!(
                    "Which of the {several} schedules do you mean? \"Show my schedules\" lists them with their numbers."
                )),
            }
        }
        Which::Unclear => Err(
            "Schedules are named by their numbers, such as \"schedules 1 and 3\", without a condition. Nothing was done. \"Show my schedules\" lists them.".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schedule(number: u32, title: &str) -> Schedule {
        serde_json::from_value(json!({
            "schedule_id": format!("id-{number}"), "number": number, "title": title, "question": "Morning briefing",
            "assistant": "site", "timing": { "time": "07:00", "timezone": "UTC" }, "alert": null,
            "delivery": { "channel": "email", "to": "ops@example.com" }, "status": "paused", "note": null,
            "next_at": null, "created_at": "2026-06-01T10:00:00Z", "open_events": [],
        }))
        .unwrap()
    }

    #[test]
    fn a_number_stays_with_its_schedule_when_another_one_is_deleted() {
        let all = [schedule(1, "First"), schedule(3, "Third")];
        let of = |numbers: &[u32]| {
            let found = chosen(&all, &Which::Numbers(numbers.to_vec()));
            found.map(|all| all.iter().map(|one| one.title.as_str()).collect::<Vec<_>>())
        };
        assert_eq!(of(&[1]).unwrap(), ["First"]);
        assert_eq!(of(&[3, 1]).unwrap(), ["Third", "First"]);
        assert!(of(&[2]).unwrap_err().contains("no such schedule"));
        assert!(of(&[1, 2]).unwrap_err().contains("nothing was done"));
        let listed = listed(&all[1..]);
        assert!(
            listed.contains(
                "\n- Schedule 3, Third: every day at 07:00 (UTC), to ops@example.com; paused\n"
            ),
            "{listed}"
        );
        assert!(listed.contains("\"delete schedule 3\""), "{listed}");
        assert!(saved(&all[1]).contains("It is schedule 3:"));
    }

    #[test]
    fn all_are_all_and_alerts_are_alerts() {
        let mut alert = schedule(2, "A device is out");
        alert.alert = serde_json::from_value(json!({ "kind": "device_out" })).unwrap();
        let all = [
            schedule(1, "Health of all inverters"),
            alert,
            schedule(3, "Briefing"),
        ];
        let numbers = |which: Which| {
            chosen(&all, &which).map(|found| found.iter().map(|one| one.number).collect::<Vec<_>>())
        };
        assert_eq!(numbers(Which::All { alerts: false }).unwrap(), [1, 2, 3]);
        assert_eq!(numbers(Which::All { alerts: true }).unwrap(), [2]);
        let words = |alerts| Which::Words {
            words: Vec::new(),
            alerts,
        };
        assert_eq!(numbers(words(true)).unwrap(), [2]);
        assert!(
            numbers(words(false))
                .unwrap_err()
                .contains("Which of the 3")
        );
        assert!(
            numbers(Which::Unclear)
                .unwrap_err()
                .contains("Nothing was done")
        );
    }
}
