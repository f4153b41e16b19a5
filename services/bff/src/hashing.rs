//! The queue for hashing passwords. A hash takes a core for some 30 ms and 19 MiB, so few are made
//! at once; the queue is short, and no address fills it. The memory is used again while there is a
//! queue, and given back to the system when there is none.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::password_hash::{self, try_generate_salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::accounts::AccountError;

/// More at once would only queue for the cores and could fill the memory.
const AT_ONCE: usize = 2;

/// Maximum length of the queue: the last entry waits about two seconds.
const IN_ALL: usize = 64;

/// Maximum number of entries in the queue from one address.
const PER_ADDRESS: usize = 8;

/// Blocks of 1 KiB for which address space is reserved. A hash uses fewer. The C library of Linux
/// keeps freed memory for later, except from allocations of more than 32 MiB: those it returns to
/// the system.
const RESERVED_BLOCKS: usize = 33 * 1024;

/// Too many are waiting, in all or from this address.
#[derive(Debug, thiserror::Error)]
#[error("too many passwords are being checked")]
pub struct Busy;

/// Who waits, in the order of coming.
pub(crate) struct HashingQueue(Arc<Inner>);

struct Inner {
    running: Arc<Semaphore>,
    waiting: Mutex<HashMap<IpAddr, usize>>,
    /// Memory for the next turn.
    kept: Mutex<Vec<Memory>>,
}

/// A turn at hashing. The task that hashes owns it: a client that goes away does not let another
/// one in before the hash is made.
struct Turn {
    memory: Option<Memory>,
    _running: Option<OwnedSemaphorePermit>,
    place: Place,
}

struct Place {
    queue: Arc<Inner>,
    address: IpAddr,
}

impl HashingQueue {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner {
            running: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: Mutex::default(),
            kept: Mutex::default(),
        }))
    }

    /// The hash of a new password, with a salt of its own.
    pub(crate) async fn hash(
        &self,
        password: SecretString,
        from: IpAddr,
    ) -> Result<String, AccountError> {
        let hash = self
            .run(from, move |memory| memory.hash(password.expose_secret()))
            .await??;
        Ok(hash)
    }

    /// Whether a password is the one that was hashed.
    pub(crate) async fn verify(
        &self,
        password: SecretString,
        stored: String,
        from: IpAddr,
    ) -> Result<bool, AccountError> {
        let matches = self
            .run(from, move |memory| {
                memory.verify(password.expose_secret(), &stored)
            })
            .await??;
        Ok(matches)
    }

    /// Waits for a turn, unless too many wait already, and works on a thread of its own.
    async fn run<T: Send + 'static>(
        &self,
        address: IpAddr,
        work: impl FnOnce(&mut Memory) -> T + Send + 'static,
    ) -> Result<T, AccountError> {
        let place = Inner::place(&self.0, address)?;
        // The semaphore is never closed.
        let running = Arc::clone(&self.0.running).acquire_owned().await.ok();
        let mut turn = Turn {
            memory: None,
            _running: running,
            place,
        };
        let done = tokio::task::spawn_blocking(move || work(turn.memory())).await?;
        Ok(done)
    }
}

impl Inner {
    fn place(queue: &Arc<Self>, address: IpAddr) -> Result<Place, Busy> {
        let mut waiting = queue.waiting();
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
            queue: Arc::clone(queue),
            address,
        })
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Memory>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    fn memory(&mut self) -> &mut Memory {
        let queue = &self.place.queue;
        self.memory
            .get_or_insert_with(|| queue.kept().pop().unwrap_or_default())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.place.queue.kept().extend(self.memory.take());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting();
        if let Some(count) = waiting.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&self.address);
            }
        }
        // Nothing is kept for a queue that is empty.
        if waiting.is_empty() {
            self.queue.kept().clear();
        }
    }
}

/// The memory that a hash works on. Its previous contents do not matter.
#[derive(Default)]
struct Memory(Vec<Block>);

impl Memory {
    fn hash(&mut self, password: &str) -> Result<String, password_hash::Error> {
        let argon2 = Argon2::default();
        let salt = try_generate_salt()?;
        let length = argon2.params().output_len();
        let length = length.unwrap_or(Params::DEFAULT_OUTPUT_LEN);
        let hash = PasswordHash {
            algorithm: Algorithm::default().ident(),
            version: Some(Version::default().into()),
            params: ParamsString::try_from(argon2.params())?,
            salt: Some(Salt::new(&salt)?),
            hash: Some(self.output(&argon2, password, &salt, length)?),
        };
        Ok(hash.to_string())
    }

    fn verify(&mut self, password: &str, stored: &str) -> Result<bool, password_hash::Error> {
        let stored = PasswordHash::new(stored)?;
        let (Some(salt), Some(expected)) = (&stored.salt, &stored.hash) else {
            return Ok(false);
        };
        let algorithm = Algorithm::try_from(stored.algorithm.as_str())?;
        let version = stored.version.map(Version::try_from).transpose()?;
        let params = Params::try_from(&stored)?;
        let argon2 = Argon2::new(algorithm, version.unwrap_or_default(), params);
        let output = self.output(&argon2, password, salt, expected.len())?;
        // The comparison takes the same time wherever they differ.
        Ok(output == *expected)
    }

    fn output(
        &mut self,
        argon2: &Argon2<'_>,
        password: &str,
        salt: &[u8],
        length: usize,
    ) -> Result<Output, password_hash::Error> {
        let mut buffer = [0; Output::MAX_LENGTH];
        let output = buffer
            .get_mut(..length)
            .ok_or(password_hash::Error::OutputSize)?;
        let blocks = self.blocks(argon2.params().block_count());
        argon2.hash_password_into_with_memory(password.as_bytes(), salt, output, blocks)?;
        Output::new(output).map_err(Into::into)
    }

    fn blocks(&mut self, count: usize) -> &mut [Block] {
        if self.0.len() < count {
            self.0
                .reserve_exact(RESERVED_BLOCKS.max(count) - self.0.len());
            self.0.resize(count, Block::new());
        }
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

    use super::*;

    #[tokio::test]
    async fn the_queue_is_bounded_and_no_address_fills_it() {
        let queue = HashingQueue::new();
        let address =
            |number: usize| IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(number).unwrap()));
        let mut places = Vec::new();
        for _ in 0..PER_ADDRESS {
            places.push(Inner::place(&queue.0, address(0)).unwrap());
        }
        assert!(
            Inner::place(&queue.0, address(0)).is_err(),
            "one address has its share"
        );
        for number in PER_ADDRESS..IN_ALL {
            places.push(Inner::place(&queue.0, address(number)).unwrap());
        }
        assert!(
            Inner::place(&queue.0, address(1)).is_err(),
            "the queue is full"
        );
        places.pop();
        queue.run(address(1), |_| ()).await.unwrap();
        drop(places);
        assert!(
            queue.0.waiting().is_empty(),
            "an address that left is forgotten"
        );
    }

    #[tokio::test]
    async fn memory_is_used_again_while_there_is_a_queue_and_not_kept_after_it() {
        let queue = HashingQueue::new();
        let from = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let place = Inner::place(&queue.0, from).unwrap();
        let runs = (0..PER_ADDRESS - 1).map(|_| queue.run(from, |memory| memory.blocks(8).len()));
        for blocks in futures::future::join_all(runs).await {
            assert_eq!(blocks.unwrap(), 8);
        }
        let kept = queue.0.kept().len();
        assert!((1..=AT_ONCE).contains(&kept), "{kept}");
        drop(place);
        assert_eq!(queue.0.kept().len(), 0);
    }

    #[tokio::test]
    async fn a_client_that_goes_away_does_not_let_another_one_in_early() {
        let queue = HashingQueue::new();
        let address = |number: u8| IpAddr::V4(Ipv4Addr::new(10, 0, 0, number));
        let mut ends = Vec::new();
        for number in 0..2 {
            let (end, ended) = std::sync::mpsc::channel::<()>();
            let (begin, begun) = tokio::sync::oneshot::channel();
            let run = queue.run(address(number), move |_| {
                let _ = begin.send(());
                let _ = ended.recv();
            });
            tokio::select! {
                _ = run => panic!("it waits for its end"),
                begun = begun => begun.unwrap(),
            }
            ends.push(end);
        }
        // Both callers ended; their hashes run on.
        assert_eq!(queue.0.running.available_permits(), 0);
        drop(ends);
        queue.run(address(3), |_| ()).await.unwrap();
    }

    #[test]
    fn hashes_are_those_of_the_library_whatever_the_memory_held_before() {
        let mut memory = Memory::default();
        let hash = memory.hash("correct horse").unwrap();
        let parsed = PasswordHash::new(&hash).unwrap();
        let library = Argon2::default();
        library.verify_password(b"correct horse", &parsed).unwrap();
        assert!(memory.verify("correct horse", &hash).unwrap());
        assert!(!memory.verify("correct house", &hash).unwrap());
        for (blocks, passes, lanes) in [(64, 3, 2), (19_456, 2, 1), (40, 1, 5)] {
            let params = Params::new(blocks, passes, lanes, Some(32)).unwrap();
            let library = Argon2::new(Algorithm::Argon2i, Version::V0x10, params);
            let hash = library.hash_password_with_salt(b"other words", b"salt of 16 bytes");
            let hash = hash.unwrap().to_string();
            assert!(memory.verify("other words", &hash).unwrap(), "{hash}");
            assert!(!memory.verify("other word", &hash).unwrap(), "{hash}");
        }
        assert!(memory.verify("x", "not a hash").is_err());
    }
}
