//! A person who talks to the analyst over HTTP, and what the analyst then knows.

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use service_kit::client::HttpClient;
use test_support::sse::Capture;

use crate::demo_stack::DemoStack;

/// A user with an account.
pub(crate) struct Person {
    http: HttpClient,
    bff_url: String,
    token: String,
}

impl Person {
    /// The demo user.
    pub(crate) async fn demo(stack: &DemoStack) -> Self {
        Self::at(&stack.services.bff_url, stack.token().await)
    }

    /// A new user of a tenant.
    pub(crate) async fn new(stack: &DemoStack, name: &str, tenant: &str) -> Self {
        let token = stack.token_of_new(name, tenant).await;
        Self::at(&stack.services.bff_url, token)
    }

    /// The person with this token.
    pub(crate) fn at(bff_url: &str, token: String) -> Self {
        Self {
            http: service_kit::http_client().unwrap(),
            bff_url: bff_url.to_owned(),
            token,
        }
    }

    /// A conversation with the analyst.
    pub(crate) fn conversation(&self, thread: &str) -> Conversation<'_> {
        Conversation {
            person: self,
            thread: thread.to_owned(),
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.bff_url)
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        let request = self.http.get(self.url(path));
        request.bearer_auth(&self.token)
    }

    pub(crate) fn delete(&self, path: &str) -> RequestBuilder {
        let request = self.http.request(Method::DELETE, self.url(path));
        request.bearer_auth(&self.token)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        let request = self.http.post(self.url(path));
        request.bearer_auth(&self.token).json(body)
    }
}

/// A conversation in named events.
pub(crate) struct Conversation<'a> {
    person: &'a Person,
    thread: String,
}

impl Conversation<'_> {
    /// Says something; the answer.
    pub(crate) async fn say(&self, content: &str) -> Answer {
        let response = self.request(content).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{content}");
        Answer::read(&response.text().await.unwrap())
    }

    /// A message on its way.
    pub(crate) fn request(&self, content: &str) -> RequestBuilder {
        let body = json!({
            "content": content,
            "thread_id": self.thread,
            "if_not_exists": "create",
            "assistant": "analyst",
        });
        self.person.post("/api/messages", &body)
    }

    /// The answer of the state endpoint.
    pub(crate) async fn state(&self) -> Known {
        let path = format!("/api/threads/{}/state", self.thread);
        let response = self.person.get(&path).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let state: Value = response.json().await.unwrap();
        Known {
            status: state["status"].as_str().unwrap().to_owned(),
            values: state["values"].clone(),
        }
    }
}

/// The events of an answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Each event's name and data.
    pub(crate) events: Vec<(String, Value)>,
}

impl Answer {
    fn read(stream: &str) -> Self {
        let capture = Capture::parse_run(stream).unwrap();
        let events = capture.events().map(|event| {
            let name = event.event.clone().unwrap_or_default();
            (name, event.json().unwrap())
        });
        let events = events.collect();
        let answer = Self { events };
        assert_eq!(answer.done()["ok"], true, "{answer:?}");
        answer
    }

    fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = &Value> {
        self.events
            .iter()
            .filter(move |(is, _)| is == name)
            .map(|(_, data)| data)
    }

    pub(crate) fn done(&self) -> &Value {
        self.named("done").next_back().unwrap()
    }

    pub(crate) fn text(&self) -> String {
        self.named("message")
            .map(|data| data["content"].as_str().unwrap())
            .collect()
    }

    /// The first and the last plan of the answer.
    pub(crate) fn plans(&self) -> (&Value, &Value) {
        let mut plans = self.named("plan");
        let first = plans.next().unwrap_or_else(|| panic!("no plan: {self:?}"));
        (first, plans.next_back().unwrap_or(first))
    }

    /// The tools that were called, in order.
    pub(crate) fn tools(&self) -> Vec<&str> {
        self.named("tool_use")
            .map(|data| data["name"].as_str().unwrap())
            .collect()
    }

    /// The labels that can be chosen.
    pub(crate) fn options(&self) -> Vec<&str> {
        let picker = self
            .named("tool_use")
            .rfind(|data| data["name"] == "request_user_selection");
        picker
            .and_then(|data| data["arguments"]["options"].as_array())
            .into_iter()
            .flatten()
            .map(|option| option["label"].as_str().unwrap())
            .collect()
    }
}

/// The state of a thread, from the state endpoint.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) status: String,
    pub(crate) values: Value,
}

impl Known {
    /// Each entry's id, task and status, oldest first.
    pub(crate) fn entries(&self) -> Vec<(u64, &str, &str)> {
        let entries = self.values["entries"].as_array().unwrap();
        entries
            .iter()
            .map(|entry| {
                (
                    entry["turn_id"].as_u64().unwrap(),
                    entry["todo_key"].as_str().unwrap(),
                    entry["status"].as_str().unwrap(),
                )
            })
            .collect()
    }

    /// The entries' tasks and statuses, with the ids checked: 1, 2, 3, …
    pub(crate) fn attempts(&self) -> Vec<(&str, &str)> {
        let entries = self.entries();
        let ids: Vec<u64> = entries.iter().map(|(id, ..)| *id).collect();
        let expected: Vec<u64> = (1..=entries.len() as u64).collect();
        assert_eq!(ids, expected, "{self:?}");
        entries
            .into_iter()
            .map(|(_, key, status)| (key, status))
            .collect()
    }

    /// The states of the lists, oldest first; the endpoint returns them newest first.
    pub(crate) fn lists(&self) -> Vec<&str> {
        let lists = self.values["todo_lists"].as_array().unwrap();
        lists
            .iter()
            .rev()
            .map(|list| list["state"].as_str().unwrap())
            .collect()
    }

    pub(crate) fn queries(&self) -> &Vec<Value> {
        self.values["query_metadata"].as_array().unwrap()
    }
}
