//! The outcome of trying something out, step by step, before it is used.

use contracts::targets::TargetTestStep;

pub(crate) struct Examined<F> {
    /// The steps, the last of which failed, if one did.
    pub(crate) steps: Vec<TargetTestStep>,
    /// The member of a request that is to be changed then.
    pub(crate) pointer: &'static str,
    /// The findings of the steps.
    pub(crate) found: F,
}

impl<F> Examined<F> {
    /// Before the first step.
    pub(crate) fn new(found: F) -> Self {
        Self {
            steps: Vec::new(),
            pointer: "",
            found,
        }
    }

    /// The step that failed.
    pub(crate) fn problem(&self) -> Option<&TargetTestStep> {
        self.steps.iter().find(|step| !step.ok)
    }

    pub(crate) fn passed(&mut self, step: &str) {
        self.steps.push(TargetTestStep {
            step: step.to_owned(),
            ok: true,
            problem: None,
        });
    }

    pub(crate) fn failed(
        mut self,
        step: &str,
        pointer: &'static str,
        why: impl Into<String>,
    ) -> Self {
        self.pointer = pointer;
        self.steps.push(TargetTestStep {
            step: step.to_owned(),
            ok: false,
            problem: Some(why.into()),
        });
        self
    }
}
