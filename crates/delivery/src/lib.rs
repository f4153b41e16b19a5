//! Sends a message out of the product, by a signed webhook or by mail.
//!
//! [`config`] says by which of the two, [`Delivery`] sends, and [`Failure`] says whether sending
//! again can help. When to send again is the caller's business ([`pause_after`]).
//!
//! Webhooks follow the [Standard Webhooks](https://www.standardwebhooks.com) specification. Their
//! addresses come from users, so [`addresses`] decides what may be reached, and redirects are not
//! followed.

pub mod addresses;
pub mod config;
pub mod links;
pub mod mail;
pub mod webhook;

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;

pub use config::DeliveryConfig;
use links::StopLinks;
use mail::Mailer;
use webhook::Webhooks;

/// A message on its way out.
#[derive(Debug, Clone)]
pub struct Outgoing<'a> {
    /// The id of the message, the same for each attempt: receivers recognise what they have.
    pub id: &'a str,
    /// The time of this attempt.
    pub at: DateTime<Utc>,
    /// The subject of a mail.
    pub subject: &'a str,
    /// The text of a mail.
    pub text: &'a str,
    /// The body of a webhook.
    pub payload: &'a Value,
    /// The address at which the recipient of a mail stops what sends it.
    pub stop_link: Option<&'a str>,
}

/// Why a message was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Another attempt may succeed.
    #[error("{0}")]
    Passing(String),
    /// No attempt will succeed.
    #[error("{0}")]
    Lasting(String),
}

/// Why the channels cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The HTTP client cannot be made.
    #[error("the HTTP client for webhooks cannot be made")]
    HttpClient(#[from] reqwest::Error),
    /// The connection to the mail server cannot be set up.
    #[error("the mail server `{host}` cannot be used")]
    Mail {
        /// The configured host.
        host: String,
        /// The reason.
        source: lettre::transport::smtp::Error,
    },
    /// The certificate file cannot be read.
    #[error("the certificates in {path} cannot be read")]
    CertificateFile {
        /// The configured file.
        path: std::path::PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
}

/// The configured channels.
pub struct Delivery {
    /// Webhooks; `None` where no signing key is configured.
    pub webhooks: Option<Webhooks>,
    /// Mail; `None` where no mail server is configured.
    pub mail: Option<Mailer>,
    /// Links in mails; `None` where the address of the product is not configured.
    pub stop_links: Option<StopLinks>,
}

impl Delivery {
    /// The channels of a configuration.
    pub fn new(config: &DeliveryConfig) -> Result<Self, Error> {
        Ok(Self {
            webhooks: Webhooks::new(&config.webhooks)?,
            mail: Mailer::new(&config.email)?,
            stop_links: StopLinks::new(config),
        })
    }
}

/// Pauses between attempts, as Standard Webhooks recommends them.
const PAUSES: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
];

/// The pause after this many failed attempts; `None` when the message is given up.
pub fn pause_after(attempts: u32) -> Option<Duration> {
    let before = usize::try_from(attempts).ok()?.checked_sub(1)?;
    PAUSES.get(before).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_tried_seven_times_within_a_day() {
        let pauses: Vec<Duration> = (1..).map_while(pause_after).collect();
        assert_eq!(pauses.len(), 6);
        assert!(pauses.iter().sum::<Duration>() < Duration::from_hours(24));
        assert_eq!(pause_after(0), None);
    }
}
