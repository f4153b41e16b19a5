//! Why a database cannot be used, in words that show neither its address nor a credential.

use std::io::ErrorKind;

use sqlx::Error;

/// The reason behind an error, if it is the database's state and not a mistake in a query.
pub fn reason(error: &Error) -> Option<&'static str> {
    match error {
        Error::Io(error) => Some(of_connection(error)),
        Error::PoolTimedOut => Some("all connections were in use, or none could be made in time"),
        Error::Tls(_) => Some("the encrypted connection to the database failed"),
        Error::Database(error) => of_code(error.code()?.as_ref()),
        _ => None,
    }
}

fn of_connection(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::ConnectionRefused => "the database refuses connections: nothing listens there",
        ErrorKind::TimedOut => "the database does not answer",
        ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe => {
            "the database closed the connection"
        }
        // A name that no server knows has no kind of its own.
        _ if error.to_string().contains("lookup address") => {
            "the database's host name cannot be resolved"
        }
        _ => "the database cannot be reached",
    }
}

/// By the codes of PostgreSQL's appendix A.
fn of_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "28P01" | "28000" => "the database does not accept the role or its password",
        "3D000" => "the database does not exist on the server",
        "42501" => "the role lacks a privilege",
        "53300" => "the database has no connection left",
        "53100" => "the disk of the database is full",
        "25006" => "the database is read-only",
        "57P01" | "57P02" | "57P03" => "the database is starting or stopping",
        "58030" => "the database cannot write to its disk",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_failures_have_words() {
        let io = |kind| Error::Io(std::io::Error::from(kind));
        assert!(
            reason(&io(ErrorKind::ConnectionRefused))
                .unwrap()
                .contains("refuses")
        );
        assert!(
            reason(&io(ErrorKind::UnexpectedEof))
                .unwrap()
                .contains("closed")
        );
        let unknown = std::io::Error::other("failed to lookup address information: no");
        assert!(reason(&Error::Io(unknown)).unwrap().contains("resolved"));
        assert!(reason(&Error::RowNotFound).is_none());
        assert!(of_code("53100").unwrap().contains("full"));
        assert!(of_code("42P01").is_none());
    }
}
