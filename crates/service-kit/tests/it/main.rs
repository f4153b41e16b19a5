//! The kit from outside: real routers, and real sockets where a socket is the point.

mod frame;
mod identity;
mod lifecycle;
mod operations;
mod support;
mod traces;
