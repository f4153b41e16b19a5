//! Graphs as Mermaid flowcharts.

use std::fmt::Write;

use crate::{
    State,
    compiled::{Hop, Kind, Plan, Route},
};

pub(crate) fn draw<S: State>(plan: &Plan<S>) -> String {
    let mut drawing = Drawing {
        plan,
        text: String::from("flowchart TD\n"),
    };
    drawing.line(1, "start([start])");
    drawing.members(None, 1);
    drawing.line(1, "finish([end])");
    drawing.route("start", &plan.entry, None);
    for (index, vertex) in plan.vertices.iter().enumerate() {
        if let Kind::Subgraph(entry) = &vertex.kind {
            drawing.route(&format!("{}_start", id(index)), entry, Some(index));
        }
        drawing.route(&id(index), &vertex.route, vertex.scope);
    }
    drawing.text
}

/// Names may be anything, and some (`end`) mean something to Mermaid; so places go by number, and names are labels.
fn id(index: usize) -> String {
    format!("n{index}")
}

struct Drawing<'a, S: State> {
    plan: &'a Plan<S>,
    text: String,
}

impl<S: State> Drawing<'_, S> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a string can not fail.
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
            match &vertex.kind {
                Kind::Node(_) => self.line(depth, &format!("{}[\"{name}\"]", id(index))),
                Kind::Subgraph(_) => {
                    self.line(depth, &format!("subgraph {}[\"{name}\"]", id(index)));
                    self.line(depth + 1, &format!("{}_start([start])", id(index)));
                    self.members(Some(index), depth + 1);
                    self.line(depth + 1, &format!("{}_end([end])", id(index)));
                    self.line(depth, "end");
                }
            }
        }
    }

    fn route(&mut self, from: &str, route: &Route<S>, scope: Option<usize>) {
        for (hop, conditional) in route.hops() {
            let to = match hop {
                Hop::To(index) => id(index),
                Hop::End => scope.map_or_else(
                    || "finish".to_owned(),
                    |subgraph| format!("{}_end", id(subgraph)),
                ),
            };
            let arrow = if conditional { "-.->" } else { "-->" };
            self.line(1, &format!("{from} {arrow} {to}"));
        }
    }
}
