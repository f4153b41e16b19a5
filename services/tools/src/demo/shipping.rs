//! The analyst's demonstration: the shipments of two freight forwarders up to 15 January 2025, with
//! their ports, vessels and containers.
//!
//! Everything is made by formula, so that the same questions have the same answers on every
//! machine. Some things are as they are for the sake of questions:
//! * `demo` knows two places called Miami, the port and a terminal, `rival` only the port; there is
//!   a Cartagena in Colombia and one in Spain;
//! * 142 shipments reached the Port of Miami in the eight days to 15 January 2025;
//! * delays have reasons: Blue Meridian is slow, weekends are, Miami has been congested since 12
//!   December, and MSC ANNA met a storm.

mod fleet;
mod ports;
mod shipments;

use chrono::{DateTime, NaiveDate, Utc};
use figment::Figment;
use figment::providers::{Format, Toml};
use search_sources::SourceConfig;
use sqlx::{PgPool, PgTransaction};

use self::fleet::Vessel;
use self::ports::Port;
use self::shipments::{Container, Shipment};

/// The tenants of the data: the demonstration's, and another one that must never show through.
pub const TENANTS: [&str; 2] = ["demo", "rival"];

/// The day on which the data end.
const LAST_DAY: NaiveDate = match NaiveDate::from_ymd_opt(2025, 1, 15) {
    Some(day) => day,
    None => NaiveDate::MAX,
};

const SOURCE: &str = include_str!("shipping/source.toml");

/// The source over them, as a `[[sources]]` of `tools.toml` describes it.
pub fn source() -> Result<SourceConfig, Box<figment::Error>> {
    Ok(Figment::from(Toml::string(SOURCE)).extract()?)
}

/// Loads the data of the tenants that have none. Returns whether it loaded any.
pub async fn seed(pool: &PgPool) -> Result<bool, sqlx::Error> {
    let mut loaded = false;
    for tenant in TENANTS {
        let mut transaction = pool.begin().await?;
        let there = sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM tools.demo_ports WHERE tenant = $1) AS "there!""#,
            tenant,
        )
        .fetch_one(&mut *transaction)
        .await?;
        if there {
            continue;
        }
        let ports = ports::of(tenant);
        let vessels = fleet::of(tenant);
        let shipments = shipments::of(tenant, &ports, &vessels);
        let containers: Vec<Container> = shipments.iter().flat_map(Shipment::containers).collect();
        store_ports(&mut transaction, tenant, &ports).await?;
        store_vessels(&mut transaction, tenant, &vessels).await?;
        store_shipments(&mut transaction, tenant, &shipments).await?;
        store_containers(&mut transaction, tenant, &containers).await?;
        transaction.commit().await?;
        loaded = true;
    }
    Ok(loaded)
}

async fn store_ports(
    transaction: &mut PgTransaction<'_>,
    tenant: &str,
    ports: &[Port],
) -> Result<(), sqlx::Error> {
    for port in ports {
        sqlx::query!(
            "INSERT INTO tools.demo_ports (tenant, port_id, name, aliases, unlocode, city, country, terminal)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT DO NOTHING",
            tenant,
            port.id,
            port.name,
            port.aliases as _,
            port.unlocode,
            port.city,
            port.country,
            port.terminal,
        )
        .execute(&mut **transaction)
        .await?;
    }
    Ok(())
}

async fn store_vessels(
    transaction: &mut PgTransaction<'_>,
    tenant: &str,
    vessels: &[Vessel],
) -> Result<(), sqlx::Error> {
    for vessel in vessels {
        sqlx::query!(
            "INSERT INTO tools.demo_vessels
                 (tenant, vessel_id, name, imo, carrier, flag, built, capacity_teu, status, current_port)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             ON CONFLICT DO NOTHING",
            tenant,
            vessel.id,
            vessel.name,
            vessel.imo,
            vessel.carrier,
            vessel.flag,
            vessel.built,
            vessel.capacity_teu,
            vessel.status,
            vessel.current_port,
        )
        .execute(&mut **transaction)
        .await?;
    }
    Ok(())
}

/// The values of one column of some rows.
fn column<'a, R, T>(rows: &'a [R], value: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

async fn store_shipments(
    transaction: &mut PgTransaction<'_>,
    tenant: &str,
    rows: &[Shipment],
) -> Result<(), sqlx::Error> {
    sqlx::query_file!(
        "queries/demo_shipments.sql",
        tenant,
        column(rows, |row| row.id.as_str()) as _,
        column(rows, |row| row.reference.as_str()) as _,
        column(rows, |row| row.status) as _,
        column(rows, |row| row.vessel_id.as_str()) as _,
        column(rows, |row| row.vessel_name) as _,
        column(rows, |row| row.carrier) as _,
        column(rows, |row| row.origin.id) as _,
        column(rows, |row| row.origin.name) as _,
        column(rows, |row| row.destination.id) as _,
        column(rows, |row| row.destination.name) as _,
        column(rows, |row| row.commodity) as _,
        column(rows, |row| row.container_count) as _,
        column(rows, |row| row.weight_kg) as _,
        column(rows, |row| row.value_usd) as _,
        column(rows, |row| row.hazardous) as _,
        column(rows, |row| row.planned_departure) as _,
        column(rows, |row| row.actual_departure) as _,
        column(rows, |row| row.planned_arrival) as _,
        column(rows, |row| row.actual_arrival) as _,
    )
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

async fn store_containers(
    transaction: &mut PgTransaction<'_>,
    tenant: &str,
    rows: &[Container],
) -> Result<(), sqlx::Error> {
    sqlx::query_file!(
        "queries/demo_containers.sql",
        tenant,
        column(rows, |row| row.id.as_str()) as _,
        column(rows, |row| row.kind) as _,
        column(rows, |row| row.size_ft) as _,
        column(rows, |row| row.status) as _,
        column(rows, |row| row.shipment_id.as_str()) as _,
        column(rows, |row| row.location_port) as _,
        column(rows, |row| row.last_event) as _,
        column(rows, |row| row.last_event_at) as _,
        column(rows, |row| row.temperature_c) as _,
    )
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// An hour of a day, to the minute.
fn at(day: NaiveDate, hours: f64) -> DateTime<Utc> {
    let midnight = day.and_time(chrono::NaiveTime::MIN).and_utc();
    midnight + minutes(hours)
}

/// Hours, to the minute.
fn minutes(hours: f64) -> chrono::Duration {
    #[expect(clippy::cast_possible_truncation, reason = "a few thousand minutes")]
    chrono::Duration::minutes((hours * 60.0).round() as i64)
}

#[cfg(test)]
mod tests {
    use service_kit::config::Validate;

    use super::*;

    #[test]
    fn the_source_is_one_that_an_operator_could_have_written() {
        let source = source().unwrap();
        source.validate().unwrap();
        assert!(TENANTS.iter().all(|tenant| source.is_for(tenant)));
        assert!(!source.is_for("elsewhere"));
    }
}
