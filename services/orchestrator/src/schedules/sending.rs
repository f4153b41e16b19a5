//! Delivering messages, until they are taken or given up.

use contracts::schedules::ScheduleDelivery;
use conversations::schedules::PendingMessage;
use delivery::{Failure, Outgoing, pause_after};
use service_kit::problem::chain;

use super::offer::webhook_name;
use super::rights::{self, NoRights};
use super::{metrics, stop_link};
use crate::state::State;

/// Sends a message once, and stores the result of the attempt. The same message may be sent twice,
/// if the process ends in between: its id says so to the receiver.
pub(super) async fn send(state: &State, message: &PendingMessage) {
    if message.attempts > 1 {
        // Hours may have passed.
        match rights::now(state, &message.owner).await {
            Ok(_caller) => {}
            Err(NoRights::Lost(reason)) => {
                metrics::stopped();
                let owner = &message.owner;
                let stopped = state
                    .store
                    .stop_schedule(owner, message.schedule_id, &reason);
                return log(stopped.await);
            }
            Err(NoRights::Unknown(reason)) => {
                return failed(state, message, &Failure::Passing(reason)).await;
            }
        }
    }
    let (channel, sent) = deliver(state, message).await;
    match sent {
        Ok(()) => {
            metrics::delivered(channel, metrics::SENT);
            log(state.store.message_sent(message, state.clock.now()).await);
        }
        Err(failure) => {
            metrics::delivered(channel, metrics::FAILED);
            failed(state, message, &failure).await;
        }
    }
}

async fn deliver(state: &State, message: &PendingMessage) -> (&'static str, Result<(), Failure>) {
    let id = message.id.to_string();
    let stop_link = match &message.delivery {
        ScheduleDelivery::Email { to } => stop_link::of_mail(state, message, to),
        ScheduleDelivery::Webhook { .. } => None,
    };
    let outgoing = Outgoing {
        stop_link: stop_link.as_deref(),
        id: &id,
        at: state.clock.now(),
        subject: &message.subject,
        text: &message.text,
        payload: &message.payload,
    };
    let unavailable = |what: &str| Failure::Passing(format!("{what} is not configured any more."));
    match &message.delivery {
        ScheduleDelivery::Email { to } => {
            let sent = match &state.delivery.mail {
                Some(mail) => mail.send(to, &outgoing).await,
                None => Err(unavailable("Mail")),
            };
            (metrics::EMAIL, sent)
        }
        ScheduleDelivery::Webhook { url } => {
            let of = webhook_name(&message.owner, message.schedule_id);
            let sent = match &state.delivery.webhooks {
                Some(webhooks) => webhooks.send(url, &of, &outgoing).await,
                None => Err(unavailable("The key of webhooks")),
            };
            (metrics::WEBHOOK, sent)
        }
    }
}

async fn failed(state: &State, message: &PendingMessage, failure: &Failure) {
    let pause = match failure {
        Failure::Passing(_) => pause_after(message.attempts),
        Failure::Lasting(_) => None,
    };
    let next = pause.map(|pause| state.clock.now() + pause);
    tracing::info!(
        message_id = %message.id, schedule_id = %message.schedule_id, attempts = message.attempts,
        again = next.is_some(), reason = %failure, "a message of a schedule was not delivered"
    );
    let reason = failure.to_string();
    let stored = state.store.message_failed(message, &reason, next);
    log(stored.await);
}

fn log(stored: Result<(), conversations::Error>) {
    if let Err(error) = stored {
        tracing::warn!(error = %chain(&error), "what came of a message cannot be stored; it is sent again");
    }
}
