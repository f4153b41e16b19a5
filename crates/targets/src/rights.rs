//! The rights of the role that a target is read with: a role that may write is not used unless its
//! operator permits it.

use sqlx::Error;

use crate::connection::{Kind, Pool};

/// Superusers are reported with the name of the role; write access with the names of tables.
const POSTGRESQL_ROLE: &str =
    "SELECT current_user::text, rolsuper FROM pg_roles WHERE rolname = current_user";

/// The tables that the role may write to, in the schemas that a target shows.
const POSTGRESQL_WRITABLE: &str = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE (n.nspname = ANY (current_schemas(false)) OR n.nspname = ANY ($1)) AND has_schema_privilege(n.oid, 'USAGE') \
        AND c.relkind IN ('r', 'p', 'v', 'f') AND NOT c.relispartition \
        AND (has_any_column_privilege(c.oid, 'INSERT') OR has_any_column_privilege(c.oid, 'UPDATE') \
            OR has_table_privilege(c.oid, 'DELETE') OR has_table_privilege(c.oid, 'TRUNCATE')) \
    ORDER BY c.relname LIMIT 100";

/// Privileges of the account itself; those that come by a role are seen at the columns.
#[cfg(feature = "mariadb")]
const MYSQL_GRANTS: &str = "SELECT CONCAT(PRIVILEGE_TYPE, ' on all databases'), PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES \
        WHERE GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''') \
    UNION SELECT CONCAT(PRIVILEGE_TYPE, ' on this database'), PRIVILEGE_TYPE FROM information_schema.SCHEMA_PRIVILEGES \
        WHERE GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''') AND DATABASE() LIKE TABLE_SCHEMA \
    UNION SELECT CONCAT(PRIVILEGE_TYPE, ' on ', TABLE_NAME), PRIVILEGE_TYPE FROM information_schema.TABLE_PRIVILEGES \
        WHERE GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''') AND TABLE_SCHEMA = DATABASE()";

/// The session's rights on columns, from any source.
#[cfg(feature = "mariadb")]
const MYSQL_COLUMNS: &str = "SELECT DISTINCT TABLE_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() \
    AND (PRIVILEGES LIKE '%insert%' OR PRIVILEGES LIKE '%update%') ORDER BY TABLE_NAME LIMIT 100";

/// Privileges that change data or what holds it.
#[cfg(feature = "mariadb")]
const WRITING: [&str; 8] = [
    "INSERT", "UPDATE", "DELETE", "DROP", "CREATE", "ALTER", "TRIGGER", "EVENT",
];
/// Privileges over the whole server.
#[cfg(feature = "mariadb")]
const SUPER: [&str; 4] = ["SUPER", "SYSTEM_USER", "CREATE USER", "SHUTDOWN"];

/// Maximum number of items in a sentence.
const NAMED: usize = 5;

/// What makes a role more than a reader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rights {
    /// The role.
    pub(crate) role: String,
    /// Whether it may do anything on the server.
    pub(crate) superuser: bool,
    /// The tables that it may write to.
    pub(crate) writes: Vec<String>,
}

impl Rights {
    /// The role's rights beyond reading; `None` if it only reads.
    pub(crate) fn beyond_reading(&self) -> Option<String> {
        if self.superuser {
            return Some("is a superuser".to_owned());
        }
        let (named, more) = self.writes.split_at(self.writes.len().min(NAMED));
        let listed = named.join(", ");
        match (named.is_empty(), more.len()) {
            (true, _) => None,
            (false, 0) => Some(format!("may write: {listed}")),
            (false, more) => Some(format!("may write: {listed}, and {more} more")),
        }
    }
}

impl Pool {
    /// The rights of the target's role. Schemas beside those of its search path are looked at, too.
    pub(crate) async fn rights(&self, schemas: &[String]) -> Result<Rights, Error> {
        match self.kind() {
            Kind::PostgreSql(pool) => {
                let mut connection = pool.acquire().await?;
                let (role, superuser) = sqlx::query_as(POSTGRESQL_ROLE)
                    .fetch_one(&mut *connection)
                    .await?;
                let writes = sqlx::query_scalar(POSTGRESQL_WRITABLE)
                    .bind(schemas)
                    .fetch_all(&mut *connection)
                    .await?;
                Ok(Rights {
                    role,
                    superuser,
                    writes,
                })
            }
            #[cfg(feature = "mariadb")]
            Kind::MySql(pool) => {
                let mut connection = pool.acquire().await?;
                let role: String = sqlx::query_scalar("SELECT CURRENT_USER()")
                    .fetch_one(&mut *connection)
                    .await?;
                let grants: Vec<(String, String)> = sqlx::query_as(MYSQL_GRANTS)
                    .fetch_all(&mut *connection)
                    .await?;
                let columns: Vec<String> = sqlx::query_scalar(MYSQL_COLUMNS)
                    .fetch_all(&mut *connection)
                    .await?;
                let has = |names: &[&str], privilege: &str| names.contains(&privilege);
                let superuser = grants.iter().any(|(_, privilege)| has(&SUPER, privilege));
                let mut writes: Vec<String> = grants
                    .into_iter()
                    .filter(|(_, privilege)| has(&WRITING, privilege))
                    .map(|(what, _)| what)
                    .collect();
                if writes.is_empty() {
                    writes = columns
                        .into_iter()
                        .map(|table| format!("INSERT or UPDATE on {table}"))
                        .collect();
                }
                Ok(Rights {
                    role,
                    superuser,
                    writes,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_role_may_do_beyond_reading_is_told_with_a_few_names() {
        let rights = |writes: &[&str]| Rights {
            writes: writes.iter().map(|&name| name.to_owned()).collect(),
            ..Rights::default()
        };
        assert_eq!(rights(&[]).beyond_reading(), None);
        assert_eq!(
            rights(&["a", "b", "c", "d", "e", "f"])
                .beyond_reading()
                .unwrap(),
            "may write: a, b, c, d, e, and 1 more"
        );
    }
}
