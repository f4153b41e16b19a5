//! The link in a mail that stops its schedule, for a recipient who cannot sign in.
//!
//! Its token is signed for one schedule and one recipient, and ends after a while. It says nothing
//! any more when the schedule is deleted or sends to another address.

use chrono::TimeDelta;
use contracts::schedules::{ScheduleDelivery, StopLink, StopToken, UseStopLink};
use conversations::Owner;
use conversations::schedules::PendingMessage;
use delivery::links::StopLinks;

use super::metrics;
use super::offer::{Refused, invalid, parse};
use crate::state::State;

/// Time for which the link of a mail is accepted.
const VALID: TimeDelta = TimeDelta::days(90);

/// The address that stops the schedule of a mail.
pub(super) fn of_mail(state: &State, message: &PendingMessage, to: &str) -> Option<String> {
    let links = state.delivery.stop_links.as_ref()?;
    let mut token = StopToken {
        tenant: message.owner.tenant.clone(),
        owner: message.owner.subject.clone(),
        schedule_id: message.schedule_id.simple().to_string(),
        expires_at: (state.clock.now() + VALID).timestamp(),
        signature: String::new(),
    };
    token.signature = links.sign(&signed(&token, to));
    Some(links.url(&token.to_string()))
}

fn signed(token: &StopToken, to: &str) -> String {
    format!("{}\n{to}", token.unsigned())
}

/// The schedule of a link, which is stopped if that is asked for.
pub(crate) async fn use_link(
    state: &State,
    owner: &Owner,
    wanted: &UseStopLink,
) -> Result<StopLink, Refused> {
    let wrong = || invalid("/token", "is not a link that stops a schedule");
    let links = state.delivery.stop_links.as_ref().ok_or_else(wrong)?;
    let token: StopToken = wanted.token.parse().map_err(|_error| wrong())?;
    if (&token.tenant, &token.owner) != (&owner.tenant, &owner.subject) {
        return Err(wrong());
    }
    let id = parse(&token.schedule_id)?;
    let schedule = state.store.schedule(owner, id).await?;
    let to = match &schedule.delivery {
        ScheduleDelivery::Email { to } if is_signed(links, &token, to) => to.clone(),
        _ => return Err(wrong()),
    };
    if token.expires_at < state.clock.now().timestamp() {
        return Err(invalid("/token", "is of a link that is too old"));
    }
    let mut status = schedule.status;
    if wanted.stop {
        let reason = format!("It was stopped by the link in a mail to {to}.");
        state.store.stop_schedule(owner, id, &reason).await?;
        metrics::stopped();
        status = state.store.schedule(owner, id).await?.status;
        tracing::info!(schedule_id = %id, "a schedule is stopped by the link in its mail");
    }
    Ok(StopLink {
        schedule_id: id.to_string(),
        title: schedule.title,
        recipient: to,
        status,
    })
}

fn is_signed(links: &StopLinks, token: &StopToken, to: &str) -> bool {
    links.is_signed(&signed(token, to), &token.signature)
}
