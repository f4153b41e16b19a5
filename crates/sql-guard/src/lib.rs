//! The only road to a target database: parse, resolve, rewrite, limit.
