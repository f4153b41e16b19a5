//! Classification of a driver's errors.

use std::io::ErrorKind;

#[cfg(feature = "mariadb")]
use sqlx::mysql::MySqlDatabaseError;
use sqlx::postgres::PgDatabaseError;

use super::{Away, Bound};

/// A failure, sorted, with the database's own words where they matter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    Away(Away),
    TimedOut,
    #[cfg_attr(
        not(any(feature = "mariadb", test)),
        expect(dead_code, reason = "reported by MariaDB only")
    )]
    TooExpensive,
    Beyond(Bound),
    Wrong(String),
    /// A table or column that the database does not have.
    UnknownName(String),
    /// The statement failed on rows of a table with a row filter.
    OfData,
    Denied(String),
    /// There is no such function, or the role may not execute it.
    #[cfg_attr(
        not(any(feature = "mariadb", test)),
        expect(dead_code, reason = "reported by MariaDB only")
    )]
    NoFunction(String),
    Broken(String),
}

/// Sorts a driver's error.
pub(crate) fn failure(error: &sqlx::Error) -> Failure {
    match error {
        sqlx::Error::Database(database) => {
            if let Some(error) = database.try_downcast_ref::<PgDatabaseError>() {
                return postgres(error.code(), error.message());
            }
            #[cfg(feature = "mariadb")]
            if let Some(error) = database.try_downcast_ref::<MySqlDatabaseError>() {
                let code = error.code().unwrap_or("HY000");
                return mysql(error.number(), code, error.message());
            }
            Failure::Broken(database.to_string())
        }
        sqlx::Error::Io(error) => Failure::Away(match error.kind() {
            ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof => Away::ConnectionLost,
            // The handshake is read through the socket, and fails as it does.
            ErrorKind::InvalidData => match error.to_string() {
                why if why.contains("UnknownIssuer") => Away::NotTrusted,
                why if why.contains("peer certificate") => Away::NotEncrypted,
                _ => Away::Unreachable,
            },
            // No process listens, the name or the socket does not exist, or there is no route.
            _ => Away::Unreachable,
        }),
        sqlx::Error::WorkerCrashed | sqlx::Error::PoolClosed => Failure::Away(Away::ConnectionLost),
        sqlx::Error::PoolTimedOut => Failure::Away(Away::Unreachable),
        sqlx::Error::Tls(_) => Failure::Away(Away::NotEncrypted),
        sqlx::Error::Protocol(_) => Failure::Away(Away::OtherProtocol),
        other => Failure::Broken(other.to_string()),
    }
}

/// By SQLSTATE.
fn postgres(code: &str, message: &str) -> Failure {
    let message = message.to_owned();
    // The guard's check of a recursion fails with a text of the guard.
    if code == "22P02" && message.contains(sql_guard::TOO_MANY) {
        return Failure::Beyond(Bound::Recursion);
    }
    if code == "22P02" && message.contains(sql_guard::TOO_LONG) {
        return Failure::Beyond(Bound::Growth);
    }
    if code == "22P02" && message.contains(sql_guard::TOO_WIDE) {
        return Failure::Beyond(Bound::Padding);
    }
    match code {
        "53400" => Failure::Beyond(Bound::Space),
        "57014" => Failure::TimedOut,
        "53300" => Failure::Away(Away::TooManyConnections),
        "57P03" => Failure::Away(Away::Unreachable),
        "3D000" => Failure::Away(Away::LoginRefused),
        "42501" | "25006" => Failure::Denied(message),
        "42703" | "42P01" => Failure::UnknownName(message),
        // The catalogue changed under a statement, or a recovering replica cancelled it: it may
        // work now.
        "40001" | "40P01" => Failure::Away(Away::Busy),
        _ => match code.get(..2).unwrap_or_default() {
            "08" | "57" => Failure::Away(Away::ConnectionLost),
            "28" => Failure::Away(Away::LoginRefused),
            "0A" | "21" | "22" | "2F" | "34" | "38" | "39" | "42" | "44" | "54" | "P0" => {
                Failure::Wrong(message)
            }
            _ => Failure::Broken(message),
        },
    }
}

/// The name within `… for routine 'database.name'`.
#[cfg(any(feature = "mariadb", test))]
fn routine(message: &str) -> Option<String> {
    let (_, rest) = message.rsplit_once("routine '")?;
    let (name, _) = rest.split_once('\'')?;
    let name = name.rsplit('.').next()?.trim_matches('`');
    (!name.is_empty()).then(|| name.to_owned())
}

/// By error number first: one SQLSTATE represents many things.
#[cfg(any(feature = "mariadb", test))]
fn mysql(number: u16, code: &str, message: &str) -> Failure {
    let message = message.to_owned();
    match number {
        // max_execution_time of MySQL, max_statement_time of MariaDB, KILL QUERY, a lock that was
        // not given.
        3024 | 1969 | 1317 | 1205 => Failure::TimedOut,
        1104 => Failure::TooExpensive,
        // A temporary table that is larger than the session allows; a recursion that MySQL stops.
        1114 => Failure::Beyond(Bound::Space),
        3636 => Failure::Beyond(Bound::Recursion),
        1040 | 1203 | 1226 => Failure::Away(Away::TooManyConnections),
        1044 => Failure::Away(Away::NoPrivilege),
        1045 | 1049 | 1129 | 1130 | 1251 | 1275 | 1524 | 1698 | 1820 | 1862 | 3118 | 3159
        | 4151 => Failure::Away(Away::LoginRefused),
        1053
        | 1077
        | 1079
        | 1152
        | 1158..=1161
        | 1184
        | 1189
        | 1190
        | 1927
        | 2006
        | 2013
        | 3032
        | 4031 => Failure::Away(Away::ConnectionLost),
        // What the guard adds to LPAD and its like.
        1690 if message.contains(sql_guard::PADDED_TOO_FAR) => Failure::Beyond(Bound::Padding),
        1370 => match routine(&message) {
            Some(name) => Failure::NoFunction(name),
            None => Failure::Denied(message),
        },
        1142 | 1143 | 1227 | 1290 | 1345 | 1356 | 1410 | 1449 | 1792 => Failure::Denied(message),
        1213 => Failure::Away(Away::Busy),
        1054 | 1146 => Failure::UnknownName(message),
        // The server's disks, memory and files.
        1001..=1006
        | 1009..=1030
        | 1033..=1039
        | 1041
        | 1105
        | 1135
        | 1194
        | 1195
        | 1436
        | 1459 => Failure::Broken(message),
        _ => match code.get(..2).unwrap_or_default() {
            "08" => Failure::Away(Away::ConnectionLost),
            "28" => Failure::Away(Away::LoginRefused),
            "XA" | "25" | "0Z" => Failure::Broken(message),
            _ => Failure::Wrong(message),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_another_statement_can_cure_is_wrong() {
        let wrong =
            |failure: Failure| matches!(failure, Failure::Wrong(_) | Failure::UnknownName(_));
        for code in [
            "42601", "42703", "42P01", "42803", "22012", "22P02", "21000", "0A000",
        ] {
            assert!(wrong(postgres(code, "")), "{code}");
        }
        for code in [
            "08006", "57P01", "28P01", "53300", "58030", "XX000", "42501", "25006", "57014",
            "53200", "40001",
        ] {
            assert!(!wrong(postgres(code, "")), "{code}");
        }
        for (number, code) in [
            (1054, "42S22"),
            (1064, "42000"),
            (1055, "42000"),
            (1111, "HY000"),
            (1242, "21000"),
            (1292, "22007"),
        ] {
            assert!(wrong(mysql(number, code, "")), "{number}");
        }
        for number in [
            1040, 1045, 1049, 1053, 1104, 1142, 1205, 1213, 1317, 1792, 1969, 3024, 1021, 1114,
        ] {
            assert!(!wrong(mysql(number, "HY000", "")), "{number}");
        }
    }

    #[test]
    fn names_that_the_database_does_not_have_are_told_apart() {
        let unknown = |failure: Failure| matches!(failure, Failure::UnknownName(_));
        assert!(unknown(postgres("42703", "")) && unknown(postgres("42P01", "")));
        assert!(unknown(mysql(1054, "42S22", "")) && unknown(mysql(1146, "42S02", "")));
        assert!(!unknown(postgres("42601", "")) && !unknown(mysql(1064, "42000", "")));
    }

    #[test]
    fn a_database_that_is_away_is_told_apart() {
        assert_eq!(postgres("28P01", ""), Failure::Away(Away::LoginRefused));
        assert_eq!(
            postgres("53300", ""),
            Failure::Away(Away::TooManyConnections)
        );
        assert_eq!(mysql(1045, "28000", ""), Failure::Away(Away::LoginRefused));
        assert_eq!(
            mysql(1040, "08004", ""),
            Failure::Away(Away::TooManyConnections)
        );
        assert_eq!(
            failure(&sqlx::Error::PoolTimedOut),
            Failure::Away(Away::Unreachable)
        );
    }
}
