//! The demonstration's tables: users, what they may see, inventories.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::figures;

/// The role of a new user.
const ROLE: &str = "viewer";

/// An inventory and its city.
#[derive(Debug)]
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
#[derive(Debug)]
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

impl Inventory {
    /// The inventory as the interface returns it.
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
    let known = sqlx::query_scalar!(
        "SELECT role FROM demo_inventory.users WHERE subject = $1",
        user,
    )
    .fetch_optional(pool)
    .await?;
    if let Some(role) = known {
        return Ok(role);
    }
    fill(pool).await?;
    let mut transaction = pool.begin().await?;
    sqlx::query!(
        "INSERT INTO demo_inventory.users (subject, role) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        user,
        ROLE,
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!(
        "INSERT INTO demo_inventory.rights (subject, locode)
         SELECT $1, unnest($2::text[])
         ON CONFLICT DO NOTHING",
        user,
        figures::open_cities() as _,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(ROLE.to_owned())
}

/// The data that are kept of a user; `None` for one who is not known.
pub(super) async fn kept_of(pool: &PgPool, user: &str) -> Result<Option<Value>, sqlx::Error> {
    let found = sqlx::query_file!("queries/kept_of.sql", user)
        .fetch_optional(pool)
        .await?;
    Ok(found.map(|row| {
        json!({
            "user": { "role": row.role, "created": row.created_at.to_rfc3339() },
            "rights": row.locodes,
        })
    }))
}

/// Erases a user with all rights.
pub(super) async fn erase(pool: &PgPool, user: &str) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM demo_inventory.users WHERE subject = $1", user)
        .execute(pool)
        .await
        .map(drop)
}

/// The inventories that a user may see, city by city, the newest first.
pub(super) async fn inventories_of(
    pool: &PgPool,
    user: &str,
) -> Result<Vec<Inventory>, sqlx::Error> {
    sqlx::query_file_as!(Inventory, "queries/inventories_of.sql", user)
        .fetch_all(pool)
        .await
}

/// One inventory, the user who asks.
pub(super) async fn inventory(pool: &PgPool, id: &str) -> Result<Option<Inventory>, sqlx::Error> {
    let Ok(id) = id.parse::<Uuid>() else {
        return Ok(None);
    };
    sqlx::query_file_as!(Inventory, "queries/inventory.sql", id)
        .fetch_optional(pool)
        .await
}

/// Whether a user may see a city.
pub(super) async fn may_see(pool: &PgPool, user: &str, locode: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM demo_inventory.rights WHERE subject = $1 AND locode = $2) AS "may_see!""#,
        user,
        locode,
    )
    .fetch_one(pool)
    .await
}

/// The lines of an inventory.
pub(super) async fn emissions(pool: &PgPool, id: Uuid) -> Result<Vec<Emission>, sqlx::Error> {
    sqlx::query_file_as!(Emission, "queries/emissions.sql", id,)
        .fetch_all(pool)
        .await
}

/// Inserts missing cities and inventories.
async fn fill(pool: &PgPool) -> Result<(), sqlx::Error> {
    let mut transaction = pool.begin().await?;
    for city in figures::CITIES {
        sqlx::query!(
            "INSERT INTO demo_inventory.cities (locode, name, country, country_locode, region, region_locode, area_km2)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT DO NOTHING",
            city.locode,
            city.name,
            figures::COUNTRY,
            figures::COUNTRY_LOCODE,
            city.region,
            city.region_locode,
            city.area_km2,
        )
        .execute(&mut *transaction)
        .await?;
        for year in figures::YEARS {
            let id = figures::inventory_id(city, year);
            sqlx::query!(
                "INSERT INTO demo_inventory.inventories (inventory_id, locode, name, year)
                 VALUES ($1, $2, $3, $4)
                 ON CONFLICT DO NOTHING",
                id,
                city.locode,
                format!("{} - {year}", city.name),
                year,
            )
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
    sqlx::query!(
        "INSERT INTO demo_inventory.emissions
             (inventory_id, reference, sector, subsector, scope, co2, ch4, n2o, co2eq, source)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT DO NOTHING",
        id,
        line.reference,
        line.sector,
        line.subsector,
        line.scope,
        line.co2,
        line.ch4,
        line.n2o,
        line.co2eq,
        line.source,
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}
