//! What the role that a target is read with may do beyond reading, by whatever way: its own grants,
//! those of PUBLIC, and those of every role that it is a member of, whether they are inherited, on
//! by default, or need `SET ROLE` first.

#[cfg(feature = "mariadb")]
mod mysql;
mod postgres;

use sqlx::Error;

use crate::connection::{Kind, Pool};

/// The largest number of privileges that are named.
const NAMED: usize = 5;

/// The role of a target, and its privileges beyond reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rights {
    /// The name of the role.
    pub(crate) role: String,
    /// The privileges beyond reading, the strongest first.
    pub(crate) privileges: Vec<Privilege>,
}

/// A privilege beyond reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Privilege {
    /// The privilege and its object: `INSERT on public.crew`.
    pub(crate) name: String,
    /// The statement that takes it away.
    pub(crate) remedy: String,
}

impl Rights {
    /// The privileges beyond reading with the statements that take them away; `None` if the role
    /// only reads.
    pub(crate) fn beyond_reading(&self) -> Option<String> {
        if self.privileges.is_empty() {
            return None;
        }
        let (named, more) = match self.privileges.as_slice() {
            // A superuser has all other privileges as well.
            [first, ..] if first.name.starts_with("SUPERUSER") => (&self.privileges[..1], &[][..]),
            all => all.split_at(all.len().min(NAMED)),
        };
        let listed: Vec<&str> = named.iter().map(|it| it.name.as_str()).collect();
        let more = match more.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let mut remedies: Vec<&str> = Vec::new();
        for privilege in named {
            if !remedies.contains(&privilege.remedy.as_str()) {
                remedies.push(&privilege.remedy);
            }
        }
        Some(format!(
            "the role '{}' has {}{more}. Take it away: {};",
            self.role,
            listed.join(", "),
            remedies.join("; ")
        ))
    }
}

impl Pool {
    /// The privileges of the role that the pool connects with.
    pub(crate) async fn rights(&self) -> Result<Rights, Error> {
        match self.kind() {
            Kind::PostgreSql(pool) => postgres::rights(&mut *pool.acquire().await?).await,
            #[cfg(feature = "mariadb")]
            Kind::MySql(pool) => mysql::rights(pool, self.is_mariadb()).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn privileges_beyond_reading_are_named_with_their_remedies() {
        let rights = |tables: &[&str]| Rights {
            role: "reader".to_owned(),
            privileges: tables
                .iter()
                .map(|table| Privilege {
                    name: format!("INSERT on {table}"),
                    remedy: "REVOKE writer FROM reader".to_owned(),
                })
                .collect(),
        };
        assert_eq!(rights(&[]).beyond_reading(), None);
        assert_eq!(
            rights(&["a", "b", "c", "d", "e", "f"])
                .beyond_reading()
                .unwrap(),
            "the role 'reader' has INSERT on a, INSERT on b, INSERT on c, INSERT on d, INSERT on e, \
             and 1 more. Take it away: REVOKE writer FROM reader;"
        );
    }
}
