//! `check_sql`: whether a query may run, and what is wrong with it.

use contracts::tools::ToolEnvelope;
use contracts::tools::sql::{CheckSqlArguments, SqlCheck};
use service_kit::identity::Identity;

use super::{SqlTools, findings, unanswered};
use crate::error::Error;

pub(super) async fn run(
    tools: &SqlTools,
    caller: &Identity,
    arguments: CheckSqlArguments,
) -> Result<ToolEnvelope<SqlCheck>, Error> {
    let tenant = &caller.tenant;
    let target = tools.target(tenant, arguments.target.as_deref()).await?;
    let checked = target
        .check(&arguments.sql, tenant, target.limits().max_rows)
        .await
        .map_err(|error| unanswered(target.name(), &error))?;
    // As it is after the check, which may have read it again.
    let catalogue = tools.catalogue(&target).await?;
    let target = target.name().to_owned();
    Ok(ToolEnvelope::ok(match checked {
        Ok(checked) => SqlCheck {
            target,
            valid: true,
            sql: Some(checked.sql),
            tables: checked.tables,
            findings: Vec::new(),
        },
        Err(found) => SqlCheck {
            findings: findings(&target, &catalogue, found),
            target,
            valid: false,
            sql: None,
            tables: Vec::new(),
        },
    }))
}
