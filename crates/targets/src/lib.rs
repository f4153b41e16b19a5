//! Connections to target databases: introspection, reading within limits, estimates.
