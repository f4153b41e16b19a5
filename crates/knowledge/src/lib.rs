//! Documents: read, cut into chunks, kept in PostgreSQL, found again.
