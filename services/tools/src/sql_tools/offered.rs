//! Questions that a person can begin with: those that a target answers for sure.

use std::collections::HashSet;

use service_kit::identity::Identity;
use targets::Target;

use super::SqlTools;
use super::keeping::{Usability, judge, usable};
use super::past_questions::newest;
use crate::error::Error;

/// Questions of which more than this many are looked at for one that is offered: some may not be
/// used any more.
const LOOKED_AT: usize = 3;

impl SqlTools {
    /// Confirmed questions that answer the person (its own and those released), the newest first,
    /// then those that come with the target or were made of its tables, as far as the target
    /// answers them today. A target or a
    /// database that is away offers none.
    pub(crate) async fn offered(
        &self,
        caller: &Identity,
        target: &Target,
        most: usize,
    ) -> Vec<String> {
        let offered = self.offer(caller, target, most).await;
        offered.unwrap_or_else(|error| {
            tracing::warn!(%error, "no confirmed questions can be offered");
            Vec::new()
        })
    }

    async fn offer(
        &self,
        caller: &Identity,
        target: &Target,
        most: usize,
    ) -> Result<Vec<String>, Error> {
        let catalogue = self.catalogue(target).await?;
        let looked_at = most.saturating_mul(LOOKED_AT);
        let (mut seen, mut offered) = (HashSet::new(), Vec::new());
        let limit = u32::try_from(looked_at).unwrap_or(u32::MAX);
        let kept = newest(&self.pool, caller, target.name(), "", None, limit).await?;
        for mut kept in kept {
            if offered.len() == most {
                return Ok(offered);
            }
            let standing = judge(self, &caller.tenant, target, &catalogue, &mut kept).await?;
            if matches!(standing, Usability::Ready(_)) && seen.insert(kept.question.to_lowercase())
            {
                offered.push(kept.question);
            }
        }
        let made = self.first.of(&target.key());
        let added = made.iter().flat_map(|made| &made.added);
        let shipped = catalogue.questions.iter().chain(added);
        for shipped in shipped.take(looked_at) {
            if offered.len() == most {
                break;
            }
            let (question, sql) = (&shipped.question, &shipped.sql);
            let answers = usable(self, &caller.tenant, target, &catalogue, question, sql).await?;
            if answers.is_ok() && seen.insert(question.to_lowercase()) {
                offered.push(question.clone());
            }
        }
        Ok(offered)
    }
}
