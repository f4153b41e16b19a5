//! Who asks: the tenant, and the collections that are open to them.

/// A reader of a tenant's documents. What a reader may not read is not there for them: neither in
/// searches nor in lists, nor by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    pub(crate) tenant: String,
    /// A collection is open to a reader with one of its marks; `None` opens all.
    pub(crate) marks: Option<Vec<String>>,
}

impl Reader {
    /// A reader with these marks, such as `role:viewer` and `group:service`.
    pub fn new(tenant: &str, marks: Vec<String>) -> Self {
        Self {
            tenant: tenant.to_owned(),
            marks: Some(marks),
        }
    }

    /// A reader of every collection of a tenant: the operator, who works on the database itself.
    pub fn of_all(tenant: &str) -> Self {
        Self {
            tenant: tenant.to_owned(),
            marks: None,
        }
    }

    /// The tenant.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// The marks, as statements compare them.
    pub(crate) fn marks(&self) -> Option<&[String]> {
        self.marks.as_deref()
    }
}
