//! Requests of one process that come at the same time go to the database in one statement, which is
//! one transaction.
//!
//! None waits for others to come: a request that finds a free place is sent at once, alone or with
//! those that wait. While all places are taken requests gather, so that statements grow with the
//! load. A statement of several that the database refuses is sent again one by one, so that no
//! request fails because of another.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;
use tokio::sync::oneshot;

/// Statements of a kind that are on their way at the same time.
const PLACES: usize = 2;

/// Requests that a statement takes at most.
const MOST: usize = 64;

/// A statement of this many bytes takes no further request. It is copied several times on its way,
/// and answers with tables and charts have hundreds of kilobytes each.
const FULL: usize = 1024 * 1024;

/// A kind of statement that takes several requests.
pub(crate) trait Statement: Clone + Send + Sync + 'static {
    /// One request. It waits for its place, so it should share what is large.
    type Request: Send + Sync + 'static;
    /// A request as the statement holds it. Made when its place has come, so that many that wait
    /// take no more memory than what they share.
    type Values: Send + Sync + 'static;
    /// The result of a request.
    type Answer: Send + 'static;

    /// The values that the statement holds of a request.
    fn values(request: Self::Request) -> Result<Self::Values, sqlx::Error>;

    /// About the number of bytes that a request adds to the statement.
    fn size(values: &Self::Values) -> usize;

    /// Sends the requests, and gives an answer to each, in their order.
    fn send(
        &self,
        requests: &[Self::Values],
    ) -> impl Future<Output = Result<Vec<Self::Answer>, sqlx::Error>> + Send;
}

/// The requests of a kind. Cheap to clone.
pub(crate) struct Together<S: Statement>(Arc<Shared<S>>);

struct Shared<S: Statement> {
    statement: S,
    queue: Mutex<Queue<S>>,
}

struct Queue<S: Statement> {
    waiting: VecDeque<Waiting<S>>,
    /// Places that are taken.
    taken: usize,
}

struct Waiting<S: Statement> {
    request: S::Request,
    answer: AnswerSender<S>,
}

/// The requests of a statement, and where their answers go.
type Batch<S> = (Vec<<S as Statement>::Values>, Vec<AnswerSender<S>>);

type AnswerSender<S> = oneshot::Sender<Result<<S as Statement>::Answer, sqlx::Error>>;

impl<S: Statement> Together<S> {
    pub(crate) fn new(statement: S) -> Self {
        Self(Arc::new(Shared {
            statement,
            queue: Mutex::new(Queue {
                waiting: VecDeque::new(),
                taken: 0,
            }),
        }))
    }

    /// Sends a request, alone or with others. When this is dropped the request is not sent, unless
    /// it is on its way.
    pub(crate) async fn ask(&self, request: S::Request) -> Result<S::Answer, sqlx::Error> {
        let (answer, answered) = oneshot::channel();
        let begins = {
            let mut queue = self.0.lock();
            queue.waiting.push_back(Waiting { request, answer });
            let begins = queue.taken < PLACES;
            queue.taken += usize::from(begins);
            begins
        };
        if begins {
            // A task of its own: the one that asks may go away, and others depend on it.
            let place = Place {
                shared: Arc::clone(&self.0),
                is_left: false,
            };
            tokio::spawn(place.work());
        }
        // Without an answer the runtime is shutting down.
        answered.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
    }
}

impl<S: Statement> Clone for Together<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Statement> fmt::Debug for Together<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Together").finish_non_exhaustive()
    }
}

impl<S: Statement> Shared<S> {
    fn lock(&self) -> MutexGuard<'_, Queue<S>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place that is taken, until this is dropped.
struct Place<S: Statement> {
    shared: Arc<Shared<S>>,
    /// It is free, and may be taken again by now.
    is_left: bool,
}

impl<S: Statement> Place<S> {
    /// Sends what waits, until nothing does.
    async fn work(mut self) {
        while let Some((requests, answers)) = self.batch() {
            self.send(requests, answers).await;
        }
    }

    /// The next statement; `None` when nothing waits. Then this has left its place.
    fn batch(&mut self) -> Option<Batch<S>> {
        let (mut requests, mut answers, mut bytes) = (Vec::new(), Vec::new(), 0);
        while requests.len() < MOST && bytes < FULL {
            let Some(Waiting { request, answer }) = self.next(requests.is_empty()) else {
                break;
            };
            match S::values(request) {
                Ok(values) => {
                    bytes += S::size(&values);
                    requests.push(values);
                    answers.push(answer);
                }
                Err(error) => {
                    // A request that was dropped in the meantime needs no answer.
                    let _ = answer.send(Err(error));
                }
            }
        }
        (!requests.is_empty()).then_some((requests, answers))
    }

    /// The first that waits. If nothing does, and if asked to, this leaves its place in the same
    /// moment, so that a request that comes now takes it.
    fn next(&mut self, leaves: bool) -> Option<Waiting<S>> {
        let mut queue = self.shared.lock();
        while let Some(waiting) = queue.waiting.pop_front() {
            if !waiting.answer.is_closed() {
                return Some(waiting);
            }
        }
        if leaves {
            queue.taken -= 1;
            self.is_left = true;
        }
        None
    }

    async fn send(&self, requests: Vec<S::Values>, waiting: Vec<AnswerSender<S>>) {
        let results = match self.shared.statement.send(&requests).await {
            Ok(answers) => answers.into_iter().map(Ok).collect(),
            Err(error) if requests.len() == 1 => vec![Err(error)],
            Err(error) if error.as_database_error().is_some() => {
                tracing::debug!(%error, "requests that were sent together are sent one by one");
                join_all(requests.iter().map(|request| self.alone(request))).await
            }
            // The connection is broken, and whether it arrived is unknown for each of them.
            Err(error) => requests.iter().map(|_| Err(same(&error))).collect(),
        };
        for (answer, result) in waiting.into_iter().zip(results) {
            // A request that was dropped in the meantime needs no answer.
            let _ = answer.send(result);
        }
    }

    async fn alone(&self, request: &S::Values) -> Result<S::Answer, sqlx::Error> {
        let answers = self
            .shared
            .statement
            .send(std::slice::from_ref(request))
            .await?;
        answers.into_iter().next().ok_or(sqlx::Error::RowNotFound)
    }
}

impl<S: Statement> Drop for Place<S> {
    fn drop(&mut self) {
        if !self.is_left {
            self.shared.lock().taken -= 1;
        }
    }
}

/// The rows of a statement by the number of their request, which counts from 1.
pub(crate) fn by_number<T>(
    count: usize,
    rows: impl IntoIterator<Item = (i64, T)>,
) -> Vec<Option<T>> {
    let mut answers: Vec<Option<T>> = Vec::new();
    answers.resize_with(count, || None);
    for (number, row) in rows {
        let place = usize::try_from(number - 1).ok();
        if let Some(answer) = place.and_then(|place| answers.get_mut(place)) {
            *answer = Some(row);
        }
    }
    answers
}

/// The error once more, as far as it says what a caller may do about it.
fn same(error: &sqlx::Error) -> sqlx::Error {
    match error {
        sqlx::Error::PoolTimedOut => sqlx::Error::PoolTimedOut,
        sqlx::Error::PoolClosed => sqlx::Error::PoolClosed,
        sqlx::Error::WorkerCrashed => sqlx::Error::WorkerCrashed,
        sqlx::Error::Io(io) => sqlx::Error::Io(std::io::Error::new(io.kind(), io.to_string())),
        sqlx::Error::Tls(tls) => sqlx::Error::Tls(tls.to_string().into()),
        other => sqlx::Error::Protocol(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Semaphore;

    use super::*;

    /// Doubles numbers. Each statement waits at a gate.
    #[derive(Clone)]
    struct Doubled {
        gate: Arc<Semaphore>,
        sizes: Arc<Mutex<Vec<usize>>>,
        at_once: Arc<AtomicUsize>,
    }

    /// A number that counts how often its values were made.
    struct Number(u64, Arc<AtomicUsize>);

    impl From<u64> for Number {
        fn from(number: u64) -> Self {
            Self(number, Arc::default())
        }
    }

    impl Doubled {
        fn new(open: usize) -> Self {
            Self {
                gate: Arc::new(Semaphore::new(open)),
                sizes: Arc::default(),
                at_once: Arc::default(),
            }
        }

        /// Statements that are on their way.
        fn sent(&self) -> usize {
            self.at_once.load(Ordering::SeqCst)
        }
    }

    impl Statement for Doubled {
        type Request = Number;
        type Values = u64;
        type Answer = u64;

        fn values(Number(number, made): Number) -> Result<u64, sqlx::Error> {
            made.fetch_add(1, Ordering::SeqCst);
            Ok(number)
        }

        fn size(request: &u64) -> usize {
            usize::try_from(*request).unwrap()
        }

        async fn send(&self, requests: &[u64]) -> Result<Vec<u64>, sqlx::Error> {
            let at_once = self.at_once.fetch_add(1, Ordering::SeqCst);
            assert!(at_once < PLACES);
            self.gate.acquire().await.unwrap().forget();
            self.at_once.fetch_sub(1, Ordering::SeqCst);
            self.sizes.lock().unwrap().push(requests.len());
            Ok(requests.iter().map(|number| number * 2).collect())
        }
    }

    #[tokio::test]
    async fn a_request_alone_is_sent_at_once_and_those_that_come_meanwhile_together() {
        let doubled = Doubled::new(0);
        let together = Together::new(doubled.clone());
        let mut asked = tokio::task::JoinSet::new();
        for number in 0..100 {
            let ask = together.clone();
            asked.spawn(async move { (number, ask.ask(number.into()).await.unwrap()) });
            // The first two have a place each before the others come.
            while doubled.sent() < PLACES.min(asked.len()) {
                tokio::task::yield_now().await;
            }
        }
        while together.0.lock().waiting.len() < 98 {
            tokio::task::yield_now().await;
        }
        doubled.gate.add_permits(100);
        for (number, answer) in asked.join_all().await {
            assert_eq!(answer, number * 2);
        }
        let mut sizes = doubled.sizes.lock().unwrap().clone();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 34, 64]);
        assert_eq!(together.0.lock().taken, 0);
    }

    #[tokio::test]
    async fn what_waits_for_its_place_is_not_made_yet() {
        let doubled = Doubled::new(0);
        let together = Together::new(doubled.clone());
        let made = Arc::new(AtomicUsize::new(0));
        let mut asked = tokio::task::JoinSet::new();
        for number in 0..20 {
            let (ask, request) = (together.clone(), Number(number, Arc::clone(&made)));
            asked.spawn(async move { ask.ask(request).await.unwrap() });
            while doubled.sent() < PLACES.min(asked.len()) {
                tokio::task::yield_now().await;
            }
        }
        while together.0.lock().waiting.len() < 18 {
            tokio::task::yield_now().await;
        }
        assert_eq!(made.load(Ordering::SeqCst), PLACES);
        doubled.gate.add_permits(20);
        asked.join_all().await;
        assert_eq!(made.load(Ordering::SeqCst), 20);
    }

    #[tokio::test]
    async fn a_full_statement_takes_no_further_request() {
        let doubled = Doubled::new(0);
        let together = Together::new(doubled.clone());
        let half = FULL as u64 / 2;
        let mut asked = tokio::task::JoinSet::new();
        for number in half..half + 8 {
            let ask = together.clone();
            asked.spawn(async move { (number, ask.ask(number.into()).await.unwrap()) });
            while doubled.sent() < PLACES.min(asked.len()) {
                tokio::task::yield_now().await;
            }
        }
        while together.0.lock().waiting.len() < 6 {
            tokio::task::yield_now().await;
        }
        doubled.gate.add_permits(100);
        for (number, answer) in asked.join_all().await {
            assert_eq!(answer, number * 2);
        }
        let mut sizes = doubled.sizes.lock().unwrap().clone();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 2, 2, 2]);
    }

    #[tokio::test]
    async fn a_request_that_was_dropped_is_not_sent() {
        let doubled = Doubled::new(0);
        let together = Together::new(doubled.clone());
        let asks = |number: u64| {
            let together = together.clone();
            tokio::spawn(async move { together.ask(number.into()).await.unwrap() })
        };
        let mut sent = Vec::new();
        for number in 1..=PLACES {
            sent.push(asks(number as u64));
            while doubled.sent() < number {
                tokio::task::yield_now().await;
            }
        }
        let dropped = asks(3);
        let stays = asks(4);
        while together.0.lock().waiting.len() < 2 {
            tokio::task::yield_now().await;
        }
        dropped.abort();
        assert!(dropped.await.unwrap_err().is_cancelled());
        doubled.gate.add_permits(100);
        for (task, answer) in sent.into_iter().chain([stays]).zip([2, 4, 8]) {
            assert_eq!(task.await.unwrap(), answer);
        }
        assert_eq!(*doubled.sizes.lock().unwrap(), [1, 1, 1]);
    }
}
