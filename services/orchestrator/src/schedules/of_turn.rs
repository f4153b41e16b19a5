//! The schedules of the person of a turn, for assistants.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agent_kit::schedules::{ScheduleError, Schedules};
use async_trait::async_trait;
use contracts::schedules::{CreateSchedule, Schedule, UpdateSchedule};
use secrecy::ExposeSecret;

use super::{Refused, SCOPES, change, create, delete, list, send_now};
use crate::credentials::Caller;
use crate::state::State;

/// The schedules of one caller, in one run.
pub(crate) struct OfTurn {
    state: State,
    caller: Arc<Caller>,
    run_id: String,
    made: AtomicU32,
}

impl OfTurn {
    pub(crate) fn new(state: State, caller: Arc<Caller>, run_id: String) -> Self {
        Self {
            state,
            caller,
            run_id,
            made: AtomicU32::new(0),
        }
    }

    /// Refuses a caller without the scopes, as the operations do.
    async fn check(&self) -> Result<(), ScheduleError> {
        let unknown =
            || ScheduleError::Other("Your rights cannot be checked at the moment.".to_owned());
        let token = self.caller.token().await.map_err(|_error| unknown())?;
        let identity = self.state.verifier.verify(token.expose_secret()).await;
        let identity = identity.map_err(|_error| unknown())?;
        match SCOPES.iter().find(|scope| !identity.has_scope(scope)) {
            Some(scope) => Err(ScheduleError::Other(format!(
                "Schedules need the scope `{scope}`, which your account, or the API key that you use, does not have; an administrator can give it to you."
            ))),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Schedules for OfTurn {
    async fn create(&self, wanted: CreateSchedule) -> Result<Schedule, ScheduleError> {
        self.check().await?;
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let key = format!("run:{}:{number}", self.run_id);
        let made = create(&self.state, self.caller.owner(), wanted, Some(key)).await;
        made.map_err(|refused| said(&refused))
    }

    async fn list(&self) -> Result<Vec<Schedule>, ScheduleError> {
        self.check().await?;
        let all = list(&self.state, self.caller.owner()).await;
        all.map_err(|refused| said(&refused))
    }

    async fn pause(&self, id: &str, paused: bool) -> Result<Schedule, ScheduleError> {
        self.check().await?;
        let wanted = UpdateSchedule {
            paused: Some(paused),
            ..UpdateSchedule::default()
        };
        let changed = change(&self.state, self.caller.owner(), id, wanted).await;
        changed.map_err(|refused| said(&refused))
    }

    async fn delete(&self, id: &str) -> Result<(), ScheduleError> {
        self.check().await?;
        match delete(&self.state, self.caller.owner(), id).await {
            // It was deleted before the run began again.
            Ok(()) | Err(Refused::Stored(conversations::Error::NotFound)) => Ok(()),
            Err(refused) => Err(said(&refused)),
        }
    }

    async fn send_now(&self, id: &str) -> Result<String, ScheduleError> {
        self.check().await?;
        let sent = send_now(&self.state, self.caller.owner(), id).await;
        sent.map_err(|refused| said(&refused))
    }
}

fn said(refused: &Refused) -> ScheduleError {
    let reason = refused.for_people();
    if refused.is_about_the_address() {
        ScheduleError::Address(reason)
    } else {
        ScheduleError::Other(reason)
    }
}
