//! Typed search queries: checked against an index, rendered as Elasticsearch DSL, read back from it, compiled to SQL.
