//! A person's schedules, as assistants see them: kept by the service, whose words for people the
//! errors have.

use async_trait::async_trait;
use contracts::schedules::{CreateSchedule, Schedule};

/// Why something of a schedule could not be done, in a sentence for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// Nothing can be sent to the address; another one may do.
    #[error("{0}")]
    Address(String),
    /// Any other reason.
    #[error("{0}")]
    Other(String),
}

/// The schedules of the person of a run.
#[async_trait]
pub trait Schedules: Send + Sync {
    /// Creates one. In a run that begins again the same request finds what was created before.
    async fn create(&self, wanted: CreateSchedule) -> Result<Schedule, ScheduleError>;

    /// All of them, the oldest first.
    async fn list(&self) -> Result<Vec<Schedule>, ScheduleError>;

    /// Pauses one, or continues it.
    async fn pause(&self, id: &str, paused: bool) -> Result<Schedule, ScheduleError>;

    /// Deletes one.
    async fn delete(&self, id: &str) -> Result<(), ScheduleError>;

    /// Sends one now. Returns what happens, in a sentence.
    async fn send_now(&self, id: &str) -> Result<String, ScheduleError>;
}

/// For runs where nothing can be scheduled.
#[derive(Debug, Clone, Copy)]
pub struct NoSchedules;

#[async_trait]
impl Schedules for NoSchedules {
    async fn create(&self, _wanted: CreateSchedule) -> Result<Schedule, ScheduleError> {
        Err(nothing())
    }

    async fn list(&self) -> Result<Vec<Schedule>, ScheduleError> {
        Err(nothing())
    }

    async fn pause(&self, _id: &str, _paused: bool) -> Result<Schedule, ScheduleError> {
        Err(nothing())
    }

    async fn delete(&self, _id: &str) -> Result<(), ScheduleError> {
        Err(nothing())
    }

    async fn send_now(&self, _id: &str) -> Result<String, ScheduleError> {
        Err(nothing())
    }
}

fn nothing() -> ScheduleError {
    ScheduleError::Other("Schedules are not available here.".to_owned())
}
