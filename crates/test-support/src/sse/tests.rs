//! The bodies that are read, those that are refused, and cuts between chunks at any position.

use bytes::Bytes;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

const BODY: &str = ": hello\n\nid: 1\nevent: step\ndata: {\"n\":1}\n\n:\n\nid: 2\nretry: 250\ndata: zwölf\ndata:  13\ndata:\n\n";

fn event(id: &str, name: Option<&str>, data: &str) -> Event {
    Event {
        id: Some(id.to_owned()),
        event: name.map(str::to_owned),
        data: data.to_owned(),
        retry: None,
    }
}

fn rule(body: &str) -> String {
    match Capture::parse(body) {
        Err(Error::Violation { rule, .. }) => rule.to_owned(),
        other => format!("{other:?}"),
    }
}

fn reader(chunks: Vec<&[u8]>) -> Reader {
    let chunks: Vec<_> = chunks
        .into_iter()
        .map(|chunk| Ok::<_, String>(Bytes::copy_from_slice(chunk)))
        .collect();
    Reader::from_stream(futures::stream::iter(chunks))
}

#[test]
fn comments_ids_names_data_and_retries_are_recorded() {
    let capture = Capture::parse(BODY).unwrap();
    assert_eq!(capture.raw, BODY.as_bytes());
    assert_eq!(capture.comments().collect::<Vec<_>>(), ["hello", ""]);
    let last = Event {
        retry: Some(Duration::from_millis(250)),
        ..event("2", None, "zwölf\n 13\n")
    };
    assert_eq!(
        capture.events().cloned().collect::<Vec<_>>(),
        [event("1", Some("step"), "{\"n\":1}"), last]
    );
    assert_eq!(capture.events().next().unwrap().json().unwrap()["n"], 1);
}

#[test]
fn what_a_lenient_client_swallows_is_refused() {
    assert_eq!(
        rule("data: 1\n\ndata: cut off\n"),
        "the last frame ends with a blank line"
    );
    assert_eq!(rule("event: lost\n\n"), "an event has data");
    assert_eq!(
        rule("id: 1\nid: 2\ndata: x\n\n"),
        "id, event and retry come once in a frame"
    );
    assert_eq!(rule("dat: x\n\n"), "fields are data, event, id and retry");
    assert_eq!(rule("data\n\n"), "a line is `name: value`");
    assert_eq!(
        rule("data: x\r\n\n"),
        "a line holds neither carriage return nor null"
    );
    assert_eq!(rule("retry: soon\ndata: x\n\n"), "retry is a number");
    assert_eq!(rule("data: x\n\n\n\n"), "one blank line ends a frame");
    assert!(matches!(
        Capture::parse(*b"data: \xff\n\n"),
        Err(Error::Violation {
            rule: "it is UTF-8",
            ..
        })
    ));
}

#[tokio::test]
async fn frames_are_handed_out_as_they_come_and_the_capture_has_them_all() {
    let (send, receive) = futures::channel::mpsc::unbounded();
    let mut reader = Reader::from_stream(receive);
    let tell = |text: &'static str| {
        send.unbounded_send(Ok::<_, String>(Bytes::from(text)))
            .unwrap();
    };
    tell("data: a\n\ndata: b");
    assert_eq!(reader.next_event().await.unwrap().unwrap().data, "a");
    tell("\n\n: alive\n\n");
    assert_eq!(reader.next_event().await.unwrap().unwrap().data, "b");
    assert_eq!(
        reader.next().await.unwrap(),
        Some(Frame::Comment("alive".to_owned()))
    );
    assert_eq!(reader.raw(), b"data: a\n\ndata: b\n\n: alive\n\n");
    drop(send);
    assert_eq!(reader.next().await.unwrap(), None);
}

#[tokio::test]
async fn finish_returns_the_stream_from_its_beginning() {
    let mut reader = reader(vec![b"data: a\n\n", b"data: b\n\n"]);
    reader.next().await.unwrap();
    let capture = reader.finish().await.unwrap();
    assert_eq!(
        capture
            .events()
            .map(|event| event.data.as_str())
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
}

/// What `Reader::new` makes of a response with this head and body.
async fn answered(head: &str, body: &str) -> Result<Reader, Error> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let response = format!(
        "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let serve = async {
        let (mut client, _) = listener.accept().await.unwrap();
        assert_ne!(client.read(&mut [0; 4096]).await.unwrap(), 0);
        client.write_all(response.as_bytes()).await.unwrap();
    };
    http_client::use_ring();
    let ((), response) = tokio::join!(serve, reqwest::get(url));
    Reader::new(response.unwrap()).await
}

#[tokio::test]
async fn only_a_successful_event_stream_is_read() {
    let mut reader = answered("200 OK\r\ncontent-type: text/event-stream", "data: a\n\n")
        .await
        .unwrap();
    assert_eq!(reader.next_event().await.unwrap().unwrap().data, "a");
    let problem = answered(
        "409 Conflict\r\ncontent-type: application/problem+json",
        "{}",
    )
    .await
    .err()
    .unwrap();
    assert_eq!(
        problem.to_string(),
        "not an event stream: 409, application/problem+json: {}"
    );
    assert!(
        answered("200 OK\r\ncontent-type: text/html", "<p>")
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_connection_that_breaks_or_ends_early_is_an_error() {
    let broken = futures::stream::iter([Ok(Bytes::from("data: a\n\n")), Err("reset".to_owned())]);
    let mut broken = Reader::from_stream(broken);
    assert!(broken.next().await.unwrap().is_some());
    assert!(matches!(broken.next().await, Err(Error::Broken(reason)) if reason == "reset"));
    let mut cut = reader(vec![b"data: a\n"]);
    assert!(matches!(cut.next().await, Err(Error::Violation { .. })));
}

#[tokio::test]
async fn silence_is_an_error() {
    let silent = Reader::from_stream(futures::stream::pending::<Result<Bytes, String>>());
    let mut silent = silent.with_patience(Duration::from_millis(1));
    assert!(matches!(silent.next().await, Err(Error::Silent(_))));
}

proptest! {
    #[test]
    fn cuts_at_any_byte_change_nothing(cuts in proptest::collection::vec(0..BODY.len(), 0..8)) {
        let mut cuts = cuts;
        cuts.extend([0, BODY.len()]);
        cuts.sort_unstable();
        let chunks = cuts.windows(2).map(|pair| &BODY.as_bytes()[pair[0]..pair[1]]).collect();
        let mut reader = reader(chunks);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let frames = runtime.block_on(async {
            let mut frames = Vec::new();
            while let Some(frame) = reader.next().await.unwrap() {
                frames.push(frame);
            }
            frames
        });
        prop_assert_eq!(frames, Capture::parse(BODY).unwrap().frames);
    }
}
