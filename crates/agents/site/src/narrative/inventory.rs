//! Which devices there are, and whether the service works.

use std::collections::{BTreeMap, BTreeSet};

use contracts::tools::{
    CapacityBasis, HealthReport, LoggerList, LoggerRole, LoggerSummary, ServiceHealth,
};

use super::compose::Story;
use super::format;

/// Most devices that are named with their types; of more, the names alone.
const MOST_WITH_TYPE: usize = 8;

/// Most devices that are named.
const MOST_DEVICES: usize = 40;

pub(super) fn loggers(list: &LoggerList) -> Story {
    let key: Vec<&str> = list
        .loggers
        .iter()
        .map(|logger| logger.logger_id.as_str())
        .collect();
    let mut story = Story::about(&key);
    if list.loggers.is_empty() {
        story.must("I don't see any devices yet. Upload measurements from your inverters, and I'll take a look at them.");
        return story;
    }
    if let [one] = list.loggers.as_slice() {
        about(one, &mut story);
        return story;
    }
    let is_few = list.loggers.len() <= MOST_WITH_TYPE;
    let named: Vec<String> = list
        .loggers
        .iter()
        .map(|logger| {
            if is_few {
                format!("{} ({})", logger.logger_id, logger.logger_type)
            } else {
                logger.logger_id.clone()
            }
        })
        .collect();
    let roles: BTreeSet<&str> = list.loggers.iter().map(|one| role(one.role)).collect();
    let noun = match roles.iter().collect::<Vec<_>>().as_slice() {
        [only] => **only,
        _ => "device",
    };
    let sites: BTreeSet<&str> = list
        .loggers
        .iter()
        .map(|logger| logger.site_name.as_str())
        .collect();
    // Those of one site may not be all that there are.
    let place = match sites.iter().collect::<Vec<_>>().as_slice() {
        [only] => format!(" at {only}"),
        _ => String::new(),
    };
    story.must(format!(
        "You have {}{place}: {}.",
        format::count(list.loggers.len() as u64, noun),
        format::list_most(&named, MOST_DEVICES)
    ));
    if sites.len() > 1 {
        let sites: Vec<&str> = sites.into_iter().collect();
        story.should(format!("They stand at {}.", format::list_most(&sites, 5)));
    }
    let first = list
        .loggers
        .iter()
        .filter_map(|logger| logger.earliest_data)
        .min();
    let last = list
        .loggers
        .iter()
        .filter_map(|logger| logger.latest_data)
        .max();
    if let (Some(first), Some(last)) = (first, last) {
        story.should(format!(
            "Their data run {}.",
            format::from_to(first.date_naive(), format::day_of(last))
        ));
    }
    let dark: Vec<&str> = list
        .loggers
        .iter()
        .filter(|logger| !logger.has_irradiance)
        .map(|logger| logger.logger_id.as_str())
        .collect();
    if !dark.is_empty() && dark.len() < list.loggers.len() {
        story.may(format!(
            "For {} I have no sunlight readings.",
            format::list_most(&dark, 4)
        ));
    }
    story.next("start with a briefing on all of them");
    story
}

/// The sites, each with its devices and the days of its data.
pub(super) fn sites(list: &LoggerList) -> Story {
    let mut sites: BTreeMap<&str, Vec<&LoggerSummary>> = BTreeMap::new();
    for logger in &list.loggers {
        sites.entry(&logger.site_name).or_default().push(logger);
    }
    if sites.is_empty() {
        return loggers(list);
    }
    let names: Vec<&str> = sites.keys().copied().collect();
    let mut story = Story::about(&names);
    let (mut named, mut dated) = (Vec::new(), Vec::new());
    for (name, devices) in &sites {
        named.push(format!("{name} ({})", of_roles(devices)));
        let first = devices.iter().filter_map(|one| one.earliest_data).min();
        let last = devices.iter().filter_map(|one| one.latest_data).max();
        dated.push(match (first, last) {
            (Some(first), Some(last)) => format!(
                "{} at {name}",
                format::from_to(first.date_naive(), format::day_of(last))
            ),
            _ => format!("not at all at {name}"),
        });
    }
    story.must(format!(
        "You have {}: {}.",
        format::count(sites.len() as u64, "site"),
        format::list_most(&named, MOST_SITES)
    ));
    story.should(format!(
        "The data run {}.",
        format::list_most(&dated, MOST_SITES)
    ));
    story.next("start with a briefing on all of them");
    story
}

/// Most sites that are named.
const MOST_SITES: usize = 12;

/// The devices of a site by what they are: "3 inverters and a meter".
fn of_roles(devices: &[&LoggerSummary]) -> String {
    let roles = [LoggerRole::Inverter, LoggerRole::Meter, LoggerRole::Weather];
    let counted: Vec<String> = roles
        .into_iter()
        .filter_map(|kind| {
            let many = devices.iter().filter(|one| one.role == kind).count() as u64;
            match (many, kind) {
                (0, _) => None,
                (1, LoggerRole::Inverter) => Some("an inverter".to_owned()),
                (1, _) => Some(format!("a {}", role(kind))),
                _ => Some(format::count(many, role(kind))),
            }
        })
        .collect();
    format::list(&counted)
}

fn role(role: LoggerRole) -> &'static str {
    match role {
        LoggerRole::Inverter => "inverter",
        LoggerRole::Meter => "meter",
        LoggerRole::Weather => "weather station",
    }
}

/// What one device is.
fn about(one: &LoggerSummary, story: &mut Story) {
    let id = &one.logger_id;
    let what = match one.role {
        LoggerRole::Inverter => "an inverter",
        LoggerRole::Meter => "a meter",
        LoggerRole::Weather => "a weather station",
    };
    story.must(format!(
        "{id} is {what} of type {} at {}.",
        one.logger_type, one.site_name
    ));
    let stated = matches!(
        one.capacity_basis,
        CapacityBasis::Configured | CapacityBasis::Parameter
    );
    match one.capacity_kw.filter(|_| stated) {
        Some(kw) => story.must(format!("Its capacity is {} kW.", format::figure(kw))),
        None if one.role == LoggerRole::Weather => story,
        None => story.must("Its capacity isn't stated."),
    };
    match (one.earliest_data, one.latest_data) {
        (Some(first), Some(last)) => story.must(format!(
            "Its data run {}, the newest at {}.",
            format::from_to(first.date_naive(), format::day_of(last)),
            format::clock(last)
        )),
        _ => story.must("It hasn't sent any data yet."),
    };
    story.next(format!("check the health of {id}"));
}

pub(super) fn service(report: &HealthReport) -> Story {
    let mut story = Story::about(&["service"]);
    match report.status {
        ServiceHealth::Healthy => {
            story.must("Everything behind the scenes is up, and your data are within reach.");
            story.should("If an answer looks odd, it isn't because something's down on my side.");
            story.next("take a look at how your panels are doing");
        }
        ServiceHealth::Degraded => {
            story.must(format!(
                "I'm running with trouble behind the scenes: {}",
                format::sentence(&report.database)
            ));
            story.should("Your stored data are safe, but answers may be late or missing until that's sorted.");
            story.next("try again in a few minutes");
        }
    }
    story
}
