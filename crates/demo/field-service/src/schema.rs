//! Creates and removes the tables, the views and the role.

use sqlx::{AssertSqlSafe, Executor, MySqlConnection};

use crate::{Error, Secrets};

/// The statements that create the tables, ordered so that each table refers only to earlier ones.
const SCHEMA: [&str; 6] = [
    include_str!("../schema/organisation.sql"),
    include_str!("../schema/customers.sql"),
    include_str!("../schema/work.sql"),
    include_str!("../schema/stock.sql"),
    include_str!("../schema/money.sql"),
    include_str!("../schema/marker.sql"),
];
const VIEWS: &str = include_str!("../schema/views.sql");

/// The table with the row that marks a complete load.
pub(crate) const MARKER: &str = "demoLoad";

/// Tables with encrypted columns, and the views that decrypt them.
pub const SECURE_VIEWS: [(&str, &str); 6] = [
    ("user", "secure_user"),
    ("employee", "secure_employee"),
    ("workOrder", "secure_workorder"),
    ("customer", "secure_customer"),
    ("customerLocation", "secure_customerlocation"),
    ("customerContact", "secure_customercontact"),
];

/// All tables that users can ask about.
pub const TABLES: [&str; 45] = [
    "company",
    "role",
    "skill",
    "user",
    "employee",
    "employeeSkill",
    "timeOff",
    "overtimeRule",
    "vehicle",
    "vehicleAssignment",
    "serviceLevel",
    "assetType",
    "customer",
    "customerLocation",
    "customerContact",
    "contract",
    "asset",
    "workOrderStatus",
    "workOrderType",
    "workOrder",
    "crew",
    "employeeCrew",
    "workTime",
    "schedule",
    "inspectionTemplate",
    "inspectionQuestion",
    "inspection",
    "inspectionAnswer",
    "note",
    "attachment",
    "customerFeedback",
    "partCategory",
    "supplier",
    "part",
    "warehouse",
    "stockLevel",
    "purchaseOrder",
    "purchaseOrderLine",
    "workOrderPart",
    "quote",
    "quoteLine",
    "invoice",
    "invoiceLine",
    "payment",
    "expense",
];

/// Creates the tables.
pub(crate) async fn make_tables(connection: &mut MySqlConnection) -> Result<(), Error> {
    for statements in SCHEMA {
        sqlx::raw_sql(statements).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Creates the function and the views.
pub(crate) async fn make_views(connection: &mut MySqlConnection) -> Result<(), Error> {
    sqlx::raw_sql(VIEWS).execute(&mut *connection).await?;
    Ok(())
}

/// Removes everything that this crate creates, and nothing else.
pub(crate) async fn remove(connection: &mut MySqlConnection) -> Result<(), Error> {
    connection.execute("SET foreign_key_checks = 0").await?;
    for (_, view) in SECURE_VIEWS {
        run(connection, format!("DROP VIEW IF EXISTS {view}")).await?;
    }
    connection
        .execute("DROP FUNCTION IF EXISTS sessionKey")
        .await?;
    for table in TABLES.into_iter().chain([MARKER]) {
        run(connection, format!("DROP TABLE IF EXISTS `{table}`")).await?;
    }
    connection.execute("SET foreign_key_checks = 1").await?;
    Ok(())
}

/// The name of the read-only role. Each database has its own, because roles belong to the server.
pub(crate) fn reader(database: &str) -> String {
    format!("{database}_reader")
}

/// Creates the role that Heliograph connects with. It can read the secure views and the tables
/// without secrets. The REFERENCES permission shows the tables behind the views and their keys, but
/// no rows.
pub(crate) async fn grant(
    connection: &mut MySqlConnection,
    database: &str,
    secrets: &Secrets,
) -> Result<(), Error> {
    let role = format!("'{}'@'%'", reader(database));
    let password = &secrets.reader_password;
    run(
        connection,
        format!("CREATE USER IF NOT EXISTS {role} IDENTIFIED BY '{password}'"),
    )
    .await?;
    run(
        connection,
        format!("ALTER USER {role} IDENTIFIED BY '{password}'"),
    )
    .await?;
    // Revoke the permissions of an earlier version.
    run(
        connection,
        format!("REVOKE ALL PRIVILEGES, GRANT OPTION FROM {role}"),
    )
    .await?;
    for (table, view) in SECURE_VIEWS {
        run(
            connection,
            format!("GRANT SELECT ON `{database}`.{view} TO {role}"),
        )
        .await?;
        run(
            connection,
            format!("GRANT REFERENCES ON `{database}`.`{table}` TO {role}"),
        )
        .await?;
    }
    let is_secure = |table: &str| SECURE_VIEWS.iter().any(|(name, _)| *name == table);
    for table in TABLES.into_iter().filter(|table| !is_secure(table)) {
        run(
            connection,
            format!("GRANT SELECT ON `{database}`.`{table}` TO {role}"),
        )
        .await?;
    }
    Ok(())
}

/// The statements contain names and passwords that were checked. They have no bound values, because
/// these statements do not support any.
async fn run(connection: &mut MySqlConnection, statement: String) -> Result<(), sqlx::Error> {
    connection.execute(AssertSqlSafe(statement)).await.map(drop)
}
