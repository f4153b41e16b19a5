//! The backend for the front end.
