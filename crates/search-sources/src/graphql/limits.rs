//! What a GraphQL request may be, before its schema is asked.

use crate::SourceLimits;

/// What a request may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GraphqlLimits {
    /// Number of fields that may stand inside each other.
    pub(super) max_depth: u32,
    /// Number of values that it may ask for at most.
    pub(super) max_cost: u64,
    /// Number of records that a list provides that does not say how many it needs.
    pub(super) default_rows: u32,
    /// Number of records that a list may be asked for.
    pub(super) max_rows: u32,
}

/// The most characters of a document.
pub(super) const MAX_DOCUMENT: usize = 65_536;
/// The most bytes of the variables, as JSON.
pub(super) const MAX_VARIABLES: usize = 65_536;
/// How deep values may be: no filter needs more.
pub(super) const MAX_VALUE_DEPTH: usize = 12;
/// The most tokens of a document.
pub(super) const MAX_TOKENS: usize = 10_000;
/// How deep the parser goes: twice what braces, fields and values of a query within the limits
/// need.
pub(super) const MAX_NESTING: usize = 64;
/// The most fields, with each fragment counted where it is used.
pub(super) const MAX_FIELDS: u64 = 1_000;
/// The most fields that are renamed.
pub(super) const MAX_ALIASES: u64 = 64;
/// The most directives.
pub(super) const MAX_DIRECTIVES: u64 = 64;
/// The most fragments.
pub(super) const MAX_FRAGMENTS: usize = 64;

impl GraphqlLimits {
    /// Those of a source.
    pub(super) fn of(limits: &SourceLimits) -> Self {
        Self {
            max_depth: limits.max_depth,
            max_cost: limits.max_cost,
            default_rows: limits.default_rows,
            max_rows: limits.max_rows,
        }
    }
}
