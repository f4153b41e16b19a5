//! The queue for hashing passwords. A hash takes a core for some 30 ms and 19 MiB, so few are made
//! at once; the queue is short, and no address fills it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

/// More at once would only queue for the cores and could fill the memory.
const AT_ONCE: usize = 2;

/// Maximum length of the queue: the last entry waits about two seconds.
const IN_ALL: usize = 64;

/// Maximum number of entries in the queue from one address.
const PER_ADDRESS: usize = 8;

/// Too many are waiting, in all or from this address.
#[derive(Debug, thiserror::Error)]
#[error("too many passwords are being checked")]
pub struct Busy;

/// Who waits, in the order of coming.
pub(crate) struct HashingQueue {
    running: Semaphore,
    waiting: Mutex<HashMap<IpAddr, usize>>,
}

/// A turn at hashing.
pub(crate) struct HashingPermit<'a> {
    _running: Option<SemaphorePermit<'a>>,
    _place: Place<'a>,
}

struct Place<'a> {
    queue: &'a HashingQueue,
    address: IpAddr,
}

impl HashingQueue {
    pub(crate) fn new() -> Self {
        Self {
            running: Semaphore::new(AT_ONCE),
            waiting: Mutex::default(),
        }
    }

    /// Waits for a turn, unless too many wait already.
    pub(crate) async fn turn(&self, address: IpAddr) -> Result<HashingPermit<'_>, Busy> {
        let place = self.place(address)?;
        // The semaphore is never closed.
        let running = self.running.acquire().await.ok();
        Ok(HashingPermit {
            _running: running,
            _place: place,
        })
    }

    fn place(&self, address: IpAddr) -> Result<Place<'_>, Busy> {
        let mut waiting = self.waiting();
        let in_all: usize = waiting.values().sum();
        let from_there = waiting.entry(address).or_default();
        if in_all >= IN_ALL || *from_there >= PER_ADDRESS {
            if *from_there == 0 {
                waiting.remove(&address);
            }
            return Err(Busy);
        }
        *from_there += 1;
        Ok(Place {
            queue: self,
            address,
        })
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting();
        if let Some(count) = waiting.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[tokio::test]
    async fn the_queue_is_bounded_and_no_address_fills_it() {
        let queue = HashingQueue::new();
        let address =
            |number: usize| IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(number).unwrap()));
        let mut places = Vec::new();
        for _ in 0..PER_ADDRESS {
            places.push(queue.place(address(0)).unwrap());
        }
        assert!(
            queue.place(address(0)).is_err(),
            "one address has its share"
        );
        for number in PER_ADDRESS..IN_ALL {
            places.push(queue.place(address(number)).unwrap());
        }
        assert!(queue.place(address(1)).is_err(), "the queue is full");
        places.pop();
        queue.turn(address(1)).await.unwrap();
        drop(places);
        assert!(
            queue.waiting().is_empty(),
            "an address that left is forgotten"
        );
    }
}
