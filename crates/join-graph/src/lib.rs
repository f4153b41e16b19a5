//! Tables and relationships of a database, and the shortest ways to join them.
