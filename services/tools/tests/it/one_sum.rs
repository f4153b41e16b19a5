//! The sum of a period is the sum of its days, in every tool and on any data: gaps, resets,
//! registers that count too much or stand still, glitches, sites of different ages and zones.
//!
//! The number of generated plants is the number of a property's cases, divided by 64.

use chrono::{DateTime, Days, NaiveDate, Timelike};
use chrono_tz::{America, Asia, Australia, Europe, Tz};
use serde_json::{Value, json};
use solar::IrradianceBasis;
use solar::calendar::{DaySpan, day_start};
use tools::catalog::{self, LoggerSettings, SiteSettings};
use tools::store::LoggerRole;

use crate::fixtures::{self, Row};
use crate::harness::{App, database};

const ZONES: [Tz; 4] = [
    Europe::Zurich,
    America::Phoenix,
    Asia::Kolkata,
    Australia::Lord_Howe,
];

/// Numbers that look random and are the same for a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn share(&mut self) -> f64 {
        self.below(1_000_000) as f64 / 1e6
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

pub(crate) struct Device {
    id: String,
    site: usize,
    role: LoggerRole,
    days: Vec<NaiveDate>,
}

fn first_day() -> NaiveDate {
    // Clocks change in Zurich and on Lord Howe within the month.
    "2025-03-24".parse().unwrap()
}

/// The readings of a device on its days.
fn dirty(random: &mut Random, zone: Tz, days: &[NaiveDate]) -> Vec<Row> {
    let kw = 5.0 + 20.0 * random.share();
    let factor = random.pick(&[None, Some(1.0), Some(1.3), Some(0.7), Some(2.4), Some(0.0)]);
    let lifetime = random.one_in(4);
    let reset_hour = random.pick(&[0.0, 0.0, 5.0, 23.5]);
    let lit = random.one_in(2);
    let (mut counted, mut ever) = (0.0, 5000.0);
    let mut rows = Vec::new();
    for &day in days {
        let bright = 0.2 + 0.8 * random.share();
        let dead = random.one_in(12);
        let hole = random.one_in(5).then(|| 24.0 * random.share());
        let span = DaySpan::of_day(day, zone);
        for time in (span.after..span.until).step_by(1800) {
            let time = DateTime::from_timestamp(time, 0).unwrap();
            let local = time.with_timezone(&zone);
            let hour = f64::from(local.num_seconds_from_midnight()) / 3600.0;
            let sun = (-((hour - 12.5) / 3.0).powi(2)).exp() * bright;
            let sun = if (6.0..20.0).contains(&hour) {
                sun
            } else {
                0.0
            };
            let power = if dead { 0.0 } else { 1000.0 * kw * sun };
            if (hour - reset_hour).abs() < 0.1 {
                counted = 0.0;
            }
            counted += factor.unwrap_or(0.0) * power / 2000.0;
            ever += power / 2000.0;
            let silent = hole.is_some_and(|hole| (hole..hole + 3.0).contains(&hour));
            if silent || random.one_in(40) {
                continue;
            }
            let strange = random.below(120);
            rows.push(Row {
                time,
                power: match strange {
                    0 => None,
                    1 => Some(-1e9),
                    2 => Some(30_000.0 * kw),
                    _ => Some(power),
                },
                daily: factor.map(|_| match strange {
                    3 => 0.0,
                    4 => 6553.5,
                    _ => (100.0_f64 * counted).round() / 100.0,
                }),
                irradiance: (lit && strange != 5).then_some(1000.0 * sun),
                metadata: lifetime.then(|| json!({ "energyLifetimeKwh": ever }).to_string()),
            });
        }
    }
    rows
}

/// Two sites with their devices, each with days of its own.
pub(crate) async fn plant(app: &App, tenant: &str, seed: u64) -> Vec<Device> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let mut conn = app.pool.acquire().await.unwrap();
    let (mut devices, mut stored) = (Vec::new(), Vec::new());
    for site in 0..2 {
        let zone = random.pick(&ZONES);
        let settings = SiteSettings::new(format!("site-{site}"), zone);
        let site_key = catalog::put_site(&mut conn, tenant, &settings)
            .await
            .unwrap();
        let count = 2 + random.below(3);
        for index in 0..count {
            let first = first_day() + Days::new(random.below(4));
            let length = 6 + random.below(6);
            let mut days: Vec<NaiveDate> = Vec::new();
            for day in first.iter_days().take(usize::try_from(length).unwrap()) {
                if days.is_empty() || !random.one_in(6) {
                    days.push(day);
                }
            }
            let mut logger = LoggerSettings::new(format!("S{site}-{index}"), "test");
            logger.capacity_kw = random.one_in(2).then(|| 5.0 + 20.0 * random.share());
            logger.irradiance_basis = IrradianceBasis::Poa;
            if index == 0 && random.one_in(3) {
                logger.role = LoggerRole::Meter;
            }
            let rows = dirty(&mut random, zone, &days);
            let key = catalog::put_logger(&mut conn, tenant, site_key, &logger)
                .await
                .unwrap();
            stored.push((key, rows));
            devices.push(Device {
                id: logger.logger_id,
                site,
                role: logger.role,
                days,
            });
        }
    }
    drop(conn);
    fixtures::store(&app.pool, &stored).await;
    devices
}

/// The answers of one tenant's tools.
struct Tools<'a> {
    app: &'a App,
    tenant: &'a str,
    seed: u64,
}

impl Tools<'_> {
    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let (status, answer) = self.app.call_as(self.tenant, tool, arguments).await;
        assert_eq!(status.as_u16(), 200, "seed {}: {answer}", self.seed);
        answer
    }

    async fn energy(&self, id: &str, from: NaiveDate, to: NaiveDate) -> Option<f64> {
        let arguments = json!({ "logger_id": id, "start_date": from, "end_date": to });
        let answer = self.call("calculate_financial_savings", arguments).await;
        answer["result"]["totalEnergyKwh"].as_f64()
    }

    fn same(&self, found: Option<f64>, expected: Option<f64>, tolerance: f64, what: &str) {
        let near = match (found, expected) {
            (Some(found), Some(expected)) => (found - expected).abs() <= tolerance + 1e-9,
            (None, None) => true,
            _ => false,
        };
        assert!(
            near,
            "seed {}: {what}: {found:?} for {expected:?}",
            self.seed
        );
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

fn row<'a>(rows: &'a Value, id: &str) -> Option<&'a Value> {
    rows.as_array()?.iter().find(|row| row["loggerId"] == id)
}

fn total(rows: &Value, figure: &str) -> f64 {
    let rows = rows.as_array().into_iter().flatten();
    rows.filter(|row| row["counted"] != false)
        .filter_map(|row| row[figure].as_f64())
        .sum()
}

/// The lost energy is the sum of the standstills, and word, score and flags agree.
fn check_health(tools: &Tools<'_>, id: &str, row: &Value) {
    let cents = 0.005_01;
    let events = row["events"].as_array().unwrap().iter();
    let stands = |event: &&Value| event["kind"] == "outage" || event["kind"] == "dead_day";
    let lost: Vec<f64> = events
        .filter(stands)
        .filter_map(|event| event["lostKwh"].as_f64())
        .collect();
    let rounding = cents * (lost.len() + 1) as f64;
    let sum = Some(lost.iter().sum());
    tools.same(
        number(&row["lostKwh"]),
        sum,
        rounding,
        &format!("lost by {id}"),
    );
    let score = row["healthScore"].as_f64();
    let word = match score {
        None => "unknown",
        Some(score) if score >= 95.0 => "healthy",
        Some(score) if score >= 75.0 => "warning",
        Some(_) => "critical",
    };
    assert_eq!(row["healthStatus"], word, "seed {}: {id}", tools.seed);
    let flags = row["flags"].as_array().unwrap();
    if flags.contains(&json!("register_power_mismatch")) {
        assert!(
            score.is_none_or(|score| score < 100.0),
            "seed {}: {id}",
            tools.seed
        );
    }
}

async fn check(tools: &Tools<'_>, devices: &[Device], from: NaiveDate, to: NaiveDate) {
    let cents = 0.005_01;
    let dates: Vec<NaiveDate> = from.iter_days().take_while(|day| *day <= to).collect();
    let period = json!({ "start_date": from, "end_date": to });
    let savings = tools
        .call("calculate_financial_savings", period.clone())
        .await;
    let savings = &savings["result"];
    let compared = json!({ "metric": "energy", "date": from, "end_date": to });
    let compared = tools.call("compare_loggers", compared).await;
    let ratio = json!({ "date": from, "end_date": to });
    let ratio = tools.call("calculate_performance_ratio", ratio).await;
    let health = tools.call("analyze_inverter_health", period).await;
    for device in devices {
        let id = device.id.as_str();
        let mut days = Vec::new();
        for date in &dates {
            let kwh = tools.energy(id, *date, *date).await;
            let arguments = json!({ "logger_id": id, "date": date });
            let curve = tools.call("get_power_curve", arguments).await;
            let shown = number(&curve["summaryStats"]["totalEnergy"]);
            if shown.is_some() {
                tools.same(shown, kwh, 0.0, &format!("curve of {id} on {date}"));
            }
            days.extend(kwh);
        }
        let all = tools.energy(id, from, to).await;
        let sum = (!days.is_empty()).then(|| days.iter().sum::<f64>());
        tools.same(all, sum, cents * (days.len() + 1) as f64, id);
        let among = row(&savings["devices"], id).and_then(|row| number(&row["totalEnergyKwh"]));
        tools.same(among, all, 0.0, &format!("{id} among others"));
        if device.role == LoggerRole::Inverter {
            let summary = &compared["result"]["summary"][id];
            tools.same(
                number(&summary["total"]),
                all,
                0.0,
                &format!("{id} compared"),
            );
            if let Some(row) = row(&ratio["result"]["devices"], id) {
                // Days without irradiance are not part of a ratio.
                let kwh = number(&row["yf"]).unwrap() * number(&row["capacityKw"]).unwrap();
                let rounding = 0.001 * number(&row["capacityKw"]).unwrap() + 0.01 * kwh.max(1.0);
                let most = all.unwrap_or(0.0) + rounding;
                assert!(kwh <= most, "seed {}: ratio of {id}: {kwh}", tools.seed);
            }
        }
        if let Some(row) = row(&health["result"]["devices"], id) {
            check_health(tools, id, row);
        }
    }
    // Totals are the sums of their rows.
    let sum = total(&savings["devices"], "totalEnergyKwh");
    if savings.is_object() {
        tools.same(number(&savings["totalEnergyKwh"]), Some(sum), 1e-6, "all");
        let sites = total(&savings["sites"], "totalEnergyKwh");
        tools.same(Some(sites), Some(sum), 1e-6, "sites");
    }
    let lost = total(&health["result"]["devices"], "lostKwh");
    if health["result"].is_object() {
        tools.same(
            number(&health["result"]["lostKwh"]),
            Some(lost),
            1e-6,
            "lost",
        );
    }
    if let Some(best) = compared["result"]["best"].as_str() {
        let summary = &compared["result"]["summary"];
        let ranking = compared["result"]["ranking"].as_array().unwrap();
        let trusted = |id: &Value| summary[id.as_str().unwrap()]["registerDiffers"] != true;
        assert!(
            summary[best]["registerDiffers"] != true || !ranking.iter().any(trusted),
            "seed {}: {best} leads",
            tools.seed
        );
    }
}

async fn check_overview(tools: &Tools<'_>, devices: &[Device]) {
    let overview = tools.call("get_fleet_overview", json!({})).await;
    let result = &overview["result"];
    let mut sum = 0.0;
    for site in result["sites"].as_array().unwrap() {
        let date: NaiveDate = site["localDate"].as_str().unwrap().parse().unwrap();
        let index = usize::from(site["siteId"] == "site-1");
        for device in devices.iter().filter(|device| device.site == index) {
            let row = row(&result["devices"], &device.id).unwrap();
            let kwh = tools.energy(&device.id, date, date).await;
            let known = device.days.contains(&date);
            let what = format!("{} on {date}, {known}", device.id);
            tools.same(number(&row["energyTodayKwh"]), kwh, 0.0, &what);
        }
        if site["current"] != false {
            sum += number(&site["energyTodayKwh"]).unwrap();
        }
    }
    let all = number(&result["production"]["todayTotalEnergyKwh"]);
    tools.same(all, Some(sum), 1e-6, "overview");
}

#[tokio::test]
async fn the_sum_of_a_period_is_the_sum_of_its_days_in_every_tool() {
    let database = database().await;
    let app = App::at(database.url(), "2025-04-12T12:00:00Z");
    let seeds = (proptest::test_runner::Config::default().cases / 64).max(1);
    for seed in 0..u64::from(seeds) {
        let tenant = format!("tenant-{seed}");
        let devices = plant(&app, &tenant, seed).await;
        let tools = Tools {
            app: &app,
            tenant: &tenant,
            seed,
        };
        check_overview(&tools, &devices).await;
        let mut random = Random(seed + 77);
        let from = first_day() + Days::new(random.below(8));
        let to = from + Days::new(random.below(7));
        check(&tools, &devices, from, to).await;
    }
    // The days of the zones are not the same.
    assert_ne!(
        day_start(first_day(), ZONES[0]),
        day_start(first_day(), ZONES[1])
    );
}
