//! Trying out a target step by step, before it is used: connection, encryption, role, tables.

use crate::error::Away;
use crate::{Target, TargetError};

/// The outcome of trying out a target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examination {
    /// The steps that were tried, in order; the last one is that which failed, if one did.
    pub trials: Vec<Trial>,
    /// The server, in its own words.
    pub server: Option<String>,
    /// Whether the connection is encrypted.
    pub encrypted: Option<bool>,
    /// Number of tables and views that the role may read.
    pub tables: Option<usize>,
}

/// A step, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The step.
    pub step: Step,
    /// Why it failed and what to do; `None` where it did not.
    pub problem: Option<String>,
}

/// A step of an examination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The server answers and accepts the login.
    Connection,
    /// The connection is encrypted, where it has to be.
    Encryption,
    /// The database is not one of this product.
    Database,
    /// The role only reads.
    Role,
    /// There are tables that the role may read.
    Tables,
}

impl Examination {
    /// The first step that failed.
    pub fn problem(&self) -> Option<(Step, &str)> {
        let failed = |trial: &'_ Trial| trial.problem.is_some();
        let trial = self.trials.iter().find(|trial| failed(trial))?;
        Some((trial.step, trial.problem.as_deref()?))
    }

    fn passed(&mut self, step: Step) {
        self.trials.push(Trial {
            step,
            problem: None,
        });
    }

    fn failed(mut self, step: Step, problem: impl Into<String>) -> Self {
        self.trials.push(Trial {
            step,
            problem: Some(problem.into()),
        });
        self
    }
}

impl Target {
    /// Tries the target out. The words are for the person who sets it up.
    pub async fn examine(&self) -> Examination {
        let mut examined = Examination::default();
        if let Err(error) = self.ping().await {
            return examined.failed(Step::Connection, advice(&error));
        }
        examined.passed(Step::Connection);
        match self.pool().server().await {
            Ok((server, encrypted)) => {
                (examined.server, examined.encrypted) = (Some(server), Some(encrypted));
            }
            Err(error) => {
                return examined.failed(Step::Connection, advice(&self.pool().told(&error)));
            }
        }
        examined.passed(Step::Encryption);
        match self.pool().is_own().await {
            Ok(false) => examined.passed(Step::Database),
            Ok(true) => {
                return examined.failed(
                    Step::Database,
                    "This is a database of Heliograph itself, which cannot be asked. Name another database.",
                );
            }
            Err(error) => return examined.failed(Step::Database, advice(&error)),
        }
        match self.check_role().await {
            Ok(()) => examined.passed(Step::Role),
            Err(error) => return examined.failed(Step::Role, advice(&error)),
        }
        match self.pool().introspect().await {
            Ok(found) => {
                let tables = found.tables.iter();
                let readable = tables.filter(|table| table.columns.iter().any(|it| it.readable));
                let count = readable.count();
                examined.tables = Some(count);
                if count == 0 {
                    let all = found.tables.len();
                    return examined.failed(
                        Step::Tables,
                        format!(
                            "The role may read no table ({all} exist where it looks). Give it SELECT, or name the schemas to look in."
                        ),
                    );
                }
                examined.passed(Step::Tables);
            }
            Err(error) => return examined.failed(Step::Tables, advice(&error)),
        }
        examined
    }
}

/// An error with what to do about it, for the person who sets a target up.
fn advice(error: &TargetError) -> String {
    match error {
        TargetError::Unavailable { reason, .. } => match reason {
            Away::Unreachable => "The server cannot be reached. Check the host and the port, and whether a firewall is between.".to_owned(),
            Away::OtherProtocol => "The server answers, but not as a database of this kind does. Check the port and the kind of the database.".to_owned(),
            Away::NotEncrypted => "The server answers, but does not encrypt the connection as `tls` asks: it has no TLS, or its certificate is not accepted. Check `tls` and the name of the host.".to_owned(),
            Away::NotTrusted => "The server answers, but its certificate is not trusted: no authority that is known signed it. Give the certificate of its authority (`--ca`, `ca_certificate`), or check that it is the right one.".to_owned(),
            Away::LoginRefused => "The server refuses the login. Check the user name, the password and the name of the database.".to_owned(),
            Away::NoPrivilege => "The server knows the role, but the role has no privilege on the database. Give it SELECT on tables or views.".to_owned(),
            Away::TooManyConnections | Away::Busy => "The server takes no more connections at the moment. Try again later.".to_owned(),
            Away::ConnectionLost => "The server closed the connection.".to_owned(),
        },
        TargetError::Role { .. } => error.for_operator(),
        error => error.to_string(),
    }
}
