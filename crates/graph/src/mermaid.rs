//! Graphs as Mermaid flowcharts.

use std::fmt::Write;

use crate::{
    State,
    compiled::{Hop, Kind, Plan, Route},
};

/// Words that mean something to Mermaid, or to the drawing.
const RESERVED: [&str; 12] = [
    "start",
    "finish",
    "end",
    "graph",
    "flowchart",
    "subgraph",
    "style",
    "class",
    "click",
    "default",
    "direction",
    "call",
];

pub(crate) fn draw<S: State, R>(plan: &Plan<S, R>) -> String {
    let mut drawing = Drawing {
        plan,
        ids: ids(plan),
        text: String::from("flowchart TD\n"),
    };
    drawing.line(1, "start([start])");
    drawing.members(None, 1);
    drawing.line(1, "finish([end])");
    drawing.route("start", &plan.entry, None);
    for (index, vertex) in plan.vertices.iter().enumerate() {
        let id = drawing.ids[index].clone();
        if let Kind::Subgraph(entry) = &vertex.kind {
            drawing.route(&format!("{id}__start"), entry, Some(index));
        }
        drawing.route(&id, &vertex.route, vertex.scope);
    }
    drawing.text
}

/// Paths with everything replaced that Mermaid might not like in an id, distinguished by number
/// where that makes them alike.
fn ids<S: State, R>(plan: &Plan<S, R>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::with_capacity(plan.vertices.len());
    for (index, vertex) in plan.vertices.iter().enumerate() {
        let id = vertex
            .path
            .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let is_taken = ids.contains(&id) || id.ends_with("__start") || id.ends_with("__end");
        let is_reserved = RESERVED.contains(&&*id.to_ascii_lowercase());
        ids.push(if is_taken || is_reserved {
            format!("{id}_{index}")
        } else {
            id
        });
    }
    ids
}

struct Drawing<'a, S: State, R> {
    plan: &'a Plan<S, R>,
    ids: Vec<String>,
    text: String,
}

impl<S: State, R> Drawing<'_, S, R> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:depth$}{line}", "", depth = 4 * depth);
    }

    fn members(&mut self, scope: Option<usize>, depth: usize) {
        for (index, vertex) in self.plan.vertices.iter().enumerate() {
            if vertex.scope != scope {
                continue;
            }
            let name = vertex
                .path
                .rsplit('/')
                .next()
                .unwrap_or(&vertex.path)
                .replace('"', "#quot;");
            let id = self.ids[index].clone();
            match &vertex.kind {
                Kind::Node(_) => self.line(depth, &format!("{id}[\"{name}\"]")),
                Kind::Subgraph(_) => {
                    self.line(depth, &format!("subgraph {id}[\"{name}\"]"));
                    self.line(depth + 1, &format!("{id}__start([start])"));
                    self.members(Some(index), depth + 1);
                    self.line(depth + 1, &format!("{id}__end([end])"));
                    self.line(depth, "end");
                }
            }
        }
    }

    fn route(&mut self, from: &str, route: &Route<S, R>, scope: Option<usize>) {
        for (hop, conditional) in route.hops() {
            let to = match (hop, scope) {
                (Hop::To(index), _) => self.ids[index].clone(),
                (Hop::End, Some(subgraph)) => format!("{}__end", self.ids[subgraph]),
                (Hop::End, None) => "finish".to_owned(),
            };
            let arrow = if conditional { "-.->" } else { "-->" };
            self.line(1, &format!("{from} {arrow} {to}"));
        }
    }
}
