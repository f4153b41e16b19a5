//! Options of `schedules`.

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

/// Options of `schedules`.
#[derive(Debug, Subcommand)]
pub enum SchedulesCommand {
    /// Lists your schedules.
    List,
    /// Has a question asked at set times, and the answer sent.
    Ask {
        /// The question, such as "Morning briefing".
        question: String,
        /// The local time, such as 07:00; with `--every`, the first one of a day. Default with
        /// `--every`: 00:00.
        #[arg(
            long,
            required_unless_present = "every",
            default_value_if("every", clap::builder::ArgPredicate::IsPresent, "00:00")
        )]
        at: Option<String>,
        /// The interval in which it is asked again on the same day, such as 30m or 2h.
        #[arg(long, value_parser = interval)]
        every: Option<u32>,
        /// The local time after which it is not asked again on that day, such as 18:00.
        #[arg(long, requires = "every")]
        until: Option<String>,
        /// A day of the week; may be repeated. Default: every day.
        #[arg(long = "on", value_enum)]
        days: Vec<Day>,
        /// The time zone. Default: the `TZ` variable, otherwise UTC.
        #[arg(long)]
        timezone: Option<String>,
        /// The assistant to ask.
        #[arg(long, default_value = "site")]
        assistant: String,
        /// A name for lists and subjects.
        #[arg(long)]
        title: Option<String>,
        /// The recipient of the answer.
        #[command(flatten)]
        to: Recipient,
    },
    /// Sends a message when something is the case, and when it is over.
    Alert {
        /// The condition.
        #[arg(value_enum)]
        condition: Condition,
        /// The limit: minutes for device-out, percent of the forecast for low-energy, hours for
        /// no-data. Default: 60, 80 and 24.
        #[arg(long)]
        limit: Option<u32>,
        /// Only this device.
        #[arg(long)]
        logger: Option<String>,
        /// Only devices of this site.
        #[arg(long)]
        site: Option<String>,
        /// A name for lists and subjects.
        #[arg(long)]
        title: Option<String>,
        /// The recipient of messages.
        #[command(flatten)]
        to: Recipient,
    },
    /// Changes parts of a schedule. The other parts stay.
    Edit(Box<EditSchedule>),
    /// Pauses a schedule.
    Pause {
        /// The id of the schedule.
        id: String,
    },
    /// Continues a schedule that is paused or was stopped.
    Resume {
        /// The id of the schedule.
        id: String,
    },
    /// Deletes a schedule.
    Delete {
        /// The id of the schedule.
        id: String,
    },
    /// Sends a schedule now, as a test.
    Send {
        /// The id of the schedule.
        id: String,
    },
    /// Lists the newest messages of a schedule, and whether they have arrived.
    Messages {
        /// The id of the schedule.
        id: String,
    },
    /// Shows the secret that the receiver of a webhook verifies signatures with.
    Secret {
        /// The id of the schedule.
        id: String,
    },
}

/// Options of `schedules edit`.
#[derive(Debug, Default, Args)]
pub struct EditSchedule {
    /// The id of the schedule.
    pub id: String,
    /// Another name.
    #[arg(long)]
    pub title: Option<String>,
    /// Another question. An alert becomes a question by this and `--at`.
    #[arg(long, conflicts_with_all = ["alert", "limit", "logger", "site", "all_devices"])]
    pub question: Option<String>,
    /// Another local time, such as 07:00.
    #[arg(long, conflicts_with_all = ["alert", "limit", "logger", "site", "all_devices"])]
    pub at: Option<String>,
    /// Another interval in which it is asked again on the same day, such as 30m or 2h.
    #[arg(long, value_parser = interval, conflicts_with_all = ["alert", "limit", "logger", "site", "all_devices"])]
    pub every: Option<u32>,
    /// Another local time after which it is not asked again on that day.
    #[arg(long, conflicts_with_all = ["alert", "limit", "logger", "site", "all_devices"])]
    pub until: Option<String>,
    /// Once a day, in place of the former interval.
    #[arg(long, conflicts_with_all = ["every", "until"])]
    pub once: bool,
    /// A day of the week in place of the former ones; may be repeated.
    #[arg(long = "on", value_enum)]
    pub days: Vec<Day>,
    /// Every day of the week.
    #[arg(long, conflicts_with = "days")]
    pub every_day: bool,
    /// Another time zone.
    #[arg(long)]
    pub timezone: Option<String>,
    /// Another assistant to ask.
    #[arg(long)]
    pub assistant: Option<String>,
    /// Another condition. A question becomes an alert.
    #[arg(long, value_enum)]
    pub alert: Option<Condition>,
    /// Another limit of the condition: minutes, percent or hours.
    #[arg(long)]
    pub limit: Option<u32>,
    /// Only this device.
    #[arg(long)]
    pub logger: Option<String>,
    /// Only devices of this site.
    #[arg(long)]
    pub site: Option<String>,
    /// All devices of all sites.
    #[arg(long, conflicts_with_all = ["logger", "site"])]
    pub all_devices: bool,
    /// An e-mail address in place of the former recipient.
    #[arg(long, conflicts_with = "webhook")]
    pub email: Option<String>,
    /// The https URL of a webhook in place of the former recipient.
    #[arg(long)]
    pub webhook: Option<String>,
}

/// Reads an interval, `30m`, `2h` or `1h30m`, as minutes.
fn interval(text: &str) -> Result<u32, String> {
    let wrong = || format!("`{text}` is not an interval such as 30m or 2h");
    let (hours, rest) = match text.split_once('h') {
        Some((hours, rest)) => (hours.parse::<u32>().map_err(|_error| wrong())?, rest),
        None => (0, text),
    };
    let minutes = match rest.strip_suffix('m').map(str::parse::<u32>) {
        Some(Ok(minutes)) => minutes,
        None if rest.is_empty() && text.ends_with('h') => 0,
        _ => return Err(wrong()),
    };
    let all = hours
        .checked_mul(60)
        .and_then(|all| all.checked_add(minutes));
    all.ok_or_else(wrong)
}

/// The recipient of messages: one of the two.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("to").required(true).args(["email", "webhook"]))]
pub struct Recipient {
    /// An e-mail address.
    #[arg(long)]
    pub email: Option<String>,
    /// The https URL of a webhook.
    #[arg(long)]
    pub webhook: Option<String>,
}

/// The conditions of alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Condition {
    /// A device delivers nothing in daylight.
    DeviceOut,
    /// A device delivered less than was forecast for a day.
    LowEnergy,
    /// A device sends nothing.
    NoData,
}

/// Days of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Day {
    /// Monday.
    Monday,
    /// Tuesday.
    Tuesday,
    /// Wednesday.
    Wednesday,
    /// Thursday.
    Thursday,
    /// Friday.
    Friday,
    /// Saturday.
    Saturday,
    /// Sunday.
    Sunday,
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn intervals_are_read_as_minutes() {
        for (text, minutes) in [("30m", 30), ("2h", 120), ("1h30m", 90), ("90m", 90)] {
            assert_eq!(interval(text), Ok(minutes), "{text}");
        }
        for text in ["", "h", "m", "30", "2 h", "hour", "-1h", "4294967295h"] {
            assert!(interval(text).is_err(), "{text}");
        }
    }
}
