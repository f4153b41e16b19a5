//! Which server is behind a dialect, and what functions it has.

use std::fmt;

use crate::fold;

/// A server by kind and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Server {
    /// The database system.
    pub kind: ServerKind,
    /// Its version: major, minor, patch.
    pub version: (u16, u16, u16),
    /// Whether it knows time zones by their names. `MySQL` and `MariaDB` do if their time zone
    /// tables were filled; without, `CONVERT_TZ` gives NULL for a name.
    pub knows_zones: bool,
}

/// Kinds of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    /// `MySQL`.
    MySql,
    /// `MariaDB`.
    MariaDb,
    /// PostgreSQL.
    PostgreSql,
}

impl Server {
    /// The server that reports this version: `10.11.6-MariaDB-0+deb12u1`, `8.0.36`.
    pub fn of_mysql(version: &str) -> Server {
        let kind = if fold(version).contains("mariadb") {
            ServerKind::MariaDb
        } else {
            ServerKind::MySql
        };
        // Before MariaDB 11 a version may begin with that of a MySQL for old clients.
        let own = version.strip_prefix("5.5.5-").unwrap_or(version);
        let mut numbers = own
            .split(|c: char| !c.is_ascii_digit())
            .map(|digits| digits.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Server {
            kind,
            version: (next(), next(), next()),
            knows_zones: true,
        }
    }

    /// The same, with or without time zones by name.
    #[must_use]
    pub fn with_zones(self, knows_zones: bool) -> Server {
        Server {
            knows_zones,
            ..self
        }
    }

    /// The PostgreSQL that reports this `server_version_num`: 160002 is 16.2.
    pub fn of_postgresql(number: i32) -> Server {
        let part = |value: i32| u16::try_from(value).unwrap_or(0);
        Server {
            kind: ServerKind::PostgreSql,
            version: (part(number / 10_000), part(number % 10_000), 0),
            knows_zones: true,
        }
    }

    /// What to say of a function, folded, that this server does not have; `None` if it may have it.
    pub(crate) fn lacks(self, function: &str) -> Option<String> {
        let own = |(name, _, _, _): &&Entry| *name == function;
        let instead = |text: &str| {
            if text.is_empty() {
                String::new()
            } else {
                format!(" Use {text} instead.")
            }
        };
        let (since, text) = match self.kind {
            ServerKind::PostgreSql => {
                let (_, since, text) = POSTGRESQL.iter().find(|(name, ..)| *name == function)?;
                (Some(*since), *text)
            }
            kind => {
                let (_, mysql, mariadb, text) = MYSQL.iter().find(own)?;
                let since = if kind == ServerKind::MySql {
                    mysql
                } else {
                    mariadb
                };
                (*since, *text)
            }
        };
        if since.is_some_and(|since| self.version >= since) {
            return None;
        }
        Some(format!(
            "{self} has no function '{}'.{}",
            function.to_uppercase(),
            instead(text)
        ))
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor, _) = self.version;
        match self.kind {
            ServerKind::MySql => write!(f, "MySQL {major}.{minor}"),
            ServerKind::MariaDb => write!(f, "MariaDB {major}.{minor}"),
            ServerKind::PostgreSql => write!(f, "PostgreSQL {major}"),
        }
    }
}

type Version = (u16, u16, u16);
/// A function, since when `MySQL` and `MariaDB` have it, and what does the same.
type Entry = (&'static str, Option<Version>, Option<Version>, &'static str);

/// Functions that not every server of this dialect has.
#[rustfmt::skip]
const MYSQL: &[Entry] = &[
    ("add_months", None, Some((10, 6, 1)), "DATE_ADD(…, INTERVAL n MONTH)"),
    ("any_value", Some((5, 7, 5)), None, "MIN(…) or MAX(…)"),
    ("chr", None, Some((10, 3, 1)), "CHAR(…)"),
    ("cume_dist", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("datetime", None, None, "CAST(… AS DATETIME)"),
    ("dense_rank", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("first_value", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("grouping", Some((8, 0, 1)), None, "… IS NULL of a grouped column that is never NULL"),
    ("iif", None, None, "IF(condition, a, b) or CASE"),
    ("json_arrayagg", Some((5, 7, 22)), Some((10, 5, 0)), "GROUP_CONCAT(…)"),
    ("json_exists", None, Some((10, 2, 3)), "JSON_CONTAINS_PATH(…)"),
    ("json_objectagg", Some((5, 7, 22)), Some((10, 5, 0)), "GROUP_CONCAT(…)"),
    ("json_overlaps", Some((8, 0, 17)), Some((10, 9, 1)), "JSON_CONTAINS(…)"),
    ("json_pretty", Some((5, 7, 22)), Some((10, 10, 1)), "the value itself"),
    ("json_query", None, Some((10, 2, 3)), "JSON_EXTRACT(…)"),
    ("json_value", Some((8, 0, 21)), Some((10, 2, 3)), "JSON_UNQUOTE(JSON_EXTRACT(…))"),
    ("julianday", None, None, "TO_DAYS(…) or DATEDIFF(a, b)"),
    ("lag", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("last_value", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("lead", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("median", None, Some((10, 3, 3)), "ROW_NUMBER() and the mean of the middle rows"),
    ("nth_value", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("ntile", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("nvl", None, Some((10, 3, 0)), "COALESCE(a, b)"),
    ("nvl2", None, Some((10, 3, 0)), "IF(a IS NOT NULL, b, c)"),
    ("percent_rank", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("percentile_cont", None, Some((10, 3, 3)), "ROW_NUMBER() and a condition on it"),
    ("percentile_disc", None, Some((10, 3, 3)), "ROW_NUMBER() and a condition on it"),
    ("printf", None, None, "CONCAT(…) or FORMAT(…)"),
    ("rank", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("regexp_instr", Some((8, 0, 4)), Some((10, 0, 5)), "LOCATE(…)"),
    ("regexp_like", Some((8, 0, 4)), None, "text REGEXP pattern"),
    ("regexp_replace", Some((8, 0, 4)), Some((10, 0, 5)), "REPLACE(…)"),
    ("regexp_substr", Some((8, 0, 4)), Some((10, 0, 5)), "SUBSTRING(…)"),
    ("row_number", Some((8, 0, 0)), Some((10, 2, 0)), ""),
    ("st_distance_sphere", Some((5, 7, 6)), Some((10, 5, 1)), "ST_DISTANCE(…)"),
    ("strftime", None, None, "DATE_FORMAT(date, format)"),
    ("to_char", None, Some((10, 6, 1)), "DATE_FORMAT(date, format)"),
    ("total", None, None, "COALESCE(SUM(…), 0)"),
    ("typeof", None, None, ""),
    ("unixepoch", None, None, "UNIX_TIMESTAMP(…)"),
];

/// Functions of PostgreSQL that it has since a version, or that only other databases have.
#[rustfmt::skip]
const POSTGRESQL: &[(&str, Version, &str)] = &[
    ("any_value", (16, 0, 0), "MIN(…) or MAX(…)"),
    ("date_bin", (14, 0, 0), "date_trunc(…)"),
    ("json_exists", (17, 0, 0), "jsonb_path_exists(…)"),
    ("json_query", (17, 0, 0), "jsonb_path_query(…)"),
    ("json_value", (17, 0, 0), "… ->> 'member'"),
    ("nvl", NEVER, "COALESCE(a, b)"),
    ("regexp_count", (15, 0, 0), "array_length(regexp_split_to_array(…), 1) - 1"),
    ("regexp_instr", (15, 0, 0), "strpos(…)"),
    ("regexp_like", (15, 0, 0), "text ~ pattern"),
    ("regexp_substr", (15, 0, 0), "substring(text from pattern)"),
    ("sha1", NEVER, "md5(…)"),
    ("std", NEVER, "stddev_pop(…)"),
    ("string_to_table", (14, 0, 0), "unnest(string_to_array(…))"),
    ("uuid", NEVER, "gen_random_uuid()"),
];

const NEVER: Version = (u16::MAX, 0, 0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_known_by_what_they_tell() {
        let server = Server::of_mysql("5.5.5-10.11.6-MariaDB-0+deb12u1");
        assert_eq!(
            (server.kind, server.version),
            (ServerKind::MariaDb, (10, 11, 6))
        );
        let server = Server::of_mysql("8.0.36");
        assert_eq!(
            (server.kind, server.version),
            (ServerKind::MySql, (8, 0, 36))
        );
        assert_eq!(Server::of_postgresql(180_001).version, (18, 1, 0));
    }

    #[test]
    fn functions_are_known_by_kind_and_version() {
        let mariadb = Server::of_mysql("10.11.6-MariaDB");
        assert_eq!(
            mariadb.lacks("any_value").unwrap(),
            "MariaDB 10.11 has no function 'ANY_VALUE'. Use MIN(…) or MAX(…) instead."
        );
        for name in ["regexp_like", "grouping", "iif", "strftime", "typeof"] {
            assert!(mariadb.lacks(name).is_some(), "{name}");
        }
        for name in ["median", "nvl2", "json_arrayagg", "to_char", "sum"] {
            assert!(mariadb.lacks(name).is_none(), "{name}");
        }
        let mysql = Server::of_mysql("8.0.36");
        assert!(mysql.lacks("any_value").is_none() && mysql.lacks("regexp_like").is_none());
        assert!(mysql.lacks("median").is_some() && mysql.lacks("to_char").is_some());
        assert!(Server::of_mysql("10.3.2-MariaDB").lacks("median").is_some());
        assert!(Server::of_postgresql(150_000).lacks("any_value").is_some());
        assert!(Server::of_postgresql(160_000).lacks("any_value").is_none());
        assert!(Server::of_postgresql(180_000).lacks("std").is_some());
    }

    #[test]
    fn names_are_sorted() {
        assert!(MYSQL.is_sorted_by_key(|(name, ..)| *name));
        assert!(POSTGRESQL.is_sorted_by_key(|(name, ..)| *name));
    }
}
