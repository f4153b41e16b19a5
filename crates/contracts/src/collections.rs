//! Collections of documents and their readers.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::Role;

/// The readers of a collection: accounts with the role or in one of the groups. For all others its
/// documents do not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectionReaders {
    /// The lowest role that reads the collection; those above read it too. `viewer` is all users.
    /// Absent: no role opens it, only a group does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Groups that read the collection, by the names that accounts have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub groups: Vec<String>,
}

impl Default for CollectionReaders {
    fn default() -> Self {
        Self {
            role: Some(Role::Viewer),
            groups: Vec::new(),
        }
    }
}

/// The body of `POST /api/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateCollection {
    /// The name, unique in the tenant.
    #[schema(example = "manuals", min_length = 1, max_length = 100)]
    pub name: String,
    /// The readers. Default: all users of the tenant.
    #[serde(default)]
    pub readers: CollectionReaders,
}

/// The body of `PATCH /api/collections/{collection_id}`. Absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeCollection {
    /// The new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// The new readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readers: Option<CollectionReaders>,
}

/// The parameters of `DELETE /api/collections/{collection_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ConfirmCollection {
    /// The name of the collection, as a confirmation: its documents are deleted, too.
    pub confirm: String,
}

/// A collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Collection {
    /// The id, which stays when the name changes.
    pub id: String,
    /// The name.
    pub name: String,
    /// The readers.
    pub readers: CollectionReaders,
    /// Number of documents.
    pub documents: u64,
    /// Size of the documents, in bytes.
    pub bytes: u64,
    /// Whether the caller reads it. Administrators also see collections that they do not read.
    pub readable: bool,
    /// The creation of the collection.
    pub created_at: DateTime<Utc>,
}

/// `GET /api/collections`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CollectionList {
    /// The collections, by name.
    pub collections: Vec<Collection>,
}
