//! Connections of the bff, passed to several orchestrators in turn.

use std::net::Ipv4Addr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Passes connections on until it is dropped.
pub(crate) struct Balancer {
    /// Aborted when this is dropped.
    _task: JoinSet<()>,
}

impl Balancer {
    /// Listens at `port`, and connects to each of `others` in turn.
    pub(crate) async fn start(port: u16, others: Vec<u16>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut passed = JoinSet::new();
            for other in others.into_iter().cycle() {
                let Ok((mut incoming, _)) = listener.accept().await else {
                    return;
                };
                passed.spawn(async move {
                    let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, other)).await;
                    if let Ok(mut outgoing) = connected {
                        // Small frames must not wait for each other.
                        let _ = incoming.set_nodelay(true);
                        let _ = outgoing.set_nodelay(true);
                        // A connection that breaks is the business of its two ends.
                        let _ = copy_bidirectional(&mut incoming, &mut outgoing).await;
                    }
                });
                while passed.try_join_next().is_some() {}
            }
        });
        Ok(Self { _task: task })
    }
}
