//! The end of an account, with everything that is kept of its person in every service.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The body of `DELETE /auth/me`.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EraseMe {
    /// The account's password, once more.
    #[schema(format = Password, min_length = 1, max_length = 1024)]
    pub password: String,
}

/// The body of `DELETE /api/accounts/{username}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EraseAccount {
    /// The account's name, once more: there is no way back.
    #[schema(min_length = 1, max_length = 128)]
    pub confirm: String,
}

/// The progress of an erasure. The account can no longer sign in, whatever the status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erasure {
    /// The status of the erasure.
    pub status: ErasureStatus,
    /// The services that have not erased what they keep. They are asked again until they have.
    pub waiting_for: Vec<String>,
}

/// The status of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErasureStatus {
    /// Every service has erased what it kept.
    Erased,
    /// Some service is away.
    Pending,
}

/// Rows that a service keeps of a person.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PersonRecords {
    /// The rows by the name of their table, or of the connected service. Tables without a row of
    /// the person are absent.
    #[schema(value_type = BTreeMap<String, Vec<Object>>)]
    pub records: BTreeMap<String, Vec<Value>>,
}

/// Of rows, each with the name of its table.
impl FromIterator<(String, Value)> for PersonRecords {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(rows: I) -> Self {
        let mut records: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (table, row) in rows {
            records.entry(table).or_default().push(row);
        }
        Self { records }
    }
}
