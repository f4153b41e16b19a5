//! `get_fleet_overview`: every site at its own "now". From what the roll-up keeps; reads no
//! readings.

mod words;

use std::collections::HashMap;

use chrono::{Days, NaiveDate};
use contracts::tools::{
    DateMismatch, DeviceState, FleetDevice, FleetHealth, FleetOverview, FleetOverviewArguments,
    FleetProduction, FleetSite, FleetStatus, OfflineLogger, ToolEnvelope,
};
use solar::calendar::local_day;
use solar::fleet::{Activity, Fleet, LatestReading, LoggerState, fleet};
use solar::ratio::is_dead;
use solar::series::epoch;
use solar::sun::is_night;
use solar::{DayFigures, EnergySource, Flags, Role};
use sqlx::PgConnection;

use super::moment::LONGEST_NIGHT;
use super::sizes::{self, Sizes};
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::{Logger, LoggerRole, daily, loggers};

/// Irradiance from which on a device that stands still does not do what it should, W/m².
const BRIGHT: f64 = 75.0;

/// A site that is silent for longer is none of the present fleet, seconds.
const LONGEST_SILENCE: i64 = 7 * 24 * 3600;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: FleetOverviewArguments,
) -> Result<ToolEnvelope<FleetOverview>, Error> {
    let mut conn = toolbox.kept.acquire().await?;
    let site_id = arguments.site_id.as_deref();
    let loggers = loggers::list(&mut conn, tenant, site_id).await?;
    let sites = by_site(loggers);
    let Some(newest) = sites.iter().max_by_key(|site| site.anchor) else {
        return Err(Error::no_data(match site_id {
            Some(site) => format!("There is no site {site:?} with readings."),
            None => "There are no loggers with readings yet.".to_owned(),
        }));
    };
    let (anchor, zone) = (newest.anchor, newest.loggers[0].site.zone);
    let clock = epoch(toolbox.clock.now());
    let sites: Vec<SiteLoggers> = sites
        .into_iter()
        .map(|site| site.seen_at(anchor).seen_by(clock))
        .collect();
    let days = recent_days(&mut conn, &sites).await?;
    let sizes = site_sizes(&mut conn, &sites).await?;
    conn.keep();
    let sites: Vec<SiteState> = sites
        .iter()
        .map(|site| SiteState::of(site, &days, &sizes))
        .collect();
    let local_date = local_day(anchor, zone);
    let today = toolbox.today(zone);
    let historical = local_date < today;
    let mut overview = overview(&sites, historical);
    overview.timestamp = wire::time(anchor, zone);
    overview.local_date = local_date;
    overview.date_mismatch = historical.then(|| DateMismatch {
        requested_date: today,
        actual_data_date: local_date,
        days_difference: (today - local_date).num_days(),
        is_historical: true,
    });
    overview.summary = words::summary(&overview);
    let context = words::guidance(&overview);
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(overview)
    })
}

/// The loggers of a site and its newest reading.
struct SiteLoggers {
    loggers: Vec<Logger>,
    anchor: i64,
    /// Its "now".
    now: i64,
    /// The local day whose energy counts.
    day: NaiveDate,
    /// Whether it counts in the figures of the fleet.
    current: bool,
}

impl SiteLoggers {
    /// The site beside others whose newest reading is `newest`. Its day is its own newest one: a
    /// site in another zone, or whose devices are silent at night, is a day behind without having
    /// stopped. After a longer silence its day is the day of that reading, on which it has nothing,
    /// so that the totals are of one day. Without readings on its day its "now" is that reading,
    /// too.
    fn seen_at(mut self, newest: i64) -> Self {
        let zone = self.loggers[0].site.zone;
        let silence = newest - self.anchor;
        let own_day = local_day(self.anchor, zone);
        self.current = silence <= LONGEST_SILENCE;
        self.day = if silence <= LONGEST_NIGHT {
            own_day
        } else {
            local_day(newest, zone)
        };
        self.now = if own_day == self.day {
            self.anchor
        } else {
            newest
        };
        self
    }

    /// The site by the clock. A site that is silent for longer than any night, and not for so long
    /// that its data are old ones, has stopped: its "now" is that of the clock.
    fn seen_by(mut self, clock: i64) -> Self {
        if (LONGEST_NIGHT + 1..=LONGEST_SILENCE).contains(&(clock - self.anchor)) {
            self.now = self.now.max(clock);
        }
        self
    }

    /// Whether the sun is up, if this is known without a look at the devices.
    fn sun_up(&self) -> Option<bool> {
        let position = self.loggers[0].site.position;
        position
            .map(|position| !is_night(self.now, position))
            .or((self.now - self.anchor > LONGEST_NIGHT).then_some(true))
    }
}

/// Sites with readings, by id.
fn by_site(loggers: Vec<Logger>) -> Vec<SiteLoggers> {
    let mut sites: std::collections::BTreeMap<String, Vec<Logger>> =
        std::collections::BTreeMap::new();
    for logger in loggers {
        sites
            .entry(logger.site.site_id.clone())
            .or_default()
            .push(logger);
    }
    sites
        .into_values()
        .filter_map(|loggers| {
            let anchor = loggers.iter().filter_map(Logger::anchor).max()?;
            let day = local_day(anchor, loggers[0].site.zone);
            Some(SiteLoggers {
                loggers,
                anchor,
                now: anchor,
                day,
                current: true,
            })
        })
        .collect()
}

type DaysByLogger = HashMap<i32, Vec<DayFigures>>;

/// The newest day of each site and the one before it, of all its loggers.
async fn recent_days(
    conn: &mut PgConnection,
    sites: &[SiteLoggers],
) -> Result<DaysByLogger, Error> {
    let (mut keys, mut firsts, mut lasts) = (Vec::new(), Vec::new(), Vec::new());
    for site in sites {
        for logger in &site.loggers {
            keys.push(logger.key);
            firsts.push(site.day - Days::new(1));
            lasts.push(site.day);
        }
    }
    Ok(daily::load_ranges(conn, &keys, &firsts, &lasts).await?)
}

/// How large the devices are, by keys, judged on the day of their site.
async fn site_sizes(conn: &mut PgConnection, sites: &[SiteLoggers]) -> Result<Sizes, Error> {
    let current = || {
        sites
            .iter()
            .filter(|site| site.current)
            .flat_map(|site| site.loggers.iter().map(|logger| (logger, site.day)))
            .filter(|(logger, _)| logger.role != LoggerRole::Weather)
    };
    let loggers: Vec<&Logger> = current().map(|(logger, _)| logger).collect();
    let days: Vec<NaiveDate> = current().map(|(_, day)| day).collect();
    sizes::of(conn, &loggers, &days, &days).await
}

/// A site at its "now".
struct SiteState<'a> {
    site: &'a SiteLoggers,
    fleet: Fleet,
    latest: Vec<LatestReading>,
    flags: Vec<Flags>,
}

impl<'a> SiteState<'a> {
    fn of(site: &'a SiteLoggers, days: &DaysByLogger, sizes: &Sizes) -> Self {
        let (mut latest, mut flags) = (Vec::new(), Vec::new());
        for logger in &site.loggers {
            let days = days.get(&logger.key).map_or(&[][..], Vec::as_slice);
            let today = days.iter().find(|day| day.date == site.day);
            let yesterday = days.iter().find(|day| day.date < site.day);
            let mut own = today.map(DayFigures::flags).unwrap_or_default();
            let implausible = sizes.is_implausible(logger.key);
            own.insert_if(solar::Flag::CapacityImplausible, implausible);
            flags.push(own);
            latest.push(LatestReading {
                role: role(logger.role),
                last_time: logger.anchor(),
                last_power: logger.latest_power,
                counts_alone: logger.counts_alone(),
                last_irradiance: logger.latest_irradiance,
                step_hours: logger.calibration.step_hours,
                robust_peak_w: logger.calibration.robust_peak_w,
                power_per_irradiance: logger.calibration.power_per_irradiance,
                today: today.and_then(DayFigures::energy),
                capacity_kw: sizes
                    .get(logger.key)
                    .filter(|_| !sizes.is_implausible(logger.key))
                    .map(|size| size.kw),
                // A morning without sun is not a dead day: that takes half of a day's readings, so
                // the day before is judged, too.
                dead_lately: [today, yesterday]
                    .into_iter()
                    .flatten()
                    .any(|day| is_dead(day, &logger.calibration)),
            });
        }
        let position = site.loggers[0].site.position;
        Self {
            fleet: fleet(site.now, &latest, site.sun_up(), position),
            site,
            latest,
            flags,
        }
    }

    /// Every device, also those that do not count.
    fn devices(&self) -> impl Iterator<Item = Device<'_>> {
        let current = self.site.current;
        let bright = self.fleet.producing > 0 || self.fleet.irradiance.is_some_and(|g| g > BRIGHT);
        (0..self.latest.len()).map(move |index| Device {
            logger: &self.site.loggers[index],
            latest: &self.latest[index],
            state: &self.fleet.loggers[index],
            flags: self.flags[index],
            bright,
            current,
        })
    }
}

struct Device<'a> {
    logger: &'a Logger,
    latest: &'a LatestReading,
    state: &'a LoggerState,
    flags: Flags,
    /// Whether there is sun to make power of.
    bright: bool,
    /// Whether its site counts in the figures of the fleet.
    current: bool,
}

impl Device<'_> {
    fn counts(&self) -> bool {
        self.state.counted
    }

    /// Whether the figures of the fleet count it, too.
    fn counts_in_fleet(&self) -> bool {
        self.current && self.counts()
    }

    /// Why the device does not do what it should.
    fn fault(&self) -> Option<&'static str> {
        match self.state.activity {
            Activity::Offline => Some("sends no readings"),
            Activity::Idle if self.bright => Some("stands still in daylight"),
            Activity::Idle | Activity::Asleep if self.latest.dead_lately => {
                Some("delivered nothing for a whole day although it sent readings")
            }
            _ => None,
        }
    }
}

fn role(role: LoggerRole) -> Role {
    match role {
        LoggerRole::Inverter => Role::Inverter,
        LoggerRole::Meter => Role::Meter,
        LoggerRole::Weather => Role::Sensor,
    }
}

fn overview(sites: &[SiteState<'_>], historical: bool) -> FleetOverview {
    let devices: Vec<Device<'_>> = sites.iter().flat_map(SiteState::devices).collect();
    let counted: Vec<&Device<'_>> = devices
        .iter()
        .filter(|device| device.counts_in_fleet())
        .collect();
    let sites_shown = sites;
    let sites: Vec<&SiteState<'_>> = sites.iter().filter(|site| site.site.current).collect();
    let mut flags = Flags::default();
    for device in &counted {
        flags.extend(device.flags);
    }
    FleetOverview {
        kind: "fleet_overview".to_owned(),
        timestamp: wire::time(0, chrono_tz::UTC),
        local_date: NaiveDate::MIN,
        status: status(&counted),
        production: production(&sites, &counted),
        summary: String::new(),
        date_mismatch: None,
        oldest_reading_minutes: sites
            .iter()
            .filter_map(|site| site.fleet.oldest_reading_minutes)
            .reduce(f64::max)
            .map(wire::tenths),
        energy_source: wire::energy_source_of(counted.iter().filter_map(|device| source(device))),
        offline_loggers: counted
            .iter()
            .filter_map(|device| offline(device))
            .collect(),
        devices: devices.iter().map(device_row).collect(),
        sites: sites_shown.iter().map(site_row).collect(),
        flags: wire::flags(flags, historical),
    }
}

fn source(device: &Device<'_>) -> Option<EnergySource> {
    device.latest.today.map(|(_, source)| source)
}

fn status(devices: &[&Device<'_>]) -> FleetStatus {
    let count = |wanted: &dyn Fn(&Device<'_>) -> bool| {
        devices.iter().filter(|device| wanted(device)).count() as u64
    };
    let total = devices.len() as u64;
    let offline = count(&|device| device.fault().is_some());
    FleetStatus {
        total_loggers: total,
        active_loggers: total - offline,
        producing: count(&|device| device.state.activity == Activity::Producing),
        asleep: count(&|device| {
            device.state.activity == Activity::Asleep && device.fault().is_none()
        }),
        offline,
        percent_online: if total == 0 {
            0.0
        } else {
            wire::tenths(100.0 * (total - offline) as f64 / total as f64)
        },
        fleet_health: match offline {
            _ if total == 0 => FleetHealth::Unknown,
            0 => FleetHealth::Healthy,
            offline if 2 * offline >= total => FleetHealth::Critical,
            _ => FleetHealth::Degraded,
        },
    }
}

fn production(sites: &[&SiteState<'_>], devices: &[&Device<'_>]) -> FleetProduction {
    let sum = |figure: fn(&Fleet) -> f64| sites.iter().map(|site| figure(&site.fleet)).sum::<f64>();
    let irradiances: Vec<f64> = sites
        .iter()
        .filter_map(|site| site.fleet.irradiance)
        .collect();
    let (mut kwh, mut kw) = (0.0, 0.0);
    for device in devices {
        if let (Some((energy, _)), Some(capacity)) =
            (device.latest.today, device.latest.capacity_kw)
        {
            kwh += energy;
            kw += capacity;
        }
    }
    FleetProduction {
        current_total_power_watts: wire::tenths(sum(|fleet| fleet.power_w)),
        today_total_energy_kwh: energy_today(devices.iter().copied()),
        site_avg_irradiance: (!irradiances.is_empty())
            .then(|| wire::tenths(irradiances.iter().sum::<f64>() / irradiances.len() as f64)),
        specific_yield: (kw > 0.0).then(|| wire::thousandths(kwh / kw)),
    }
}

/// Energy of the day of these devices, kWh: the sum of their figures as they are shown.
fn energy_today<'a>(devices: impl Iterator<Item = &'a Device<'a>>) -> f64 {
    let energies = devices.filter_map(|device| device.latest.today);
    wire::cents(energies.map(|(kwh, _)| wire::cents(kwh)).sum())
}

fn offline(device: &Device<'_>) -> Option<OfflineLogger> {
    let fault = device.fault()?;
    let zone = device.logger.site.zone;
    let newest = if device.latest.counts_alone {
        "newest reading"
    } else {
        "last power reading"
    };
    let since = match device.latest.newest() {
        Some(at) => format!("{newest} {}", wire::time(at, zone).format("%Y-%m-%d %H:%M")),
        None => "never a power reading".to_owned(),
    };
    Some(OfflineLogger {
        logger_id: device.logger.logger_id.clone(),
        site_id: device.logger.site.site_id.clone(),
        last_seen: device.latest.newest().map(|at| wire::time(at, zone)),
        reason: format!("It {fault}; {since}."),
    })
}

fn device_row(device: &Device<'_>) -> FleetDevice {
    let (logger, latest, state) = (device.logger, device.latest, device.state);
    let per_capacity = latest
        .today
        .zip(latest.capacity_kw)
        .map(|((kwh, _), kw)| kwh / kw);
    FleetDevice {
        logger_id: logger.logger_id.clone(),
        logger_type: logger.logger_type.clone(),
        site_id: logger.site.site_id.clone(),
        role: wire::role(logger.role),
        state: match state.activity {
            // The list of devices and the list of those that are offline must not disagree.
            _ if device.counts() && device.fault().is_some() => DeviceState::Offline,
            Activity::Producing => DeviceState::Producing,
            Activity::Idle => DeviceState::Idle,
            Activity::Asleep => DeviceState::Asleep,
            Activity::Offline => DeviceState::Offline,
        },
        counted: device.counts_in_fleet(),
        power_watts: state.power_w.map(wire::tenths),
        energy_today_kwh: latest.today.map(|(kwh, _)| wire::cents(kwh)),
        energy_source: latest.today.map(|(_, source)| wire::energy_source(source)),
        specific_yield: per_capacity.map(wire::thousandths),
        last_seen: latest.newest().map(|at| wire::time(at, logger.site.zone)),
        age_minutes: state.age_minutes.map(wire::tenths),
        flags: wire::flags(device.flags, false),
    }
}

fn site_row(state: &SiteState<'_>) -> FleetSite {
    let site = &state.site.loggers[0].site;
    let devices: Vec<Device<'_>> = state.devices().filter(Device::counts).collect();
    FleetSite {
        site_id: site.site_id.clone(),
        name: site.name.clone(),
        timezone: site.zone.name().to_owned(),
        anchor: Some(wire::time(state.site.anchor, site.zone)),
        local_date: Some(state.site.day),
        power_watts: wire::tenths(state.fleet.power_w),
        energy_today_kwh: energy_today(devices.iter()),
        total_loggers: devices.len() as u64,
        offline: devices
            .iter()
            .filter(|device| device.fault().is_some())
            .count() as u64,
        night: state.fleet.night,
        current: state.site.current,
    }
}
