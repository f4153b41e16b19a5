//! Typed calls between the services of this project.
//!
//! A call goes by the contract's declaration of the operation, the same that the other side mounts
//! its handler by. It carries the caller's identity token, the trace context and the request id,
//! has a time-out, and comes back as the contract's type or as an [`Error`] that a caller can act
//! on.
//!
//! ```no_run
//! # async fn run(token: secrecy::SecretString) -> Result<(), Box<dyn std::error::Error>> {
//! use contracts::tools::{ListLoggers, ListLoggersArguments};
//! use service_client::ToolsClient;
//!
//! let tools = ToolsClient::new("http://127.0.0.1:4000", http_client::http_client()?)?;
//! let envelope = tools.call::<ListLoggers>(&token, &ListLoggersArguments::default()).await?;
//! let loggers = envelope.result.map(|list| list.count);
//! # Ok(())
//! # }
//! ```

mod call;
mod credentials;
mod error;
mod metrics;
mod tools;

pub use error::Error;
pub use tools::ToolsClient;
