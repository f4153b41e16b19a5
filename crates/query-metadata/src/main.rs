//! Writes `.sqlx`: one file per query of the sources, without stale files.

use std::io::{Write, stdout};

use query_metadata::{databases, folder, metadata, sources, workspace};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let sources = sources::read(&workspace())?;
    let mut databases = databases::migrated(&workspace()).await?;
    let described = metadata::describe(&mut databases, &sources).await?;
    let written = metadata::write(&folder(), &workspace(), &described)?;
    writeln!(
        stdout(),
        "{} queries, {} files written, {} removed",
        described.len(),
        written.changed,
        written.removed
    )?;
    Ok(())
}
