//! All targets: those of the configuration, which stay, and those that tenants keep in a database,
//! which change while the service runs.

use std::sync::{Arc, PoisonError, RwLock};

use super::Target;
use crate::{TargetConfig, TargetError};

/// All targets. Cheap to clone: every clone has the same ones.
#[derive(Debug, Clone, Default)]
pub struct Targets {
    fixed: Arc<[Arc<Target>]>,
    kept: Arc<RwLock<Vec<KeptTarget>>>,
}

/// A target that a tenant keeps, as it was read.
#[derive(Debug, Clone)]
pub struct KeptTarget {
    /// The tenant.
    pub tenant: String,
    /// Its version: another one is another target.
    pub version: i64,
    /// The target.
    pub target: Arc<Target>,
}

impl Targets {
    /// Creates the targets of a configuration; fails if an address is not valid or a name is given
    /// twice.
    pub fn new(configs: Vec<TargetConfig>) -> Result<Targets, TargetError> {
        let mut targets: Vec<Arc<Target>> = Vec::new();
        for config in configs {
            if targets.iter().any(|target| target.name() == config.name) {
                return Err(TargetError::Policy {
                    message: format!("The target '{}' is given twice.", config.name),
                });
            }
            targets.push(Arc::new(Target::new(config)?));
        }
        Ok(Targets {
            fixed: targets.into(),
            kept: Arc::default(),
        })
    }

    /// Those of the configuration, in its order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Target>> {
        self.fixed.iter()
    }

    /// All of them, of every tenant.
    pub fn all(&self) -> Vec<Arc<Target>> {
        let kept = self.kept();
        let kept = kept.iter().map(|kept| Arc::clone(&kept.target));
        self.fixed.iter().cloned().chain(kept).collect()
    }

    /// The targets that tenants keep.
    pub fn kept(&self) -> Vec<KeptTarget> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.clone()
    }

    /// Puts these in place of the targets that tenants keep; returns those that are gone, for their
    /// connections to be closed.
    pub fn replace_kept(&self, targets: Vec<KeptTarget>) -> Vec<Arc<Target>> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *kept, targets);
        let is_gone = |old: &KeptTarget| {
            let same = |new: &KeptTarget| Arc::ptr_eq(&new.target, &old.target);
            !kept.iter().any(same)
        };
        let gone = before.into_iter().filter(is_gone);
        gone.map(|old| old.target).collect()
    }

    /// Whether the configuration has a target of this name for the tenant. It is used in place of
    /// one that the tenant keeps.
    pub fn is_fixed(&self, name: &str, tenant: &str) -> bool {
        self.fixed
            .iter()
            .any(|target| target.name() == name && target.is_for(tenant))
    }

    /// The targets that a tenant may query; the first is its default.
    pub fn for_tenant(&self, tenant: &str) -> Vec<Arc<Target>> {
        let fixed = self.fixed.iter().filter(|target| target.is_for(tenant));
        let mut targets: Vec<Arc<Target>> = fixed.cloned().collect();
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        for one in kept.iter().filter(|kept| kept.tenant == tenant) {
            if !self.is_fixed(one.target.name(), tenant) {
                targets.push(Arc::clone(&one.target));
            }
        }
        targets
    }

    /// A target that a tenant may ask: by name, or its default.
    pub fn find(&self, name: Option<&str>, tenant: &str) -> Option<Arc<Target>> {
        let mut visible = self.for_tenant(tenant).into_iter();
        match name {
            Some(name) => visible.find(|target| target.name() == name),
            None => visible.next(),
        }
    }

    /// Closes all connections.
    pub async fn close(&self) {
        for target in self.all() {
            target.close().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeptParts;

    fn kept(tenant: &str, name: &str) -> KeptTarget {
        let config = TargetConfig {
            tenants: vec![tenant.to_owned()],
            kept: KeptParts {
                tenant: Some(tenant.to_owned()),
                ..KeptParts::default()
            },
            ..TargetConfig::new(name, "postgres://reader:secret@127.0.0.1:1/nothing")
        };
        KeptTarget {
            tenant: tenant.to_owned(),
            version: 1,
            target: Arc::new(Target::new(config).unwrap()),
        }
    }

    #[tokio::test]
    async fn a_kept_target_is_its_tenants_and_the_configuration_wins() {
        let fixed = TargetConfig {
            tenants: vec!["demo".to_owned()],
            ..TargetConfig::new("erp", "postgres://reader:secret@127.0.0.1:1/fixed")
        };
        let targets = Targets::new(vec![fixed]).unwrap();
        let clone = targets.clone();
        let ours = vec![
            kept("demo", "erp"),
            kept("rival", "erp"),
            kept("rival", "crm"),
        ];
        assert!(targets.replace_kept(ours.clone()).is_empty());
        let names = |tenant: &str| -> Vec<(String, bool)> {
            let targets = clone.for_tenant(tenant).into_iter();
            targets
                .map(|target| (target.name().to_owned(), target.is_kept()))
                .collect()
        };
        assert_eq!(names("demo"), [("erp".to_owned(), false)]);
        assert_eq!(
            names("rival"),
            [("erp".to_owned(), true), ("crm".to_owned(), true)]
        );
        assert!(names("third").is_empty());
        assert!(clone.find(Some("crm"), "demo").is_none());
        assert_ne!(ours[0].target.key(), ours[1].target.key());
        let gone = targets.replace_kept(vec![ours[1].clone()]);
        assert_eq!(gone.len(), 2);
        assert_eq!(names("rival").len(), 1);
    }
}
