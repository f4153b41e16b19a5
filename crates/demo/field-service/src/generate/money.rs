//! Quotes, parts used, invoices, payments, expenses.

use chrono::NaiveDate;

use super::customers::Customers;
use super::lookups::{COMPLETED, INVOICED};
use super::people::People;
use super::stock::{Part, Stock};
use super::work::{Order, Work};
use super::{Context, at, later};
use crate::rows::{Hundredths, Rows, Value, v};

const QUOTES: usize = 400;
/// The hourly rate for customers, in hundredths.
const LABOUR: i64 = 7_900;
/// Number of months for which contract fees were invoiced.
const MONTHS: i64 = 6;

pub(super) fn make(
    context: &mut Context,
    people: &People,
    customers: &Customers,
    stock: &Stock,
    work: &Work,
) -> Vec<Rows> {
    let (quotes, quote_lines) = quotes(context, people, stock, work);
    let mut books = Books::new();
    for order in &work.orders {
        books.order(context, people, stock, order);
    }
    for contract in &customers.contracts {
        for month in 1..=MONTHS {
            let issued = context.days_ago(month * 30);
            let line = (
                "Maintenance contract, monthly fee".to_owned(),
                Value::Null,
                100,
                contract.monthly_fee,
            );
            books.invoice(
                context,
                people,
                (contract.customer, None),
                issued,
                vec![line],
            );
        }
    }
    let expenses = expenses(context, work);
    vec![
        quotes,
        quote_lines,
        books.parts,
        books.invoices,
        books.lines,
        books.payments,
        expenses,
    ]
}

fn quotes(context: &mut Context, people: &People, stock: &Stock, work: &Work) -> (Rows, Rows) {
    let mut quotes = Rows::of(
        "quote",
        &[
            "id",
            "companyId",
            "customerId",
            "workOrderId",
            "quoteNumber",
            "status",
            "issuedOn",
            "validUntil",
            "totalAmount",
            "createdBy",
            "updatedBy",
            "createdAt",
            "updatedAt",
        ],
    );
    let mut lines = Rows::of(
        "quoteLine",
        &[
            "id",
            "companyId",
            "quoteId",
            "partId",
            "description",
            "quantity",
            "unitPrice",
        ],
    );
    for n in 0..QUOTES {
        let order = &work.orders[n * work.orders.len() / QUOTES];
        let issued = later(order.day, -context.dice.between(10, 40)).min(context.anchor);
        let valid = later(issued, 30);
        let status = match context.dice.between(1, 10) {
            1..=5 => "accepted",
            6..=7 => "rejected",
            _ if valid < context.anchor => "expired",
            8..=9 => "sent",
            _ => "draft",
        };
        let id = context.id(n);
        let hours = context.dice.between(2, 16);
        let part = context.dice.pick(&stock.parts);
        let pieces = context.dice.between(1, 5);
        let total = hours * LABOUR + pieces * part.price;
        let clerk = context.dice.pick(&people.office_users);
        let made = at(issued, 13);
        quotes.push([
            v(id),
            v(context.company()),
            v(order.customer),
            v((status == "accepted").then_some(order.id)),
            v(format!("Q-{:04}", n + 1)),
            v(status),
            v(issued),
            v(valid),
            v(Hundredths(total)),
            v(clerk),
            v(clerk),
            v(made),
            v(made),
        ]);
        let labour = (Value::Null, "Labour".to_owned(), hours, LABOUR);
        for (part, text, quantity, price) in [
            labour,
            (v(part.id), part.name.to_owned(), pieces, part.price),
        ] {
            lines.push([
                v(context.id(lines.rows.len())),
                v(context.company()),
                v(id),
                part,
                v(text),
                v(Hundredths(quantity * 100)),
                v(Hundredths(price)),
            ]);
        }
    }
    (quotes, lines)
}

/// Description, part, quantity in hundredths, unit price in hundredths.
type Line = (String, Value, i64, i64);

struct Books {
    parts: Rows,
    invoices: Rows,
    lines: Rows,
    payments: Rows,
}

impl Books {
    fn new() -> Self {
        Self {
            parts: Rows::of(
                "workOrderPart",
                &[
                    "id",
                    "companyId",
                    "workOrderId",
                    "partId",
                    "quantity",
                    "unitPrice",
                ],
            ),
            invoices: Rows::of(
                "invoice",
                &[
                    "id",
                    "companyId",
                    "customerId",
                    "workOrderId",
                    "invoiceNumber",
                    "status",
                    "issuedOn",
                    "dueOn",
                    "netAmount",
                    "taxAmount",
                    "totalAmount",
                    "createdBy",
                    "updatedBy",
                    "createdAt",
                    "updatedAt",
                ],
            ),
            lines: Rows::of(
                "invoiceLine",
                &[
                    "id",
                    "companyId",
                    "invoiceId",
                    "partId",
                    "description",
                    "quantity",
                    "unitPrice",
                ],
            ),
            payments: Rows::of(
                "payment",
                &["id", "companyId", "invoiceId", "paidOn", "amount", "method"],
            ),
        }
    }

    /// The parts that an order used, and the invoice of a completed order.
    fn order(&mut self, context: &mut Context, people: &People, stock: &Stock, order: &Order) {
        if order.worked.is_empty() {
            return;
        }
        let quarters: i64 = order.worked.values().sum();
        let mut lines = vec![("Labour".to_owned(), Value::Null, quarters * 25, LABOUR)];
        let first = context.dice.index(stock.parts.len());
        for nth in 0..context.dice.index(4) {
            let part: Part = stock.parts[(first + nth) % stock.parts.len()];
            let pieces = context.dice.between(1, 3);
            self.parts.push([
                v(context.id(self.parts.rows.len())),
                v(context.company()),
                v(order.id),
                v(part.id),
                v(pieces),
                v(Hundredths(part.price)),
            ]);
            lines.push((part.name.to_owned(), v(part.id), pieces * 100, part.price));
        }
        if matches!(order.status, COMPLETED | INVOICED) {
            let issued = later(order.day, context.dice.between(2, 7));
            if order.status == INVOICED && issued <= context.anchor {
                self.invoice(
                    context,
                    people,
                    (order.customer, Some(order.id)),
                    issued,
                    lines,
                );
            }
        }
    }

    fn invoice(
        &mut self,
        context: &mut Context,
        people: &People,
        (customer, order): (i64, Option<i64>),
        issued: NaiveDate,
        lines: Vec<Line>,
    ) {
        let n = self.invoices.rows.len();
        let (id, due) = (context.id(n), later(issued, 30));
        let net: i64 = lines
            .iter()
            .map(|(_, _, quantity, price)| quantity * price / 100)
            .sum();
        let tax = net * 19 / 100;
        let paid_on = later(issued, context.dice.between(5, 45));
        let paid = paid_on <= context.anchor && !context.dice.percent(5);
        let status = match () {
            () if paid => "paid",
            () if due < context.anchor => "overdue",
            () => "sent",
        };
        let clerk = context.dice.pick(&people.office_users);
        let made = at(issued, 16);
        self.invoices.push([
            v(id),
            v(context.company()),
            v(customer),
            v(order),
            v(format!("INV-{:05}", n + 1)),
            v(status),
            v(issued),
            v(due),
            v(Hundredths(net)),
            v(Hundredths(tax)),
            v(Hundredths(net + tax)),
            v(clerk),
            v(clerk),
            v(made),
            v(made),
        ]);
        for (text, part, quantity, price) in lines {
            self.lines.push([
                v(context.id(self.lines.rows.len())),
                v(context.company()),
                v(id),
                part,
                v(text),
                v(Hundredths(quantity)),
                v(Hundredths(price)),
            ]);
        }
        if paid {
            let method = context.dice.pick(&[
                "transfer",
                "transfer",
                "transfer",
                "direct_debit",
                "card",
                "cash",
            ]);
            self.payments.push([
                v(context.id(self.payments.rows.len())),
                v(context.company()),
                v(id),
                v(paid_on),
                v(Hundredths(net + tax)),
                v(method),
            ]);
        }
    }
}

fn expenses(context: &mut Context, work: &Work) -> Rows {
    let mut rows = Rows::of(
        "expense",
        &[
            "id",
            "companyId",
            "employeeId",
            "workOrderId",
            "type",
            "amount",
            "spentOn",
            "isReimbursed",
            "createdAt",
        ],
    );
    for order in &work.orders {
        let Some(employee) = order.worked.keys().last().copied() else {
            continue;
        };
        if !context.dice.percent(30) {
            continue;
        }
        let kind = context.dice.pick(&[
            "fuel", "fuel", "parking", "parking", "meals", "lodging", "material",
        ]);
        let amount = match kind {
            "fuel" => context.dice.between(4_000, 11_000),
            "lodging" => context.dice.between(7_000, 14_000),
            _ => context.dice.between(300, 3_500),
        };
        let reimbursed = later(order.day, 20) < context.anchor;
        rows.push([
            v(context.id(rows.rows.len())),
            v(context.company()),
            v(employee),
            v(order.id),
            v(kind),
            v(Hundredths(amount)),
            v(order.day),
            v(reimbursed),
            v(at(order.day, 19)),
        ]);
    }
    rows
}
