//! Measured data and the figures that a reference computed from them; see `fixtures/README.md`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate};
use flate2::read::GzDecoder;
use serde_json::Value;
use solar::{
    Calibration, Capacity, CapacityBasis, DayFigures, IrradianceBasis, LoggerContext, Position,
    Reading, Series, calibrate, rollup,
};

pub(crate) const SITES: [&str; 8] = [
    "captest",
    "clip-7539",
    "pvops-r27",
    "rsf2",
    "sandia-baseline",
    "sdt-30339",
    "sdt-tae",
    "serf-east-2016",
];

/// A logger of a fixture with everything that can be computed from it.
pub(crate) struct Logger {
    pub(crate) name: String,
    pub(crate) series: Series,
    pub(crate) context: LoggerContext,
    pub(crate) calibration: Calibration,
    pub(crate) days: Vec<DayFigures>,
    pub(crate) expected: Value,
}

impl Logger {
    /// An expected figure, by path; `None` where the reference has none.
    pub(crate) fn expected(&self, path: &str) -> Option<f64> {
        path.split('/')
            .try_fold(&self.expected, |value, key| value.get(key))?
            .as_f64()
    }

    pub(crate) fn day(&self, date: &str) -> &DayFigures {
        let date: NaiveDate = date.parse().unwrap();
        self.days.iter().find(|day| day.date == date).unwrap()
    }

    pub(crate) fn anchor(&self) -> i64 {
        *self.series.time().last().unwrap()
    }
}

/// Every logger of every site.
pub(crate) fn all() -> impl Iterator<Item = &'static Logger> {
    SITES.iter().flat_map(|site| load(site))
}

/// The loggers of a site, by name.
pub(crate) fn load(site: &str) -> &'static [Logger] {
    static LOGGERS: LazyLock<BTreeMap<&str, Vec<Logger>>> =
        LazyLock::new(|| SITES.into_iter().map(|site| (site, read(site))).collect());
    &LOGGERS[site]
}

/// The only logger of a site, or its first.
pub(crate) fn one(site: &str) -> &'static Logger {
    &load(site)[0]
}

/// The expected figures.
pub(crate) fn expected() -> &'static Value {
    static EXPECTED: LazyLock<Value> = LazyLock::new(|| json("expected.json"));
    &EXPECTED
}

fn read(site: &str) -> Vec<Logger> {
    let about = &json("sites.json")[site];
    let logger = |(name, series): (String, Series)| {
        let context = with_capacity(&context(about), &about["capacity_kw"][&name]);
        let calibration = calibrate(&series, &context);
        let days = rollup(&series, &calibration, &context);
        let expected = expected()[site]["loggers"][&name].clone();
        Logger {
            name,
            series,
            context,
            calibration,
            days,
            expected,
        }
    };
    rows(site).into_iter().map(logger).collect()
}

fn json(name: &str) -> Value {
    serde_json::from_reader(File::open(path(name)).unwrap()).unwrap()
}

pub(crate) fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "fixtures", name]
        .iter()
        .collect()
}

pub(crate) fn time(text: &str) -> i64 {
    DateTime::parse_from_rfc3339(text).unwrap().timestamp()
}

fn context(site: &Value) -> LoggerContext {
    let mut context = LoggerContext::new(site["tz"].as_str().unwrap().parse().unwrap());
    let plane = site["irradiance"].as_str().unwrap();
    context.irradiance_basis = match plane {
        _ if plane.starts_with("plane of array") => IrradianceBasis::Poa,
        _ if plane.starts_with("global horizontal") => IrradianceBasis::Ghi,
        _ => IrradianceBasis::Unknown,
    };
    context.position =
        site["lat"]
            .as_f64()
            .zip(site["lon"].as_f64())
            .map(|(latitude, longitude)| Position {
                latitude,
                longitude,
            });
    context
}

fn with_capacity(context: &LoggerContext, kw: &Value) -> LoggerContext {
    let capacity = kw.as_f64().map(|kw| Capacity {
        kw,
        basis: CapacityBasis::Configured,
    });
    LoggerContext {
        capacity,
        ..context.clone()
    }
}

fn rows(site: &str) -> BTreeMap<String, Series> {
    let mut text = String::new();
    let file = File::open(path(&format!("{site}.csv.gz"))).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut loggers: BTreeMap<String, Series> = BTreeMap::new();
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row.unwrap();
        let number = |column: usize| row[column].parse().unwrap_or(f64::NAN);
        let metadata: Value = serde_json::from_str(&row[6]).unwrap();
        let field = |name: &str| metadata[name].as_f64().unwrap_or(f64::NAN);
        loggers.entry(row[1].to_owned()).or_default().push(Reading {
            time: time(&row[0]),
            power_w: number(3),
            daily_kwh: number(4),
            irradiance: number(5),
            lifetime_kwh: field("energyLifetimeKwh"),
            module_c: field("temperatureModuleC"),
        });
    }
    loggers
}

#[track_caller]
pub(crate) fn assert_near(what: &str, actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{what}: {actual}, expected {expected} +- {tolerance}"
    );
}
