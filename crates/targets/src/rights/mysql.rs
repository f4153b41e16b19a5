//! `MySQL` and `MariaDB`: the grants of the account and of each role that is granted to it, also of
//! roles that are not active by default.

use sqlx::mysql::{MySqlConnection, MySqlPool};
use sqlx::{AssertSqlSafe, Connection, Error};

use super::{Privilege, Rights};

/// Privileges that only read, or that only show what there is. REFERENCES shows foreign keys, and
/// creates none without CREATE or ALTER.
const READING: [&str; 16] = [
    "USAGE",
    "SELECT",
    "SHOW VIEW",
    "SHOW DATABASES",
    "SHOW CREATE ROUTINE",
    "REFERENCES",
    "EXECUTE",
    "PROCESS",
    "REPLICATION CLIENT",
    "BINLOG MONITOR",
    "SLAVE MONITOR",
    "REPLICA MONITOR",
    "SHOW_ROUTINE",
    "SENSITIVE_VARIABLES_OBSERVER",
    "AUDIT_ABORT_EXEMPT",
    "FIREWALL_EXEMPT",
];

/// The privileges of the account.
pub(super) async fn rights(pool: &MySqlPool, is_mariadb: bool) -> Result<Rights, Error> {
    let mut connection = pool.acquire().await?;
    let role: String = sqlx::query_scalar("SELECT CURRENT_USER()")
        .fetch_one(&mut *connection)
        .await?;
    let account = quoted_account(&role);
    let own: Vec<String> = grants(&mut connection)
        .await?
        .into_iter()
        .filter(|grant| parts(grant).is_some_and(|parts| parts.holder == account))
        .collect();
    let mut privileges: Vec<Privilege> = own.iter().filter_map(|grant| beyond(grant)).collect();
    let roles: Vec<String> = own.iter().filter_map(|grant| granted_role(grant)).collect();
    if is_mariadb && let Ok(public) = public_grants(&mut connection).await {
        privileges.extend(public.iter().filter_map(|grant| beyond(grant)));
    }
    if !roles.is_empty() {
        // The roles are activated on a connection that goes back to no pool.
        let mut apart = connection.detach();
        let found = by_roles(&mut apart, &account, &own, &roles).await;
        apart.close().await?;
        privileges.extend(found?);
    }
    let mut kept: Vec<Privilege> = Vec::new();
    for privilege in privileges {
        if !kept.iter().any(|known| known.name == privilege.name) {
            kept.push(privilege);
        }
    }
    Ok(Rights {
        role,
        privileges: kept,
    })
}

/// The privileges that the roles of an account bring, and the roles of these roles.
async fn by_roles(
    connection: &mut MySqlConnection,
    account: &str,
    own: &[String],
    roles: &[String],
) -> Result<Vec<Privilege>, Error> {
    let mut found = Vec::new();
    for role in roles {
        // The grants of an active role are shown, with those of the roles that are granted to it.
        sqlx::raw_sql(AssertSqlSafe(format!("SET ROLE {role}")))
            .execute(&mut *connection)
            .await?;
        let shown = grants(connection).await?;
        let of_role = shown.iter().filter(|grant| !own.contains(*grant));
        for privilege in of_role.filter_map(|grant| beyond(grant)) {
            found.push(Privilege {
                name: format!("{} by the role {role}", privilege.name),
                remedy: format!("REVOKE {role} FROM {account}"),
            });
        }
    }
    Ok(found)
}

async fn grants(connection: &mut MySqlConnection) -> Result<Vec<String>, Error> {
    sqlx::query_scalar("SHOW GRANTS")
        .fetch_all(connection)
        .await
}

/// The grants of PUBLIC; a server before `MariaDB` 10.11 has none.
async fn public_grants(connection: &mut MySqlConnection) -> Result<Vec<String>, Error> {
    sqlx::raw_sql("SHOW GRANTS FOR PUBLIC")
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| sqlx::Row::try_get(row, 0))
        .collect()
}

/// A line of `SHOW GRANTS`, taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Grant<'g> {
    /// The privileges with their columns; of a role that is granted, its name.
    privileges: Vec<&'g str>,
    /// The object; absent where a role is granted.
    object: Option<&'g str>,
    holder: &'g str,
    /// Whether the holder may hand the privileges on.
    with_grant_option: bool,
}

/// Takes a line of `SHOW GRANTS` apart.
fn parts(line: &str) -> Option<Grant<'_>> {
    let rest = line.strip_prefix("GRANT ")?;
    let to = find(rest, " TO ")?;
    let (what, rest) = (&rest[..to], &rest[to + " TO ".len()..]);
    let holder = &rest[..find(rest, " ").unwrap_or(rest.len())];
    let (privileges, object) = match find(what, " ON ") {
        Some(on) => (&what[..on], Some(&what[on + " ON ".len()..])),
        None => (what, None),
    };
    let mut listed = Vec::new();
    let mut left = privileges;
    while let Some(comma) = find(left, ",") {
        listed.push(left[..comma].trim());
        left = &left[comma + 1..];
    }
    listed.push(left.trim());
    Some(Grant {
        privileges: listed,
        object,
        holder,
        with_grant_option: find(rest, " WITH GRANT OPTION").is_some()
            || find(rest, " GRANT OPTION").is_some(),
    })
}

/// The first place of a text that is in no quotes and no parentheses.
fn find(line: &str, wanted: &str) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0_usize);
    for (at, c) in line.char_indices() {
        if quote.is_none() && depth == 0 && line[at..].starts_with(wanted) {
            return Some(at);
        }
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '`' | '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (Some(_) | None, _) => {}
        }
    }
    None
}

/// The role that a line grants.
fn granted_role(line: &str) -> Option<String> {
    let grant = parts(line)?;
    match (grant.object, grant.privileges.as_slice()) {
        (None, [role]) => Some((*role).to_owned()),
        _ => None,
    }
}

/// What of a grant goes beyond reading.
fn beyond(line: &str) -> Option<Privilege> {
    let grant = parts(line)?;
    let object = grant.object?;
    let name = |privilege: &&str| {
        let name = privilege.split('(').next().unwrap_or_default();
        name.trim().to_uppercase()
    };
    let mut more: Vec<&str> = grant
        .privileges
        .iter()
        .filter(|privilege| !READING.contains(&name(privilege).as_str()))
        .copied()
        .collect();
    if more.is_empty() && grant.with_grant_option {
        more.push("GRANT OPTION");
    }
    if more.is_empty() {
        return None;
    }
    let more = more.join(", ");
    Some(Privilege {
        name: format!("{more} on {object}"),
        remedy: format!("REVOKE {more} ON {object} FROM {}", grant.holder),
    })
}

/// `reader@%` as the server writes it in a grant.
fn quoted_account(account: &str) -> String {
    match account.rsplit_once('@') {
        Some((name, host)) => format!("`{name}`@`{host}`"),
        None => format!("`{account}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_beyond_reading_are_found_with_their_remedies() {
        let read = |line: &str| beyond(line).map(|found| (found.name, found.remedy));
        for line in [
            "GRANT USAGE ON *.* TO `r`@`%` IDENTIFIED BY PASSWORD '*B6 TO ALL ON' WITH MAX_USER_CONNECTIONS 30",
            "GRANT SELECT (`a`, `update`), SHOW VIEW ON `d`.`on to` TO `r`@`%`",
            "GRANT REFERENCES ON `d`.`crew` TO `r`@`%`",
            "GRANT EXECUTE ON FUNCTION `d`.`f` TO `r`@`%`",
            "GRANT `writer` TO `r`@`%`",
            "SET DEFAULT ROLE `writer` FOR `r`@`%`",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
        for (line, name, remedy) in [
            (
                "GRANT SELECT (`id`), UPDATE (`name`, `id`) ON `d`.`crew` TO `r`@`%`",
                "UPDATE (`name`, `id`) on `d`.`crew`",
                "REVOKE UPDATE (`name`, `id`) ON `d`.`crew` FROM `r`@`%`",
            ),
            (
                "GRANT FILE, EVENT ON *.* TO `r`@`%` IDENTIFIED BY PASSWORD '*B6'",
                "FILE, EVENT on *.*",
                "REVOKE FILE, EVENT ON *.* FROM `r`@`%`",
            ),
            (
                "GRANT ALL PRIVILEGES ON *.* TO `root`@`127.0.0.1` IDENTIFIED BY PASSWORD '*8' WITH GRANT OPTION",
                "ALL PRIVILEGES on *.*",
                "REVOKE ALL PRIVILEGES ON *.* FROM `root`@`127.0.0.1`",
            ),
            (
                "GRANT SELECT ON `d`.* TO `r`@`%` WITH GRANT OPTION",
                "GRANT OPTION on `d`.*",
                "REVOKE GRANT OPTION ON `d`.* FROM `r`@`%`",
            ),
            (
                "GRANT PROXY ON `root`@`127.0.0.1` TO `r`@`%`",
                "PROXY on `root`@`127.0.0.1`",
                "REVOKE PROXY ON `root`@`127.0.0.1` FROM `r`@`%`",
            ),
            (
                "GRANT ALTER ROUTINE ON PROCEDURE `d`.`p` TO `r`@`%`",
                "ALTER ROUTINE on PROCEDURE `d`.`p`",
                "REVOKE ALTER ROUTINE ON PROCEDURE `d`.`p` FROM `r`@`%`",
            ),
            (
                "GRANT BACKUP_ADMIN,ROLE_ADMIN ON *.* TO `r`@`%`",
                "BACKUP_ADMIN, ROLE_ADMIN on *.*",
                "REVOKE BACKUP_ADMIN, ROLE_ADMIN ON *.* FROM `r`@`%`",
            ),
        ] {
            let expected = Some((name.to_owned(), remedy.to_owned()));
            assert_eq!(read(line), expected, "{line}");
        }
        assert_eq!(
            granted_role("GRANT `writer`@`%` TO `r`@`%` WITH ADMIN OPTION").as_deref(),
            Some("`writer`@`%`")
        );
    }
}
