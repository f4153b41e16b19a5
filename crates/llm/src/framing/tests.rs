use std::time::Duration;

use super::*;

const SMALL: Limits = Limits {
    body: 200,
    message: 60,
};

/// The result of a body.
#[derive(Debug, PartialEq)]
enum Got {
    Frame(Frame),
    Failed(ErrorKind),
}

/// All frames of a body that comes in these pieces.
fn cut<'a>(
    framing: Framing,
    limits: Limits,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Got> {
    let pieces: Vec<_> = pieces
        .into_iter()
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    let frames = frames(stream::iter(pieces), framing, limits);
    let got = frames.map(|frame| match frame {
        Ok(frame) => Got::Frame(frame),
        Err(error) => Got::Failed(error.kind),
    });
    futures::executor::block_on(got.collect())
}

fn whole(framing: Framing, body: &str) -> Vec<Got> {
    cut(framing, Limits::default(), [body.as_bytes()])
}

fn bytewise(framing: Framing, body: &[u8]) -> Vec<Got> {
    cut(framing, Limits::default(), body.chunks(1))
}

fn event(event: &str, data: &str) -> Got {
    Got::Frame(message(event.to_owned(), data.to_owned()))
}

fn end(stray: &str) -> Got {
    Got::Frame(Frame::End {
        stray: stray.to_owned(),
    })
}

#[test]
fn events_have_names_data_and_any_kind_of_line_end() {
    let expected = [
        event("message", "{\"ä\": 1}"),
        event("ping", "a\nb"),
        end(""),
    ];
    let body = "\u{feff}: hello\ndata: {\"ä\": 1}\n\nevent: ping\ndata: a\ndata:b\nid: 7\n\n";
    for line_end in ["\n", "\r\n", "\r"] {
        let body = body.replace('\n', line_end);
        assert_eq!(whole(Framing::Events, &body), expected, "{line_end:?}");
        assert_eq!(
            bytewise(Framing::Events, body.as_bytes()),
            expected,
            "{line_end:?}"
        );
    }
}

#[test]
fn a_last_event_without_a_blank_line_counts_if_it_is_whole() {
    assert_eq!(
        whole(Framing::Events, "data: {\"a\":1}\n\ndata: [DONE]"),
        [
            event("message", "{\"a\":1}"),
            event("message", "[DONE]"),
            end("")
        ]
    );
    assert_eq!(
        whole(Framing::Events, "data: {\"a\":1}"),
        [event("message", "{\"a\":1}"), end("")]
    );
    for cut_off in ["data: {\"a\":", "da", "event: ping\nda", "data: [DON"] {
        assert_eq!(whole(Framing::Events, cut_off), [end("")], "{cut_off:?}");
    }
}

#[test]
fn what_is_in_no_event_is_kept_aside() {
    let body = "{\n  \"error\": {\"code\": 503}\n}\n";
    assert_eq!(whole(Framing::Events, body), [end(body)]);
    assert_eq!(bytewise(Framing::Events, body.as_bytes()), [end(body)]);
    assert_eq!(
        whole(Framing::Events, "data: 1\n\n<html>oh: no</html>"),
        [event("message", "1"), end("<html>oh: no</html>\n")]
    );
    let long = "ü".repeat(3 * MAX_STRAY);
    let frames = whole(Framing::Events, &long);
    let [Got::Frame(Frame::End { stray })] = &frames[..] else {
        panic!("{frames:?}");
    };
    assert!(stray.len() <= MAX_STRAY + 1 && stray.starts_with('ü'));
}

#[test]
fn bytes_that_are_no_text_do_not_stop_the_rest() {
    let body = b"data: \"\xff\xfe\"\n\ndata: \"after\"\n\n";
    let expected = [
        event("message", "\"\u{fffd}\u{fffd}\""),
        event("message", "\"after\""),
        end(""),
    ];
    assert_eq!(
        cut(Framing::Events, Limits::default(), [&body[..]]),
        expected
    );
    assert_eq!(bytewise(Framing::Events, body), expected);
}

#[test]
fn marks_of_byte_order_do_no_harm() {
    let frames = whole(Framing::Events, "\u{feff}\u{feff}data: 1\n\ndata: 2\n\n");
    assert_eq!(frames[0], event("message", "2"));
    assert_eq!(
        bytewise(Framing::Lines, "\u{feff}{\"a\":1}\n".as_bytes()),
        [event("message", "{\"a\":1}"), end("")]
    );
}

#[test]
fn values_come_one_a_line() {
    let body = "{\"a\":\"ü\"}\r\n\n {\"b\":2} \n{\"c\":3}";
    let expected = [
        event("message", "{\"a\":\"ü\"}"),
        event("message", "{\"b\":2}"),
        event("message", "{\"c\":3}"),
        end(""),
    ];
    assert_eq!(whole(Framing::Lines, body), expected);
    assert_eq!(bytewise(Framing::Lines, body.as_bytes()), expected);
}

#[test]
fn a_value_that_is_cut_off_is_none() {
    assert_eq!(whole(Framing::Lines, "{\"a\":"), [end("")]);
    assert_eq!(
        whole(Framing::Lines, "{\"a\":1}\n{\"b\":{}"),
        [event("message", "{\"a\":1}"), end("")]
    );
}

#[test]
fn lines_that_are_no_values_are_kept_aside_before_the_first_and_given_out_after() {
    let page = "<html>\n<p>oh</p>\n</html>\n";
    assert_eq!(whole(Framing::Lines, page), [end(page)]);
    let pretty = "{\n  \"error\": \"no\"\n}";
    assert_eq!(
        whole(Framing::Lines, pretty),
        [end("{\n\"error\": \"no\"\n}\n")]
    );
    assert_eq!(
        whole(Framing::Lines, "{\"a\":1}\n\"b\": broken\n"),
        [
            event("message", "{\"a\":1}"),
            event("message", "\"b\": broken"),
            end("")
        ]
    );
}

#[test]
fn nothing_grows_beyond_its_limit() {
    let too_large = Got::Failed(ErrorKind::TooLarge);
    let line = format!("data: {}\n\n", "x".repeat(80));
    let event_of_lines = "data: 0123456789\n".repeat(5);
    let body = "data: 1\n\n".repeat(30);
    for framing in [Framing::Events, Framing::Lines] {
        let frames = cut(framing, SMALL, [line.as_bytes()]);
        assert_eq!(frames, std::slice::from_ref(&too_large), "{framing:?}");
        let frames = cut(framing, SMALL, line.as_bytes().chunks(1));
        assert_eq!(frames, std::slice::from_ref(&too_large), "{framing:?}");
        let frames = cut(framing, SMALL, body.as_bytes().chunks(9));
        assert_eq!(frames.last(), Some(&too_large), "{framing:?}");
    }
    let frames = cut(Framing::Events, SMALL, [event_of_lines.as_bytes()]);
    assert_eq!(frames, [too_large]);
}

#[test]
fn a_body_that_fails_ends_with_its_error() {
    for framing in [Framing::Events, Framing::Lines] {
        let pieces = [
            Ok(Bytes::from_static(b"data: 1\n\n{\"a\":1}\n")),
            Err(Error::new(ErrorKind::Connect).with_retry_after(Duration::from_secs(1))),
            Ok(Bytes::from_static(b"data: 2\n\n")),
        ];
        let frames = frames(stream::iter(pieces), framing, Limits::default());
        let mut frames: Vec<_> = futures::executor::block_on(frames.collect());
        let error = frames.pop().unwrap().unwrap_err();
        assert_eq!(
            (error.kind, error.retry_after),
            (ErrorKind::Connect, Some(Duration::from_secs(1)))
        );
        assert_eq!(frames.len(), 1, "{framing:?}: {frames:?}");
    }
}
