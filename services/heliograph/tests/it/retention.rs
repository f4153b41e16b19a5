//! The retention of the conversations and the audit log of a tenant, from the command line.

use std::path::Path;

use crate::command_line::{heliograph, with_input};
use crate::demo_stack::{DemoStack, PASSWORD};

/// Runs `threads retention` as a user; its output, or its error.
fn retention(data: &Path, place: [&str; 4], options: &[&str]) -> Result<String, String> {
    let arguments = [&["threads", "retention"], options, &place[..]].concat();
    let output = with_input(
        &mut heliograph(data, &arguments, &[]),
        &format!("{PASSWORD}\n"),
    );
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(text(&output.stderr))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_sets_how_long_things_are_kept_and_all_users_see_it() {
    let stack = Box::pin(DemoStack::start_with(|config| {
        config.orchestrator.conversation.tenant_days.threads_most = 90;
    }))
    .await;
    stack.create_account("ada", "demo").await;
    let (url, folder) = (stack.services.bff_url.clone(), tempfile::tempdir().unwrap());
    let data = folder.path().to_owned();
    let tried = tokio::task::spawn_blocking(move || {
        let demo = ["--server", &url, "--user", "demo"];
        let ada = ["--server", &url, "--user", "ada"];
        let shown = retention(&data, ada, &[]).unwrap();
        assert!(
            shown.contains("threads without activity: kept until they are deleted manually")
                && shown.contains("entries of the audit log: deleted after 400 days"),
            "{shown}"
        );
        let set = retention(&data, demo, &["--threads-days", "30", "--audit-days", "60"]).unwrap();
        assert!(
            set.contains("threads without activity: deleted after 30 days (set by your tenant"),
            "{set}"
        );
        // A kind that is not named stays as it was.
        retention(&data, demo, &["--runs-days", "3"]).unwrap();
        let shown = retention(&data, ada, &[]).unwrap();
        for words in ["after 30 days", "after 3 days", "after 60 days"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        let beyond = retention(&data, demo, &["--threads-days", "91"]).unwrap_err();
        assert!(beyond.contains("1 to 90 days"), "{beyond}");
        let refused = retention(&data, ada, &["--threads-days", "9"]).unwrap_err();
        assert!(refused.contains("retention:write"), "{refused}");
        let odd = retention(&data, demo, &["--threads-days", "soon"]).unwrap_err();
        assert!(odd.contains("a number of days, or `default`"), "{odd}");
        let back = retention(&data, demo, &["--threads-days", "default"]).unwrap();
        assert!(
            back.contains("kept until they are deleted manually") && back.contains("60 days"),
            "{back}"
        );
    });
    tried.await.unwrap();
    stack.stop().await;
}
