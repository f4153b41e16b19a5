//! Bodies, queries and what is said of those that do not fit.

use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::{prop_assert, prop_assert_eq};

use super::*;

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    #[expect(dead_code, reason = "only its type matters here")]
    days: u32,
}

fn refusal(body: &str) -> (u16, String, String) {
    let error = parse_json::<Body>(body.as_bytes()).unwrap_err();
    let problem = error.problem().clone();
    let pointer = problem
        .errors
        .first()
        .map(|fault| fault.pointer.clone())
        .unwrap_or_default();
    (problem.status, pointer, problem.detail.unwrap_or_default())
}

#[test]
fn malformed_json_is_400_with_its_position() {
    let (status, _, detail) = refusal("{\"items\": [");
    assert_eq!(status, 400);
    assert!(detail.contains("line 1 column 11"), "{detail}");
    assert_eq!(refusal("").0, 400);
    assert_eq!(refusal("{} {}").0, 400);
}

#[test]
fn a_wrong_type_is_422_with_a_pointer() {
    let (status, pointer, detail) = refusal(r#"{"items": [{"days": 1}, {"days": "two"}]}"#);
    assert_eq!((status, pointer.as_str()), (422, "/items/1/days"));
    assert_eq!(detail, "/items/1/days: must be an integer, got \"two\"");
}

#[test]
fn an_unknown_and_a_missing_member_are_422_and_named() {
    let (status, pointer, detail) = refusal(r#"{"items": [{"day": 1}]}"#);
    assert_eq!((status, pointer.as_str()), (422, "/items/0/day"));
    assert!(detail.contains("not known here; known: `days`"), "{detail}");
    let (status, pointer, detail) = refusal(r#"{"items": [{}]}"#);
    assert_eq!((status, pointer.as_str()), (422, "/items/0/days"));
    assert!(detail.contains("is required"), "{detail}");
}

#[test]
fn a_value_is_read_like_a_body() {
    let value = serde_json::json!({ "items": [{ "days": -1 }] });
    let error = parse_value::<Body, _>(value).unwrap_err();
    assert_eq!(error.problem().errors[0].pointer, "/items/0/days");
    assert!(
        parse_value::<Body, _>(serde_json::json!({}))
            .unwrap()
            .items
            .is_empty()
    );
}

#[test]
fn json_media_types_are_recognised() {
    let of = |value: &'static str| {
        HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))])
    };
    assert!(is_json(&of("application/json; charset=utf-8")));
    assert!(is_json(&of("application/merge-patch+json")));
    assert!(!is_json(&of("text/plain")));
    assert!(!is_json(&HeaderMap::new()));
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Everything {
    #[serde(default)]
    count: Option<u8>,
    #[serde(default)]
    change: i64,
    #[serde(default)]
    share: f64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    inner: Option<Box<Everything>>,
    #[serde(default)]
    list: Vec<Everything>,
    #[serde(default)]
    any: serde_json::Value,
}

#[derive(Debug, Default, PartialEq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Reject,
    Enqueue,
}

/// Status, pointer and words of the refusal of a body.
fn refused(body: &str) -> (u16, String, String) {
    let error = parse_json::<Everything>(body.as_bytes()).unwrap_err();
    let problem = error.problem();
    let fault = problem.errors.first();
    let whole = || (String::new(), problem.detail.clone().unwrap());
    let (pointer, detail) =
        fault.map_or_else(whole, |fault| (fault.pointer.clone(), fault.detail.clone()));
    (problem.status, pointer, detail)
}

#[test]
fn u0000_is_refused_in_every_text_and_name() {
    for (body, pointer) in [
        (r#"{"name": "a\u0000b"}"#, "/name"),
        (
            r#"{"inner": {"list": [{}, {"name": "\u0000"}]}}"#,
            "/inner/list/1/name",
        ),
        (r#"{"any": {"a": ["\u0000"]}}"#, "/any/a/0"),
        (r#"{"any": {"a\u0000": 1}}"#, "/any/a\0"),
        (r#"{"mode": "reject\u0000"}"#, "/mode"),
    ] {
        let expected = "must not contain the null character U+0000";
        assert_eq!(
            refused(body),
            (422, pointer.to_owned(), expected.to_owned())
        );
    }
    let escaped = parse_json::<Everything>(br#"{"name": "a\\u0000b"}"#).unwrap();
    assert_eq!(escaped.name, "a\\u0000b", "a backslash and five characters");
}

#[test]
fn u0000_is_refused_in_what_a_type_ignores() {
    #[derive(Debug, serde::Deserialize)]
    struct Empty {}
    let body = br#"{"ours": "fine", "theirs": {"deep": ["\u0000"]}}"#;
    let error = parse_json::<Empty>(body).unwrap_err();
    assert_eq!(error.problem().errors[0].pointer, "/theirs/deep/0");
}

#[test]
fn an_array_is_no_object() {
    for (body, pointer) in [
        ("[null, 1]", ""),
        (r#"{"inner": [null, 1]}"#, "/inner"),
        (r#"{"list": [{}, []]}"#, "/list/1"),
    ] {
        let expected = "must be an object, got an array";
        assert_eq!(
            refused(body),
            (422, pointer.to_owned(), expected.to_owned())
        );
    }
}

#[test]
fn a_wrong_type_of_an_enum_member_is_422_with_a_pointer() {
    for (value, found) in [
        ("null", "null"),
        ("1", "1"),
        ("true", "true"),
        ("7.5", "7.5"),
        ("[]", "an array"),
        ("{}", "an object"),
        (r#""x""#, r#""x""#),
    ] {
        let (status, pointer, detail) = refused(&format!("{{\"mode\": {value}}}"));
        assert_eq!((status, pointer.as_str()), (422, "/mode"), "{value}");
        assert_eq!(
            detail,
            format!("must be one of `reject`, `enqueue`, got {found}")
        );
    }
}

#[test]
fn an_integer_may_be_written_with_a_point() {
    let read = parse_json::<Everything>(br#"{"count": 7.0, "change": -2e3}"#).unwrap();
    assert_eq!((read.count, read.change), (Some(7), -2000));
    for (value, expected) in [
        ("7.5", "must be an integer, got 7.5"),
        ("300", "must be an integer from 0 to 255, got 300"),
        ("-1.0", "must be an integer from 0 to 255, got -1"),
        ("1e30", "must be an integer, got 1e+30"),
        ("\"7\"", "must be an integer, got \"7\""),
        ("[]", "must be an integer, got an array"),
    ] {
        let (status, pointer, detail) = refused(&format!("{{\"count\": {value}}}"));
        assert_eq!(
            (status, pointer.as_str(), detail.as_str()),
            (422, "/count", expected)
        );
    }
}

#[test]
fn no_refusal_names_a_rust_type_or_repeats_a_long_text() {
    let long = "x".repeat(64 * 1024);
    for body in [
        format!("{{\"count\": \"{long}\"}}"),
        format!("{{\"mode\": \"{long}\"}}"),
        format!("{{\"{long}\": 1}}"),
        format!("\"{long}\""),
        "null".to_owned(),
        r#"{"list": {}}"#.to_owned(),
        r#"{"share": true}"#.to_owned(),
        r#"{"name": []}"#.to_owned(),
        r#"{"name": "a", "name": "b"}"#.to_owned(),
        r#"{"count": 1"#.to_owned(),
        r#"{"count": tru}"#.to_owned(),
        "[".repeat(5000),
    ] {
        let error = parse_json::<Everything>(body.as_bytes()).unwrap_err();
        let told = serde_json::to_string(error.problem()).unwrap();
        assert!(told.len() < 2000, "{} bytes", told.len());
        for word in [
            "struct",
            "Everything",
            "u8",
            "expected",
            "invalid type",
            "EOF",
            "sequence",
        ] {
            assert!(!told.contains(word), "{told}");
        }
    }
}

#[test]
fn queries_are_read_in_the_same_words() {
    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Asked {
        limit: Option<u32>,
        mode: Option<Mode>,
        name: Option<String>,
    }
    let read = query::read::<Asked>("limit=7.0&mode=enqueue&name=a%20b").unwrap();
    assert_eq!(
        (read.limit, read.mode, read.name.as_deref()),
        (Some(7), Some(Mode::Enqueue), Some("a b"))
    );
    for (asked, pointer, detail) in [
        (
            "limit=x",
            "/limit",
            "must be an integer from 0 to 4294967295, got \"x\"",
        ),
        (
            "mode=z",
            "/mode",
            "must be one of `reject`, `enqueue`, got \"z\"",
        ),
        (
            "name=%00",
            "/name",
            "must not contain the null character U+0000",
        ),
        ("limit=1&limit=2", "/limit", "is given more than once"),
        (
            "new=1",
            "/new",
            "is not known here; known: `limit`, `mode`, `name`",
        ),
    ] {
        let refusal = query::read::<Asked>(asked).unwrap_err();
        assert_eq!(
            (refusal.pointer().as_str(), refusal.detail().as_str()),
            (pointer, detail)
        );
    }
}

/// A document without U+0000, of any shape.
fn documents() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-300_i16..300).prop_map(|number| serde_json::Value::from(f64::from(number) / 2.0)),
        "(reject|enqueue|[a-z]{0,3})".prop_map(Into::into),
    ];
    let name = "(count|change|share|name|mode|inner|list|any)";
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Into::into),
            proptest::collection::vec((name, inner), 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_serde_takes_is_taken_alike_unless_an_array_stands_for_an_object(document in documents()) {
        let theirs: Result<Everything, _> = serde_json::from_value(document.clone());
        let ours: Result<Everything, _> = parse_json(document.to_string().as_bytes());
        if let Ok(ours) = ours {
            if let Ok(theirs) = theirs {
                prop_assert_eq!(ours, theirs);
            }
        } else if theirs.is_ok() {
            prop_assert!(document.to_string().contains('['));
        }
    }
}
