//! The demonstration's tables: users, what they may see, inventories.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::figures;

/// What a new user is.
const ROLE: &str = "viewer";

/// An inventory and its city.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Inventory {
    pub(super) id: Uuid,
    title: String,
    pub(super) year: i32,
    pub(super) total: f64,
    pub(super) locode: String,
    pub(super) name: String,
    country: String,
    country_locode: String,
    region: String,
    region_locode: String,
    area_km2: f64,
}

/// One line of an inventory, tonnes a year.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Emission {
    pub(super) reference: String,
    pub(super) sector: String,
    pub(super) subsector: String,
    pub(super) scope: i16,
    pub(super) co2: f64,
    pub(super) ch4: f64,
    pub(super) n2o: f64,
    pub(super) co2eq: f64,
    pub(super) source: String,
}

/// The start of every query for inventories.
macro_rules! inventories {
    ($rest:literal) => {
        concat!(
            "SELECT i.inventory_id AS id, i.name AS title, i.year, c.locode, c.name, c.country, c.country_locode, c.region,
                    c.region_locode, c.area_km2,
                    (SELECT coalesce(sum(e.co2eq), 0) FROM tools.demo_inventory_emissions e
                     WHERE e.inventory_id = i.inventory_id) AS total
             FROM tools.demo_inventories i
             JOIN tools.demo_inventory_cities c ON c.locode = i.locode ",
            $rest
        )
    };
}

impl Inventory {
    /// As its interface tells it.
    pub(super) fn told(&self) -> Value {
        json!({
            "inventoryId": self.id,
            "inventoryName": self.title,
            "year": self.year,
            "inventoryType": "gpc_basic",
            "globalWarmingPotentialType": "ar5",
            "totalEmissions": figures::rounded(self.total),
            "city": {
                "name": self.name,
                "locode": self.locode,
                "country": self.country,
                "countryLocode": self.country_locode,
                "region": self.region,
                "regionLocode": self.region_locode,
                "area": self.area_km2,
            },
        })
    }
}

/// The role of a user, who is made, with rights to all cities but the last, when he is new.
pub(super) async fn provision(pool: &PgPool, user: &str) -> Result<String, sqlx::Error> {
    let known =
        sqlx::query_scalar("SELECT role FROM tools.demo_inventory_users WHERE subject = $1")
            .bind(user)
            .fetch_optional(pool)
            .await?;
    if let Some(role) = known {
        return Ok(role);
    }
    fill(pool).await?;
    let mut transaction = pool.begin().await?;
    sqlx::query("INSERT INTO tools.demo_inventory_users (subject, role) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .bind(user)
        .bind(ROLE)
        .execute(&mut *transaction)
        .await?;
    sqlx::query(
        "INSERT INTO tools.demo_inventory_rights (subject, locode)
         SELECT $1, unnest($2::text[])
         ON CONFLICT DO NOTHING",
    )
    .bind(user)
    .bind(figures::open_cities())
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(ROLE.to_owned())
}

/// What a user may see, city by city, the newest first.
pub(super) async fn inventories_of(
    pool: &PgPool,
    user: &str,
) -> Result<Vec<Inventory>, sqlx::Error> {
    sqlx::query_as(inventories!(
        "JOIN tools.demo_inventory_rights r ON r.locode = c.locode
         WHERE r.subject = $1
         ORDER BY c.name, i.year DESC
         LIMIT 1000"
    ))
    .bind(user)
    .fetch_all(pool)
    .await
}

/// One inventory, whoever asks.
pub(super) async fn inventory(pool: &PgPool, id: &str) -> Result<Option<Inventory>, sqlx::Error> {
    let Ok(id) = id.parse::<Uuid>() else {
        return Ok(None);
    };
    sqlx::query_as(inventories!("WHERE i.inventory_id = $1"))
        .bind(id)
        .fetch_optional(pool)
        .await
}

/// Whether a user may see a city.
pub(super) async fn may_see(pool: &PgPool, user: &str, locode: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM tools.demo_inventory_rights WHERE subject = $1 AND locode = $2)",
    )
    .bind(user)
    .bind(locode)
    .fetch_one(pool)
    .await
}

/// The lines of an inventory.
pub(super) async fn emissions(pool: &PgPool, id: Uuid) -> Result<Vec<Emission>, sqlx::Error> {
    sqlx::query_as(
        "SELECT reference, sector, subsector, scope, co2, ch4, n2o, co2eq, source
         FROM tools.demo_inventory_emissions
         WHERE inventory_id = $1
         ORDER BY reference
         LIMIT 1000",
    )
    .bind(id)
    .fetch_all(pool)
    .await
}

/// Makes cities and inventories; what is there stays.
async fn fill(pool: &PgPool) -> Result<(), sqlx::Error> {
    let mut transaction = pool.begin().await?;
    for city in figures::CITIES {
        sqlx::query(
            "INSERT INTO tools.demo_inventory_cities (locode, name, country, country_locode, region, region_locode, area_km2)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT DO NOTHING",
        )
        .bind(city.locode)
        .bind(city.name)
        .bind(figures::COUNTRY)
        .bind(figures::COUNTRY_LOCODE)
        .bind(city.region)
        .bind(city.region_locode)
        .bind(city.area_km2)
        .execute(&mut *transaction)
        .await?;
        for year in figures::YEARS {
            let id = figures::inventory_id(city, year);
            sqlx::query(
                "INSERT INTO tools.demo_inventories (inventory_id, locode, name, year)
                 VALUES ($1, $2, $3, $4)
                 ON CONFLICT DO NOTHING",
            )
            .bind(id)
            .bind(city.locode)
            .bind(format!("{} - {year}", city.name))
            .bind(year)
            .execute(&mut *transaction)
            .await?;
            for line in figures::lines(city, year) {
                insert(&mut transaction, id, &line).await?;
            }
        }
    }
    transaction.commit().await
}

async fn insert(
    transaction: &mut sqlx::PgTransaction<'_>,
    id: Uuid,
    line: &Emission,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO tools.demo_inventory_emissions
             (inventory_id, reference, sector, subsector, scope, co2, ch4, n2o, co2eq, source)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT DO NOTHING",
    )
    .bind(id)
    .bind(&line.reference)
    .bind(&line.sector)
    .bind(&line.subsector)
    .bind(line.scope)
    .bind(line.co2)
    .bind(line.ch4)
    .bind(line.n2o)
    .bind(line.co2eq)
    .bind(&line.source)
    .execute(&mut **transaction)
    .await
    .map(drop)
}
