//! All records of a list, page by page: the same query with other numbers.

use apollo_compiler::executable::{Selection, Value as Literal};
use contracts::tools::search::GraphqlQuery;

use super::rewrite::{Draft, set_argument};
use super::rows;
use super::selected;
use super::shape::{is_offset_argument, page_argument};
use super::validate::CheckedQuery;

/// The pages of a query with one list at its root.
#[derive(Debug)]
pub(super) struct Pages {
    draft: Draft,
    root: String,
    taking: String,
    passing: Option<String>,
    /// Number of records that the query itself passes over.
    begin: u64,
    page: u32,
    asked: u32,
    came: u64,
    complete: bool,
    over: bool,
}

impl Pages {
    /// `None` if the query has no root list with an argument for the number of records.
    pub(super) fn of(draft: Draft, checked: &CheckedQuery, page: u32) -> Option<Pages> {
        let roots = rows::roots(checked);
        let [root] = roots.as_slice() else {
            return None;
        };
        let definition = &root.field.definition;
        let taking = page_argument(definition)?.name.to_string();
        let given = selected::arguments(root.field, checked.variables());
        let mut names = definition
            .arguments
            .iter()
            .map(|argument| argument.name.as_str());
        let passing = names.find(|name| is_offset_argument(name));
        let begin = passing.and_then(|name| given.get(name)?.as_u64());
        Some(Pages {
            draft,
            root: root.key().to_owned(),
            taking,
            passing: passing.map(str::to_owned),
            begin: begin.unwrap_or_default(),
            page,
            asked: 0,
            came: 0,
            complete: false,
            over: false,
        })
    }

    /// The next page; `None` when there is none, or `max_rows` records have arrived.
    pub(super) fn next(&mut self, max_rows: u32) -> Option<GraphqlQuery> {
        let left = u64::from(max_rows).saturating_sub(self.came);
        if self.over || left == 0 {
            return None;
        }
        self.asked = u32::try_from(left).unwrap_or(u32::MAX).min(self.page);
        let offset = self.begin.saturating_add(self.came);
        let mut draft = self.draft.clone();
        for selection in &mut draft.operation.selection_set.selections {
            if let Selection::Field(field) = selection
                && *field.response_key() == self.root.as_str()
            {
                let field = field.make_mut();
                set_argument(field, &self.taking, number(self.asked.into()));
                if let Some(passing) = &self.passing {
                    set_argument(field, passing, number(offset));
                }
            }
        }
        Some(draft.request())
    }

    /// Counts the records that arrived.
    pub(super) fn came(&mut self, records: usize) {
        self.came = self.came.saturating_add(records as u64);
        self.complete = (records as u64) < u64::from(self.asked);
        self.over = self.complete || self.passing.is_none();
    }

    /// Whether there are no more.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }
}

fn number(count: u64) -> Literal {
    Literal::from(i32::try_from(count).unwrap_or(i32::MAX))
}
