//! The first questions to targets of the configuration. Targets that are added have theirs in the
//! database, made by a job; those of the configuration are made by each process, of the tables of
//! today.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contracts::targets::LayerQuestion;
use targets::{Asker, Catalogue, Question, Target};

use super::SqlTools;
use super::keeping::usable;
use crate::first_questions::{Candidate, Chosen, answers, candidates};

/// The first questions, by target.
#[derive(Default)]
pub(super) struct FirstQuestions(Mutex<HashMap<String, Arc<Made>>>);

/// The first questions of a target, and what they were made of.
#[derive(Default)]
pub(super) struct Made {
    of: Vec<Candidate>,
    /// The questions that answer something, as they are shown.
    shown: Vec<LayerQuestion>,
    /// The questions in addition to the questions of the configuration.
    pub(super) added: Vec<Question>,
}

impl FirstQuestions {
    pub(super) fn of(&self, target: &str) -> Option<Arc<Made>> {
        self.lock().get(target).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Made>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SqlTools {
    /// The first questions to a target of the configuration, as far as they are made.
    pub(crate) fn first_questions(&self, target: &Target) -> Vec<LayerQuestion> {
        let made = self.first.of(&target.key());
        made.map_or_else(Vec::new, |made| made.shown.clone())
    }

    /// Creates the first questions of the targets of the configuration whose tables are others than
    /// those that they were made of. The questions of a configuration take their place.
    pub(crate) async fn make_first_questions(&self) {
        let targets: Vec<Arc<Target>> = self.targets.iter().cloned().collect();
        let making = targets.iter().map(|target| self.make(target));
        futures::future::join_all(making).await;
    }

    async fn make(&self, target: &Arc<Target>) {
        // One that cannot be asked is looked at again.
        let Ok(catalogue) = self.catalogue(target).await else {
            return;
        };
        let own: Vec<Candidate> = catalogue.questions.iter().map(Candidate::given).collect();
        let is_given = !own.is_empty();
        let of = if is_given {
            own
        } else {
            candidates(&catalogue)
        };
        let before = self.first.of(&target.key());
        if before.is_some_and(|before| before.of == of) {
            return;
        }
        let asker = Asker {
            tenant: target.any_tenant(),
            user: "heliograph".to_owned(),
        };
        let mut chosen = Chosen::default();
        for candidate in &of {
            if chosen.is_complete() {
                break;
            }
            if !chosen.wants(candidate) {
                continue;
            }
            if let Some(today) = self
                .today(&asker.tenant, target, &catalogue, candidate)
                .await
                && let Some(rows) = answers(target, &asker, &today).await
            {
                chosen.keep(&today, rows);
            }
        }
        let shown = chosen.questions();
        let added = if is_given { &[][..] } else { &shown };
        let added = added.iter().map(|made| Question {
            question: made.question.clone(),
            sql: made.sql.clone(),
        });
        let made = Made {
            of,
            added: added.collect(),
            shown,
        };
        self.first.lock().insert(target.key(), Arc::new(made));
    }

    /// A candidate with the days of today, if the target answers it.
    async fn today(
        &self,
        tenant: &str,
        target: &Target,
        catalogue: &Catalogue,
        candidate: &Candidate,
    ) -> Option<Candidate> {
        let (question, sql) = candidate.parts();
        let checked = usable(self, tenant, target, catalogue, question, sql).await;
        let runs = checked.ok()?.ok()?.sql;
        Some(candidate.with(runs))
    }
}
