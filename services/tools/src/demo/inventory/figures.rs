//! The demonstration's figures: three cities that do not exist, with emissions as cities of their
//! kind have them, by the sectors and reference numbers of the Global Protocol for Community-Scale
//! Greenhouse Gas Inventories. The same on every day and machine.

use indexmap::IndexMap;
use serde_json::{Value, json};
use uuid::Uuid;

use super::store::{Emission, Inventory};

/// The years with an inventory.
pub(super) const YEARS: [i32; 3] = [2018, 2020, 2022];

/// The country of all; no country has the code.
pub(super) const COUNTRY: &str = "Demonstria";
/// The code of the country.
pub(super) const COUNTRY_LOCODE: &str = "XD";

/// AR5, a hundred years: a tonne of methane and of nitrous oxide in tonnes of carbon dioxide.
const CH4: f64 = 28.0;
const N2O: f64 = 265.0;

/// A city that emits.
pub(super) struct City {
    pub(super) locode: &'static str,
    pub(super) name: &'static str,
    pub(super) region: &'static str,
    pub(super) region_locode: &'static str,
    pub(super) area_km2: f64,
    population: f64,
    /// By sector, against the usual: stationary energy, transportation, waste, industry, land use.
    profile: [f64; 5],
    /// The yearly factor of its emissions.
    trend: f64,
}

/// The cities. The last is not for all users.
pub(super) const CITIES: &[City] = &[
    City {
        locode: "XD PMD",
        name: "Port Meridian",
        region: "Meridian Coast",
        region_locode: "XD-MC",
        area_km2: 214.6,
        population: 412_300.0,
        profile: [1.0, 1.35, 0.9, 1.2, 0.3],
        trend: 0.982,
    },
    City {
        locode: "XD KSF",
        name: "Kestrel Falls",
        region: "Upper Kestrel",
        region_locode: "XD-UK",
        area_km2: 96.1,
        population: 96_750.0,
        profile: [0.55, 1.1, 0.8, 0.4, 1.6],
        trend: 0.968,
    },
    City {
        locode: "XD MCL",
        name: "Monte Claro",
        region: "Central Plateau",
        region_locode: "XD-CP",
        area_km2: 681.0,
        population: 1_184_000.0,
        profile: [1.15, 0.95, 1.25, 1.0, 0.5],
        trend: 0.994,
    },
];

/// The emissions of a city of 1.0 for each inhabitant: reference, sub-sector, scope, tonnes of CO2,
/// of CH4, of N2O, and the source.
struct Line(&'static str, &'static str, i16, f64, f64, f64, &'static str);

const SECTORS: [&str; 5] = [
    "Stationary Energy",
    "Transportation",
    "Waste",
    "Industrial Processes and Product Use",
    "Agriculture, Forestry and Other Land Use",
];

const LINES: &[Line] = &[
    Line(
        "I.1.1",
        "Residential buildings",
        1,
        0.43,
        0.000_038,
        0.000_000_8,
        "National gas network statistics",
    ),
    Line(
        "I.1.2",
        "Residential buildings",
        2,
        0.52,
        0.000_009,
        0.000_006,
        "Grid operator, city feed-in meters",
    ),
    Line(
        "I.2.1",
        "Commercial and institutional buildings and facilities",
        1,
        0.21,
        0.000_019,
        0.000_000_4,
        "National gas network statistics",
    ),
    Line(
        "I.2.2",
        "Commercial and institutional buildings and facilities",
        2,
        0.61,
        0.000_011,
        0.000_007,
        "Grid operator, city feed-in meters",
    ),
    Line(
        "I.3.1",
        "Manufacturing industries and construction",
        1,
        0.38,
        0.000_021,
        0.000_003,
        "Industrial energy survey",
    ),
    Line(
        "I.8.1",
        "Fugitive emissions from oil and natural gas systems",
        1,
        0.001,
        0.001_9,
        0.0,
        "Gas distribution leak model",
    ),
    Line(
        "II.1.1",
        "On-road transportation",
        1,
        1.12,
        0.000_085,
        0.000_052,
        "Traffic counts and fleet register",
    ),
    Line(
        "II.1.2",
        "On-road transportation",
        2,
        0.018,
        0.0,
        0.0,
        "Charging point operators",
    ),
    Line(
        "II.2.1",
        "Railways",
        1,
        0.02,
        0.000_001,
        0.000_008,
        "Railway energy report",
    ),
    Line(
        "II.3.1",
        "Waterborne navigation",
        1,
        0.09,
        0.000_008,
        0.000_002,
        "Harbour bunkering records",
    ),
    Line(
        "II.4.3",
        "Aviation",
        3,
        0.24,
        0.000_001_6,
        0.000_006_5,
        "Airport fuel uplift, shared by passengers",
    ),
    Line(
        "III.1.1",
        "Solid waste disposal",
        1,
        0.0,
        0.009_4,
        0.0,
        "Landfill first-order decay model",
    ),
    Line(
        "III.2.1",
        "Biological treatment of waste",
        1,
        0.0,
        0.000_24,
        0.000_014,
        "Composting plant reports",
    ),
    Line(
        "III.4.1",
        "Wastewater treatment and discharge",
        1,
        0.0,
        0.000_9,
        0.000_11,
        "Wastewater utility monitoring",
    ),
    Line(
        "IV.1",
        "Industrial processes",
        1,
        0.17,
        0.0,
        0.000_012,
        "Plant-level reporting",
    ),
    Line(
        "IV.2",
        "Product use",
        1,
        0.06,
        0.0,
        0.000_002,
        "National product use model",
    ),
    Line(
        "V.1",
        "Livestock",
        1,
        0.0,
        0.003_1,
        0.000_02,
        "Agricultural census",
    ),
    Line(
        "V.2",
        "Land",
        1,
        0.045,
        0.0,
        0.0,
        "Land cover change, satellite",
    ),
];

/// The cities that every user may see.
pub(super) fn open_cities() -> Vec<&'static str> {
    let open = CITIES.len().saturating_sub(1);
    CITIES[..open].iter().map(|city| city.locode).collect()
}

/// An inventory's id, the same everywhere.
pub(super) fn inventory_id(city: &City, year: i32) -> Uuid {
    let letters = city
        .locode
        .bytes()
        .fold(0_u64, |id, byte| id << 8 | u64::from(byte));
    Uuid::from_u64_pair(
        0xdec0_0000_0000_4000 | u64::from(year.unsigned_abs()) << 16,
        0x8000_0000_0000_0000 | letters,
    )
}

/// The emissions of a city in a year.
pub(super) fn lines(city: &City, year: i32) -> Vec<Emission> {
    let trend = city.trend.powi(year - YEARS[0]);
    // Few drove and fewer flew that year.
    let moved = if year == 2020 { 0.84 } else { 1.0 };
    let emission = |line: &Line| {
        let sector = sector_of(line.0);
        let moved = if sector == 1 { moved } else { 1.0 };
        let amount = city.population * city.profile[sector] * trend * moved;
        let (co2, ch4, n2o) = (
            rounded(line.3 * amount),
            rounded(line.4 * amount),
            rounded(line.5 * amount),
        );
        Emission {
            reference: line.0.to_owned(),
            sector: SECTORS[sector].to_owned(),
            subsector: line.1.to_owned(),
            scope: line.2,
            co2,
            ch4,
            n2o,
            co2eq: rounded(co2 + CH4 * ch4 + N2O * n2o),
            source: line.6.to_owned(),
        }
    };
    LINES.iter().map(emission).collect()
}

fn sector_of(reference: &str) -> usize {
    match reference.split('.').next() {
        Some("I") => 0,
        Some("II") => 1,
        Some("III") => 2,
        Some("IV") => 3,
        _ => 4,
    }
}

/// To a tenth of a tonne.
pub(super) fn rounded(tonnes: f64) -> f64 {
    (tonnes * 10.0).round() / 10.0
}

/// The inventory with its totals.
pub(super) fn summary(inventory: &Inventory, emissions: &[Emission]) -> Value {
    let mut summary = inventory.told();
    summary["unit"] = "t CO2e".into();
    summary["bySector"] = by_sector(emissions);
    summary["byScope"] = totals(
        emissions,
        |emission| format!("Scope {}", emission.scope),
        "scope",
    );
    summary
}

/// The totals of the sectors.
pub(super) fn by_sector(emissions: &[Emission]) -> Value {
    totals(emissions, |emission| emission.sector.clone(), "sector")
}

fn totals(emissions: &[Emission], key: impl Fn(&Emission) -> String, name: &str) -> Value {
    let mut groups: IndexMap<String, f64> = IndexMap::new();
    for emission in emissions {
        *groups.entry(key(emission)).or_default() += emission.co2eq;
    }
    let total: f64 = groups.values().sum();
    let told = groups.into_iter().map(|(group, co2eq)| {
        let share = if total > 0.0 {
            rounded(co2eq / total * 100.0)
        } else {
            0.0
        };
        json!({ name: group, "co2eq": rounded(co2eq), "sharePercent": share })
    });
    Value::Array(told.collect())
}

/// Every line.
pub(super) fn by_reference(emissions: &[Emission]) -> Value {
    let lines = emissions.iter().map(|line| {
        json!({
            "gpcReferenceNumber": line.reference,
            "sector": line.sector,
            "subsector": line.subsector,
            "scope": line.scope,
            "co2": line.co2,
            "ch4": line.ch4,
            "n2o": line.n2o,
            "co2eq": line.co2eq,
            "datasource": line.source,
        })
    });
    Value::Array(lines.collect())
}

/// The sources of the lines, and one source that could not be used.
pub(super) fn sources(inventory: &Inventory, emissions: &[Emission]) -> Value {
    let used = emissions.iter().map(|line| {
        json!({
            "name": line.source,
            "type": if line.reference.starts_with("II.1") { "activity" } else { "reported" },
            "retrievalMethod": "national_api",
            "geography": inventory.locode,
            "startYear": YEARS[0],
            "endYear": YEARS[YEARS.len() - 1],
            "subSector": line.subsector,
            "gpcReferenceNumber": line.reference,
            "scope": line.scope,
            "issue": null,
            "scaleFactor": 1.0,
            "totals": { "co2eq_100yr": line.co2eq, "co2": line.co2, "ch4": line.ch4, "n2o": line.n2o },
            "recordCount": 12,
        })
    });
    let used: Vec<Value> = used.collect();
    let failed = json!([{
        "name": "Global emission raster",
        "geography": inventory.locode,
        "unavailableReason": "No cells within the boundary for this year",
    }]);
    json!({ "successfulSources": used, "failedSources": failed })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_city_of_this_kind_emits_two_to_seven_tonnes_a_head() {
        for city in CITIES {
            for year in YEARS {
                let total: f64 = lines(city, year).iter().map(|line| line.co2eq).sum();
                let each = total / city.population;
                assert!((2.0..7.0).contains(&each), "{} {year}: {each}", city.name);
            }
        }
    }

    #[test]
    fn every_inventory_has_an_id_of_its_own_and_every_line_a_reference() {
        let ids: HashSet<Uuid> = CITIES
            .iter()
            .flat_map(|city| YEARS.map(|year| inventory_id(city, year)))
            .collect();
        assert_eq!(ids.len(), CITIES.len() * YEARS.len());
        let references: HashSet<&str> = LINES.iter().map(|line| line.0).collect();
        assert_eq!(references.len(), LINES.len());
    }
}
