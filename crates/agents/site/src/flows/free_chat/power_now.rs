//! The power of devices that are named, by their newest readings.

use std::collections::BTreeSet;

use contracts::tools::{FleetOverview, FleetOverviewArguments, names};

use super::rules::ANSWERED_FOR;
use crate::{
    calls::call_each,
    findings::{Failure, Resolved},
    flows::worst_of,
    narrative::{format, power_now},
    run::Node,
};

/// A sentence for each device, with the time and the age of its reading.
pub(super) async fn told(node: &Node, resolved: &Resolved) -> Result<String, Failure> {
    let wanted = || resolved.loggers.iter().take(ANSWERED_FOR);
    let sites: BTreeSet<&str> = wanted().map(|logger| logger.site_id.as_str()).collect();
    let calls = sites.into_iter().map(|site| FleetOverviewArguments {
        site_id: Some(site.to_owned()),
    });
    node.begin_step().await;
    node.hint("Reading the newest values").await;
    let answers =
        call_each::<FleetOverview>(node, names::GET_FLEET_OVERVIEW, calls.collect::<Vec<_>>())
            .await;
    node.end_step().await;
    let (mut overviews, mut failures) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            Ok(found) => overviews.push(found.result),
            Err(failure) => failures.push(failure),
        }
    }
    if overviews.is_empty()
        && let Some(failure) = worst_of(failures)
    {
        return Err(failure);
    }
    let devices = || overviews.iter().flat_map(|overview| &overview.devices);
    let now = node.run().now;
    let (mut sentences, mut without) = (Vec::new(), Vec::new());
    for logger in wanted() {
        match devices().find(|device| device.logger_id == logger.logger_id) {
            Some(device) => sentences.push(power_now(device, now)),
            None => without.push(logger.logger_id.as_str()),
        }
    }
    if !without.is_empty() {
        sentences.push(format!(
            "I have no power readings from {}.",
            format::list_most(&without, 4)
        ));
    }
    Ok(sentences.join(" "))
}
