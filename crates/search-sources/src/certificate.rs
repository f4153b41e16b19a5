//! Certificates of servers that are not accepted. A handshake that fails looks like a server that
//! does not answer, and neither the host nor the port is wrong then.

use std::error::Error;

/// Why the certificate of a server is not accepted, if an error is about one. `not_trusted` says
/// so of an authority that is not known.
pub(crate) fn refused(
    error: &(dyn Error + 'static),
    not_trusted: &'static str,
) -> Option<&'static str> {
    let mut next = Some(error);
    while let Some(error) = next {
        let why = error.to_string();
        if why.contains("UnknownIssuer") {
            return Some(not_trusted);
        }
        if why.contains("peer certificate") {
            return Some(NOT_ACCEPTED);
        }
        next = error.source();
    }
    None
}

/// A certificate of another host, or one that has expired.
const NOT_ACCEPTED: &str =
    "answers, but its certificate is not accepted: it is for another host, or has expired";

/// An authority of a database that is not known.
pub(crate) const OF_DATABASE: &str = "answers, but its certificate is not trusted: give the certificate of its authority (`ca_certificate`, `--ca`, or `sslrootcert` in the url)";

/// An authority of an HTTP server that is not known.
pub(crate) const OF_HTTP: &str =
    "answers, but its certificate is not trusted: no authority that this machine knows signed it";
