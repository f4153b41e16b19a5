//! `cargo xtask diagrams`.

use std::fs;
use std::path::Path;

use anyhow::Context;

use heliograph::terminal;

/// The beginning of the page.
const HEAD: &str = "# The graphs of the assistants

The graphs draw these pictures themselves (`to_mermaid()`), and tests compare them. `cargo xtask diagrams`
writes this page from `docs/graph.md` of each assistant's crate, which explains its picture. A dotted arrow
depends on what a node found.
";

/// Writes the page with the graphs of all assistants from their own pages.
pub(crate) fn run(agents: &Path, page: &Path) -> anyhow::Result<()> {
    let cannot_read = || format!("cannot read {}", agents.display());
    let mut names = Vec::new();
    for folder in fs::read_dir(agents).with_context(cannot_read)? {
        let folder = folder.with_context(cannot_read)?.file_name();
        names.extend(folder.into_string().ok());
    }
    names.sort_unstable();
    let mut text = HEAD.to_owned();
    for name in names {
        // The folder `kit` is not an assistant.
        if let Ok(own) = fs::read_to_string(agents.join(&name).join("docs/graph.md")) {
            text.push_str(&section(&name, &own));
        }
    }
    fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))?;
    terminal::say(format!("{} written", page.display()));
    Ok(())
}

/// The name of an assistant as a heading, and the drawings of its own page.
fn section(name: &str, own: &str) -> String {
    let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
    let mut text = format!("\n## {}{rest}\n", first.to_uppercase());
    for part in own.split("```mermaid\n").skip(1) {
        if let Some((drawing, _)) = part.split_once("\n```") {
            text.push_str("\n```mermaid\n");
            text.push_str(drawing);
            text.push_str("\n```\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_the_drawings_of_the_page_and_nothing_else() {
        let own = "# It\n\nWords.\n\n```mermaid\nflowchart TD\n    a --> b\n```\n\nMore.\n";
        let expected = "\n## Site\n\n```mermaid\nflowchart TD\n    a --> b\n```\n";
        assert_eq!(section("site", own), expected);
        assert_eq!(section("site", "Nothing."), "\n## Site\n");
    }
}
