//! Who waits for news of which run, in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;

/// All subscriptions. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct News(Arc<Mutex<HashMap<Uuid, watch::Sender<()>>>>);

/// A subscription to news of a run.
#[derive(Debug)]
pub(crate) struct Subscription {
    news: News,
    run_id: Uuid,
    receiver: watch::Receiver<()>,
}

impl News {
    /// Hears of this run from now on.
    pub(crate) fn listen(&self, run_id: Uuid) -> Subscription {
        let mut subscriptions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = subscriptions
            .entry(run_id)
            .or_insert_with(|| watch::Sender::new(()));
        Subscription {
            news: self.clone(),
            run_id,
            receiver: sender.subscribe(),
        }
    }

    /// Wakes the subscriptions to this run.
    pub(crate) fn tell(&self, run_id: Uuid) {
        let subscriptions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(subscription) = subscriptions.get(&run_id) {
            subscription.send_replace(());
        }
    }

    /// Wakes all subscriptions: a notice may have been lost.
    pub(crate) fn tell_all(&self) {
        let subscriptions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for subscription in subscriptions.values() {
            subscription.send_replace(());
        }
    }
}

impl Subscription {
    /// Waits until something happened since the last call, or since it listens. Safe to drop while
    /// it waits.
    pub(crate) async fn heard(&mut self) {
        // The sender exists as long as a subscription does, which is this one.
        if self.receiver.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut subscriptions = self.news.0.lock().unwrap_or_else(PoisonError::into_inner);
        let alone = subscriptions
            .get(&self.run_id)
            .is_some_and(|subscription| subscription.receiver_count() <= 1);
        if alone {
            subscriptions.remove(&self.run_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn whoever_listens_hears_of_its_run_and_of_what_concerns_all() {
        let news = News::default();
        let (mine, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut subscription = news.listen(mine);
        assert!(subscription.heard().now_or_never().is_none());
        news.tell(other);
        assert!(subscription.heard().now_or_never().is_none());
        news.tell(mine);
        news.tell(mine);
        assert!(subscription.heard().now_or_never().is_some());
        assert!(
            subscription.heard().now_or_never().is_none(),
            "twice is once"
        );
        news.tell_all();
        assert!(subscription.heard().now_or_never().is_some());
    }

    #[test]
    fn nothing_is_kept_of_those_who_left() {
        let news = News::default();
        let run = Uuid::from_u128(1);
        let (one, other) = (news.listen(run), news.listen(run));
        drop(one);
        assert_eq!(news.0.lock().unwrap().len(), 1);
        drop(other);
        assert!(news.0.lock().unwrap().is_empty());
    }
}
