//! The climate advisor's token flows over the named-event dialect: from the message with the token
//! to the upstream that is asked with it.

use chrono::Utc;
use serde_json::{Value, json};
use test_support::upstream::{Reply, UpstreamServer, jwt, token_reply};
use tools::credentials::config::{KeyConfig, generate_key};
use tools::demo::inventory;

use crate::advisor::{named_events, text, tools_called};
use crate::demo_stack::DemoStack;

const LIST: &str = "get_user_inventories";

/// The whole stack, with a scripted upstream behind it.
struct World {
    stack: DemoStack,
    upstream: UpstreamServer,
    /// Who the demo user is.
    subject: String,
}

impl World {
    async fn new() -> Self {
        let upstream = UpstreamServer::start().await.unwrap();
        let mut config = inventory::upstream(&upstream.url(), &"service-key".into()).unwrap();
        config.token.issuer = None;
        let stack = Box::pin(DemoStack::start_with(|stack| {
            stack.tools.upstreams.push(config);
            let key = KeyConfig::new("one", generate_key());
            stack.tools.credentials.keys.push(key);
            stack.orchestrator.delegation.upstream = Some(inventory::UPSTREAM.to_owned());
        }))
        .await;
        let me = stack
            .http
            .get(format!("{}/auth/me", stack.services.bff_url))
            .bearer_auth(stack.token().await)
            .send()
            .await
            .unwrap();
        let me: Value = me.json().await.unwrap();
        let subject = me["sub"].as_str().unwrap().to_owned();
        Self {
            stack,
            upstream,
            subject,
        }
    }

    fn claims(&self, seconds_left: i64) -> Value {
        let now = Utc::now().timestamp();
        json!({ "sub": self.subject, "aud": self.upstream.url(), "exp": now + seconds_left })
    }

    /// Asks for the inventories with a token of these claims; the events, and how often the
    /// upstream was asked for tokens and for data.
    async fn ask(&self, claims: &Value) -> (Vec<(String, Value)>, usize, usize) {
        // Of two tokens the one that is good for longer is kept, so each case begins without.
        sqlx::query("DELETE FROM tools.credentials")
            .execute(self.stack.pool())
            .await
            .unwrap();
        let (tokens, reads) = (
            self.upstream.token_requests().len(),
            self.upstream.read_requests().len(),
        );
        let token = jwt(claims);
        let body = json!({ "content": "Which inventories do I have?", "context": { "cc_access_token": token } });
        let events = named_events(&self.stack, &body).await;
        for (_, data) in &events {
            assert!(!data.to_string().contains(&token), "a token was shown");
        }
        let (last, done) = events.last().unwrap();
        assert_eq!((last.as_str(), &done["ok"]), ("done", &json!(true)));
        (
            events,
            self.upstream.token_requests().len() - tokens,
            self.upstream.read_requests().len() - reads,
        )
    }

    /// The upstream gives out a token for an hour.
    fn gives_tokens(&self) {
        self.upstream
            .tokens([token_reply(&jwt(&self.claims(3600)))]);
    }
}

fn found() -> Reply {
    let inventory = json!({ "inventoryId": "i-1", "year": 2022, "totalEmissions": 12.5, "city": { "name": "Utopia" } });
    Reply::Json(200, json!({ "data": [inventory] }))
}

fn warnings(events: &[(String, Value)]) -> Vec<&str> {
    let warnings = events.iter().filter(|(name, _)| name == "warning");
    warnings
        .map(|(_, data)| data["code"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_refreshed_refused_and_tried_once_more() {
    let world = World::new().await;
    world.upstream.reads([found()]);
    world.gives_tokens();

    // A token that is good is used as it is.
    let (events, tokens, reads) = world.ask(&world.claims(3600)).await;
    assert_eq!((tokens, reads), (0, 1), "{events:?}");
    assert!(text(&events).contains("Utopia"), "{}", text(&events));

    // One that ends within the minute, or has no end, is refreshed before the first call.
    let without_end = json!({ "sub": world.subject, "aud": world.upstream.url() });
    for claims in [world.claims(10), world.claims(30), without_end] {
        let (events, tokens, reads) = world.ask(&claims).await;
        assert_eq!((tokens, reads), (1, 1), "{claims} {events:?}");
        assert_eq!(tools_called(&events), [(LIST, "success")]);
        assert!(warnings(&events).is_empty(), "{events:?}");
    }

    // 401 once: another token, one more try.
    world.upstream.reads([Reply::Json(401, json!({})), found()]);
    let (events, tokens, reads) = world.ask(&world.claims(3600)).await;
    assert_eq!((tokens, reads), (1, 2), "{events:?}");
    assert_eq!(tools_called(&events), [(LIST, "success")]);

    // 401 always: never more than that, and the run continues.
    world.upstream.reads([Reply::Json(401, json!({}))]);
    let (events, tokens, reads) = world.ask(&world.claims(3600)).await;
    assert_eq!((tokens, reads), (1, 2), "{events:?}");
    assert_eq!(tools_called(&events), [(LIST, "error")]);
    assert!(
        text(&events).contains("could not be read"),
        "{}",
        text(&events)
    );

    // The refresh is refused: it is said, and nothing is asked with a token that has run out.
    world.upstream.tokens([Reply::Json(403, json!({}))]);
    world.upstream.reads([found()]);
    let (events, _, reads) = world.ask(&world.claims(-60)).await;
    assert_eq!(reads, 0, "{events:?}");
    assert!(!warnings(&events).is_empty(), "{events:?}");
    world.stack.stop().await;
}
