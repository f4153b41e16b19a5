//! A private MariaDB for development and tests.
