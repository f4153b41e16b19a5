//! What a message means, as far as rules can tell: plain functions.

pub(crate) mod about_tables;
pub(crate) mod addressed;
pub(crate) mod approval;
pub(crate) mod names;
pub(crate) mod phrases;
pub(crate) mod route;
pub(crate) mod statement;
