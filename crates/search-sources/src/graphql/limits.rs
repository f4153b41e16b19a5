//! Limits on a GraphQL request that are checked before the schema is read.

use crate::SourceLimits;

/// Limits on the cost of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GraphqlLimits {
    /// Number of fields that may stand inside each other.
    pub(super) max_depth: u32,
    /// Number of values that it may ask for at most.
    pub(super) max_cost: u64,
    /// Number of records that a list without a limit is assumed to return.
    pub(super) default_rows: u32,
    /// Number of records that a list may be asked for.
    pub(super) max_rows: u32,
}

/// Maximum number of characters in a document.
pub(super) const MAX_DOCUMENT: usize = 65_536;
/// Maximum number of bytes in the variables, as JSON.
pub(super) const MAX_VARIABLES: usize = 65_536;
/// How deep values may be: no filter needs more.
pub(super) const MAX_VALUE_DEPTH: usize = 12;
/// Maximum number of tokens in a document.
pub(super) const MAX_TOKENS: usize = 10_000;
/// How deep the parser goes: twice what braces, fields and values of a query within the limits
/// need.
pub(super) const MAX_NESTING: usize = 64;
/// Maximum number of fields, with each fragment counted where it is used.
pub(super) const MAX_FIELDS: u64 = 1_000;
/// Maximum number of renamed fields.
pub(super) const MAX_ALIASES: u64 = 64;
/// Maximum number of directives.
pub(super) const MAX_DIRECTIVES: u64 = 64;
/// Maximum number of fragments.
pub(super) const MAX_FRAGMENTS: usize = 64;

impl GraphqlLimits {
    /// The limits of a source.
    pub(super) fn of(limits: &SourceLimits) -> Self {
        Self {
            max_depth: limits.max_depth,
            max_cost: limits.max_cost,
            default_rows: limits.default_rows,
            max_rows: limits.max_rows,
        }
    }
}
