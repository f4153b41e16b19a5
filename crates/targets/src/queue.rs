//! Turns: who may have statements running on a target, and who waits for it.
//!
//! The number of running statements is limited per person, per tenant and in all. The last limit is
//! one less than there are connections, so that what reads the catalogue always finds one. The
//! other statements wait. The next turn goes to the tenants in a circle, within a tenant to its
//! people in a circle, and within a person's statements to the oldest, so that a flood from one
//! person delays the others by no more than the statements that run already. Waiting is bounded,
//! too: per person, per tenant, in all, and in time. A [`QueuePermit`] ends when it is dropped.

mod metrics;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::TargetConfig;
use metrics::ObservedStatement;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Asker {
    /// The tenant.
    pub tenant: String,
    /// The person, within the tenant.
    pub user: String,
}

/// Number of statements that may run and wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// In all.
    pub(crate) running: usize,
    pub(crate) running_per_tenant: usize,
    pub(crate) running_per_user: usize,
    /// In all.
    pub(crate) waiting: usize,
    pub(crate) waiting_per_tenant: usize,
    pub(crate) waiting_per_user: usize,
    /// Time that a statement may wait.
    pub(crate) wait: Duration,
}

impl Bounds {
    pub(crate) fn of(config: &TargetConfig) -> Bounds {
        let count = |of: u32| usize::try_from(of).unwrap_or(usize::MAX).max(1);
        let connections = count(config.pool_size.saturating_add(config.max_overflow));
        // Where there is more than one, no tenant has all of the target's, and no person has all of
        // a tenant's.
        let below = |all: usize, most: u32| count(most).min(all.saturating_sub(1)).max(1);
        let (running, waiting) = (
            connections.saturating_sub(1).max(1),
            count(config.waiting_statements),
        );
        let shared = config.is_shared();
        let running_per_tenant = if shared {
            below(running, config.statements_per_tenant)
        } else {
            running
        };
        Bounds {
            running,
            running_per_tenant,
            running_per_user: below(running_per_tenant, config.statements_per_user),
            waiting,
            waiting_per_tenant: if shared { waiting.div_ceil(2) } else { waiting },
            waiting_per_user: count(config.waiting_statements_per_user),
            wait: Duration::from_millis(config.queue_timeout_ms),
        }
    }
}

/// Why there is no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crowd {
    /// The person has as many statements running and waiting as one may.
    Own,
    /// Others have.
    Others,
}

/// The queue of a target. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    bounds: Bounds,
    state: Arc<Mutex<State>>,
}

/// The right to run one statement, until it is dropped.
#[derive(Debug)]
pub(crate) struct QueuePermit {
    queue: Queue,
    asker: Asker,
    _observed: ObservedStatement,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    waiting: usize,
    tickets: u64,
    /// Tenants with statements that run or wait.
    tenants: BTreeMap<String, Tenant>,
    /// Tenants with waiting statements; the first one gets the next turn.
    circle: VecDeque<String>,
}

#[derive(Debug, Default)]
struct Tenant {
    running: usize,
    waiting: usize,
    users: BTreeMap<String, User>,
    circle: VecDeque<String>,
}

#[derive(Debug, Default)]
struct User {
    running: usize,
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    ticket: u64,
    turn: oneshot::Sender<QueuePermit>,
}

/// A turn that was given and has to be handed over.
type Given = (oneshot::Sender<QueuePermit>, Asker);

impl Queue {
    pub(crate) fn new(bounds: Bounds) -> Queue {
        metrics::begin();
        Queue {
            bounds,
            state: Arc::default(),
        }
    }

    /// Waits for a turn.
    pub(crate) async fn turn(&self, asker: &Asker) -> Result<QueuePermit, Crowd> {
        let (ticket, coming) = self.enter(asker)?;
        // A caller that goes away leaves the queue.
        let _place = Place {
            queue: self,
            asker,
            ticket,
            _observed: ObservedStatement::begin(metrics::WAITING),
        };
        match tokio::time::timeout(self.bounds.wait, coming).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(self.crowd(asker)),
        }
    }

    /// Takes a place at the end.
    fn enter(&self, asker: &Asker) -> Result<(u64, oneshot::Receiver<QueuePermit>), Crowd> {
        let (sender, coming) = oneshot::channel();
        let (ticket, given) = {
            let mut state = self.lock();
            state.has_room(asker, &self.bounds)?;
            let ticket = state.add(asker, sender);
            (ticket, state.give(&self.bounds))
        };
        self.hand_over(given);
        Ok((ticket, coming))
    }

    /// The owner of the statements that kept an asker from getting a turn in time.
    fn crowd(&self, asker: &Asker) -> Crowd {
        let state = self.lock();
        let own = state
            .tenants
            .get(&asker.tenant)
            .and_then(|tenant| tenant.users.get(&asker.user));
        match own {
            Some(user) if user.running >= self.bounds.running_per_user => Crowd::Own,
            _ => Crowd::Others,
        }
    }

    /// Outside the lock: a turn that is no longer wanted comes back at once.
    fn hand_over(&self, given: Vec<Given>) {
        for (sender, asker) in given {
            let turn = QueuePermit {
                queue: self.clone(),
                asker,
                _observed: ObservedStatement::begin(metrics::RUNNING),
            };
            drop(sender.send(turn));
        }
    }

    /// No code panics while it holds this; what it guards is whole in any case.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for QueuePermit {
    fn drop(&mut self) {
        let given = {
            let mut state = self.queue.lock();
            state.end(&self.asker);
            state.give(&self.queue.bounds)
        };
        self.queue.hand_over(given);
    }
}

/// A place in the queue, given up when it is dropped.
struct Place<'q> {
    queue: &'q Queue,
    asker: &'q Asker,
    ticket: u64,
    _observed: ObservedStatement,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.queue.lock().leave(self.asker, self.ticket);
    }
}

impl State {
    fn has_room(&self, asker: &Asker, bounds: &Bounds) -> Result<(), Crowd> {
        let tenant = self.tenants.get(&asker.tenant);
        let user = tenant.and_then(|tenant| tenant.users.get(&asker.user));
        if user.is_some_and(|user| user.waiting.len() >= bounds.waiting_per_user) {
            return Err(Crowd::Own);
        }
        if self.waiting >= bounds.waiting
            || tenant.is_some_and(|tenant| tenant.waiting >= bounds.waiting_per_tenant)
        {
            return Err(Crowd::Others);
        }
        Ok(())
    }

    fn add(&mut self, asker: &Asker, turn: oneshot::Sender<QueuePermit>) -> u64 {
        self.tickets += 1;
        let ticket = self.tickets;
        let tenant = self.tenants.entry(asker.tenant.clone()).or_default();
        if tenant.waiting == 0 {
            self.circle.push_back(asker.tenant.clone());
        }
        let user = tenant.users.entry(asker.user.clone()).or_default();
        if user.waiting.is_empty() {
            tenant.circle.push_back(asker.user.clone());
        }
        user.waiting.push_back(Waiter { ticket, turn });
        tenant.waiting += 1;
        self.waiting += 1;
        ticket
    }

    /// Gives as many turns as there may be.
    fn give(&mut self, bounds: &Bounds) -> Vec<Given> {
        let mut given = Vec::new();
        while self.running < bounds.running
            && let Some(next) = self.next(bounds)
        {
            given.push(next);
        }
        given
    }

    fn next(&mut self, bounds: &Bounds) -> Option<Given> {
        let may = |tenant: &Tenant| {
            let free = |user: &String| {
                tenant
                    .users
                    .get(user)
                    .is_some_and(|user| user.running < bounds.running_per_user)
            };
            if tenant.running < bounds.running_per_tenant {
                tenant.circle.iter().position(free)
            } else {
                None
            }
        };
        let (at, user_at) = self.circle.iter().enumerate().find_map(|(at, name)| {
            let tenant = self.tenants.get(name)?;
            may(tenant).map(|user_at| (at, user_at))
        })?;
        let tenant_name = self.circle.remove(at)?;
        let tenant = self.tenants.get_mut(&tenant_name)?;
        let user_name = tenant.circle.remove(user_at)?;
        let user = tenant.users.get_mut(&user_name)?;
        let waiter = user.waiting.pop_front()?;
        user.running += 1;
        tenant.running += 1;
        tenant.waiting -= 1;
        self.running += 1;
        self.waiting -= 1;
        if !user.waiting.is_empty() {
            tenant.circle.push_back(user_name.clone());
        }
        if tenant.waiting > 0 {
            self.circle.push_back(tenant_name.clone());
        }
        let asker = Asker {
            tenant: tenant_name,
            user: user_name,
        };
        Some((waiter.turn, asker))
    }

    /// A statement has ended.
    fn end(&mut self, asker: &Asker) {
        self.running = self.running.saturating_sub(1);
        if let Some(tenant) = self.tenants.get_mut(&asker.tenant) {
            tenant.running = tenant.running.saturating_sub(1);
            if let Some(user) = tenant.users.get_mut(&asker.user) {
                user.running = user.running.saturating_sub(1);
            }
        }
        self.forget(asker);
    }

    /// Takes a statement out of the queue, if it is still waiting.
    fn leave(&mut self, asker: &Asker, ticket: u64) {
        let Some(tenant) = self.tenants.get_mut(&asker.tenant) else {
            return;
        };
        let Some(user) = tenant.users.get_mut(&asker.user) else {
            return;
        };
        let Some(at) = user.waiting.iter().position(|it| it.ticket == ticket) else {
            return;
        };
        user.waiting.remove(at);
        tenant.waiting -= 1;
        self.waiting -= 1;
        if user.waiting.is_empty() {
            tenant.circle.retain(|name| *name != asker.user);
        }
        if tenant.waiting == 0 {
            self.circle.retain(|name| *name != asker.tenant);
        }
        self.forget(asker);
    }

    /// Keeps nothing of those who have nothing here.
    fn forget(&mut self, asker: &Asker) {
        if let Some(tenant) = self.tenants.get_mut(&asker.tenant) {
            let idle = |user: &User| user.running == 0 && user.waiting.is_empty();
            if tenant.users.get(&asker.user).is_some_and(idle) {
                tenant.users.remove(&asker.user);
            }
            if tenant.users.is_empty() {
                self.tenants.remove(&asker.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests;
