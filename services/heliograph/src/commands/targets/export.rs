//! `heliograph targets export`: the rows of a query as a file, or on the standard output.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use reqwest::Method;
use tokio::io::AsyncWriteExt as _;

use super::segment;
use crate::chat::ChatClient;
use crate::cli::{ExportTarget, RowsFormat};
use crate::terminal;

pub(super) async fn run(client: &ChatClient, wanted: &ExportTarget) -> anyhow::Result<Vec<String>> {
    let output = wanted.output.as_path();
    let is_piped = output == Path::new("-");
    let format = match (wanted.format, output.extension()) {
        (Some(format), _) => format,
        (None, Some(ending)) if ending.eq_ignore_ascii_case("csv") => RowsFormat::Csv,
        (None, Some(ending)) if ending.eq_ignore_ascii_case("xlsx") => RowsFormat::Xlsx,
        (None, _) if is_piped => RowsFormat::Csv,
        (None, _) => bail!("the output must end in .csv or .xlsx, or have a --format"),
    };
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("sql", &wanted.sql)
        .append_pair("format", format.name())
        .finish();
    let path = format!("/api/targets/{}/export?{query}", segment(&wanted.name)?);
    let answer = client.request(Method::GET, &path, None).await?;
    let is_cut = answer.headers().contains_key("x-truncated");
    let lines = if is_piped {
        print(answer, std::io::stdout()).await?;
        Vec::new()
    } else {
        let written = write(answer, output).await;
        if written.is_err() {
            // A part of the rows is not to be taken for all of them.
            let _ = tokio::fs::remove_file(output).await;
        }
        vec![format!("{} has {} bytes", output.display(), written?)]
    };
    if is_cut {
        terminal::note(
            "rows are missing: the limits of the target cut them; ask for a part of them",
        );
    }
    Ok(lines)
}

/// The mark at the start of a CSV, by which Excel knows UTF-8. Other programs take it for a part of
/// the first name.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Prints rows without the mark.
async fn print(mut answer: reqwest::Response, mut out: impl Write) -> anyhow::Result<()> {
    let mut begin = Some(Vec::new());
    while let Some(bytes) = answer.chunk().await.context(BROKE_OFF)? {
        let bytes = match begin.take() {
            Some(mut read) => {
                read.extend_from_slice(&bytes);
                if read.len() < MARK.len() {
                    begin = Some(read);
                    continue;
                }
                let rest = read.strip_prefix(MARK).map(<[u8]>::to_vec);
                rest.unwrap_or(read)
            }
            None => bytes.to_vec(),
        };
        // A closed output is not an error.
        if out.write_all(&bytes).is_err() {
            return Ok(());
        }
    }
    let _ = out.write_all(&begin.unwrap_or_default());
    let _ = out.flush();
    Ok(())
}

/// The message about rows that did not come to their end.
const BROKE_OFF: &str = "the rows broke off";

/// The number of bytes that were written.
async fn write(mut answer: reqwest::Response, output: &Path) -> anyhow::Result<u64> {
    let cannot = || format!("cannot write {}", output.display());
    let mut file = tokio::fs::File::create(output).await.with_context(cannot)?;
    let mut count = 0;
    while let Some(bytes) = answer.chunk().await.context(BROKE_OFF)? {
        file.write_all(&bytes).await.with_context(cannot)?;
        count += bytes.len() as u64;
    }
    file.flush().await.with_context(cannot)?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_pipe_gets_no_mark() {
        for (sent, printed) in [
            ("\u{feff}name\r\nKöln\r\n", "name\r\nKöln\r\n"),
            ("name\r\n", "name\r\n"),
            ("a", "a"),
            ("", ""),
        ] {
            let answer = http::Response::new(sent.to_owned());
            let mut out = Vec::new();
            print(answer.into(), &mut out).await.unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), printed);
        }
    }
}
