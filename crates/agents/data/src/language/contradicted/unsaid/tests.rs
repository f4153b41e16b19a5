mod tables;

use tables::{joins, schemas};

use super::{
    super::{
        super::{columns::counts_another, unapplied, untested},
        Compared, Contradiction, contradicted,
        tests::cases,
    },
    *,
};

/// The remarks on a query before its result.
fn found(question: &str, sql: &str) -> Vec<String> {
    let (schemas, joins) = (schemas(), joins());
    let compared = Compared {
        question,
        sql,
        is_mysql: true,
        today: chrono::NaiveDate::from_ymd_opt(2026, 11, 30),
        joins: joins.iter().collect(),
        schemas: &schemas,
    };
    let mut all: Vec<String> = contradicted(&compared)
        .iter()
        .map(Contradiction::finding)
        .collect();
    all.extend(untested::untested(sql, question, true));
    all.extend(unapplied::unapplied(sql, question, true, &schemas));
    let tables = schemas.iter().map(|table| &*table.name);
    all.extend(counts_another(sql, question, true, tables).map(str::to_owned));
    if all.is_empty() {
        let unsaid = unsaid(sql, question, question, true, &schemas);
        all.extend(unsaid.into_iter().map(|unsaid| format!("{unsaid:?}")));
    }
    all
}

/// Questions with queries that answer another question, and words of what is said of each.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "How many invoices are overdue?",
        "SELECT COUNT(*) AS overdue FROM invoice WHERE status='cancelled'",
        "overdue",
    ),
    (
        "How many invoices are overdue?",
        "SELECT COUNT(*) AS overdue FROM invoice WHERE status='sent'",
        "overdue",
    ),
    (
        "How many invoices are cancelled?",
        "SELECT COUNT(*) AS cancelled FROM invoice WHERE status='overdue'",
        "cancelled",
    ),
    (
        "How many employees do we have in all?",
        "SELECT COUNT(*) AS employees FROM employee e JOIN workTime w ON w.employeeId=e.id",
        "several times",
    ),
    (
        "How many employees are women?",
        "SELECT COUNT(*) AS women FROM employee WHERE firstName LIKE '%a'",
        "first name ends with",
    ),
    (
        "How many employees speak German?",
        "SELECT COUNT(*) AS n FROM employee WHERE phone LIKE '+49%'",
        "phone begins with",
    ),
    (
        "How many employees work in Hamburg?",
        "SELECT COUNT(*) AS n FROM customerLocation WHERE city='Hamburg'",
        "employee",
    ),
    (
        "How many work orders are late?",
        "SELECT COUNT(*) AS late FROM workOrder WHERE priority='urgent'",
        "priority is",
    ),
    (
        "How many vans were stolen?",
        "SELECT COUNT(*) AS stolen FROM vehicle WHERE isActive=0",
        "active is 0",
    ),
    (
        "How many invoices were issued in May 2026?",
        "SELECT COUNT(*) AS n FROM invoice WHERE dueOn>='2026-05-01' AND dueOn<'2026-06-01'",
        "issued",
    ),
    (
        "How many quotes were accepted?",
        "SELECT COUNT(DISTINCT customerId) AS accepted FROM quote WHERE status='accepted'",
        "quotes",
    ),
    (
        "What is the average hourly rate of technicians?",
        "SELECT AVG(weeklyHours) AS average_hourly_rate FROM employee e JOIN role r ON r.id=e.roleId WHERE r.code='technician'",
        "hourly rate",
    ),
    (
        "Total payments in 2026?",
        "SELECT SUM(amount) AS total FROM payment",
        "2026",
    ),
    (
        "How many vacation days did Anna take?",
        "SELECT COUNT(*) AS days FROM timeOff WHERE type='vacation'",
        "Anna",
    ),
    (
        "How many employees are older than 50?",
        "SELECT COUNT(*) AS n FROM employee WHERE hourlyRate>50",
        "hourly rate is more than 50",
    ),
    (
        "How many customers are there per type?",
        "SELECT type, COUNT(*) AS count FROM customer WHERE isActive=0 GROUP BY type",
        "active is 0",
    ),
    (
        "Who approved the most vacations?",
        "SELECT e.lastName, COUNT(*) AS n FROM timeOff t JOIN employee e ON e.id=t.employeeId WHERE t.type='vacation' GROUP BY e.id,e.lastName ORDER BY n DESC LIMIT 1",
        "approved",
    ),
    (
        "Average days from order to receipt of purchase orders?",
        "SELECT AVG(DATEDIFF(orderedOn,receivedOn)) AS days FROM purchaseOrder",
        "from order to",
    ),
    (
        "Average invoice total per customer type?",
        "SELECT c.type, AVG(i.netAmount) AS average_total FROM invoice i JOIN customer c ON c.id=i.customerId GROUP BY c.type",
        "total",
    ),
    (
        "How many vehicles are there by make?",
        "SELECT model AS make, COUNT(*) AS count FROM vehicle GROUP BY model",
        "make",
    ),
    (
        "How many employees are managers?",
        "SELECT COUNT(*) AS managers FROM employee WHERE hourlyRate > 30",
        "hourly rate is more than 30",
    ),
    (
        "What is the total invoice amount?",
        "SELECT SUM(i.totalAmount) AS total FROM invoice i JOIN invoiceLine l ON l.invoiceId=i.id",
        "several times",
    ),
    (
        "How many deliveries are there per beer?",
        "SELECT b.beer, COUNT(*) AS n FROM delivery d JOIN batch b ON d.brewery_id=b.brewery_id GROUP BY b.beer",
        "delivery.batch_no = batch.batch_no",
    ),
    (
        "Average price per litre?",
        "SELECT AVG(price_eur) AS average_price_per_litre FROM delivery",
        "litre",
    ),
    // Siblings.
    (
        "How many invoices are unpaid?",
        "SELECT COUNT(*) FROM invoice WHERE status = 'draft'",
        "unpaid",
    ),
    (
        "How many customers have invoices?",
        "SELECT COUNT(*) FROM customer c JOIN invoice i ON i.customerId = c.id",
        "several times",
    ),
    (
        "What is the lowest hourly rate?",
        "SELECT MIN(weeklyHours) FROM employee",
        "hourly rate",
    ),
    (
        "Total of invoices due in May?",
        "SELECT SUM(totalAmount) FROM invoice WHERE issuedOn >= '2026-05-01' AND issuedOn < '2026-06-01'",
        "due",
    ),
    (
        "Sum of payments of 2025?",
        "SELECT SUM(amount) FROM payment",
        "2025",
    ),
    (
        "How many trucks are broken?",
        "SELECT COUNT(*) FROM vehicle WHERE model = 'Vito'",
        "trucks",
    ),
    (
        "How many sick days did Peters have?",
        "SELECT COUNT(*) FROM timeOff WHERE type = 'sick'",
        "Peters",
    ),
];

#[test]
fn no_query_for_another_question_is_told_without_a_word() {
    let mut missed = Vec::new();
    for (question, sql, word) in WRONG {
        let found = found(question, sql).join(" | ");
        if !found.contains(word) {
            missed.push(format!("{question} {sql} {word:?}: {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Questions with queries that answer them.
const RIGHT: &[(&str, &str)] = &[
    (
        "How many invoices are overdue?",
        "SELECT COUNT(*) AS overdue FROM invoice WHERE status='overdue'",
    ),
    (
        "How many invoices are overdue?",
        "SELECT COUNT(*) AS n FROM invoice WHERE dueOn < CURDATE()",
    ),
    (
        "How many employees do we have in all?",
        "SELECT COUNT(*) AS employees FROM employee",
    ),
    (
        "How many employees have recorded work times?",
        "SELECT COUNT(DISTINCT w.employeeId) AS n FROM workTime w",
    ),
    (
        "How many invoices were issued in May 2026?",
        "SELECT COUNT(*) AS n FROM invoice WHERE issuedOn>='2026-05-01' AND issuedOn<'2026-06-01'",
    ),
    (
        "How many paid invoices were there in May 2026?",
        "SELECT COUNT(*) AS n FROM invoice WHERE status = 'paid' AND issuedOn>='2026-05-01' AND issuedOn<'2026-06-01'",
    ),
    (
        "How many quotes were accepted?",
        "SELECT COUNT(*) AS accepted FROM quote WHERE status='accepted'",
    ),
    (
        "How many customers got quotes?",
        "SELECT COUNT(DISTINCT customerId) AS n FROM quote",
    ),
    (
        "What is the average hourly rate of technicians?",
        "SELECT AVG(hourlyRate) AS average_hourly_rate FROM employee e JOIN role r ON r.id=e.roleId WHERE r.code='technician'",
    ),
    (
        "Total payments in 2026?",
        "SELECT SUM(amount) AS total FROM payment WHERE YEAR(paidOn) = 2026",
    ),
    (
        "How many vacation days did Anna take?",
        "SELECT COUNT(*) AS days FROM timeOff t JOIN employee e ON e.id = t.employeeId WHERE t.type='vacation' AND e.firstName = 'Anna'",
    ),
    (
        "How many employees have an hourly rate over 50?",
        "SELECT COUNT(*) AS n FROM employee WHERE hourlyRate>50",
    ),
    (
        "Invoices over 500",
        "SELECT id FROM invoice WHERE totalAmount > 500",
    ),
    (
        "How many customers are inactive?",
        "SELECT COUNT(*) FROM customer WHERE isActive = 0",
    ),
    (
        "Who approved the most vacations?",
        "SELECT e.lastName, COUNT(*) AS n FROM timeOff t JOIN employee e ON e.id=t.approvedBy WHERE t.type='vacation' GROUP BY e.id,e.lastName ORDER BY n DESC LIMIT 1",
    ),
    (
        "Average days from order to receipt of purchase orders?",
        "SELECT AVG(DATEDIFF(receivedOn,orderedOn)) AS days FROM purchaseOrder",
    ),
    (
        "Average invoice total per customer type?",
        "SELECT c.type, AVG(i.totalAmount) AS average_total FROM invoice i JOIN customer c ON c.id=i.customerId GROUP BY c.type",
    ),
    (
        "How many vehicles are there by make?",
        "SELECT make, COUNT(*) AS count FROM vehicle GROUP BY make",
    ),
    (
        "How many deliveries are there per beer?",
        "SELECT b.beer, COUNT(*) AS n FROM delivery d JOIN batch b ON d.brewery_id=b.brewery_id AND d.batch_no = b.batch_no GROUP BY b.beer",
    ),
    (
        "Total of invoice lines per invoice status?",
        "SELECT i.status, SUM(l.amount) FROM invoice i JOIN invoiceLine l ON l.invoiceId=i.id GROUP BY i.status",
    ),
    (
        "How many urgent work orders are there?",
        "SELECT COUNT(*) FROM workOrder WHERE priority = 'urgent'",
    ),
];

#[test]
fn of_a_query_that_answers_its_question_nothing_is_said() {
    let mut told = Vec::new();
    for (question, sql) in RIGHT {
        let found = found(question, sql);
        if !found.is_empty() {
            told.push(format!("{question} {sql}: {found:?}"));
        }
    }
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn a_condition_that_nothing_asks_for_is_named_without_words() {
    let query = "SELECT COUNT(*) AS n FROM invoice WHERE dueOn < CURDATE() AND status = 'sent'";
    let question = "How many invoices are overdue?";
    let unsaid = unsaid(query, question, question, true, &schemas());
    assert_eq!(
        unsaid,
        Some(Unsaid {
            conditions: vec!["status is \u{201c}sent\u{201d}".to_owned()],
            words: Vec::new(),
        })
    );
}

/// Conditions in other words are right as a rule: naming them is seldom needed.
#[test]
fn few_correct_queries_have_a_condition_in_other_words() {
    let cases = cases();
    let told = cases.iter().filter_map(|case| {
        let unsaid = unsaid(&case.sql, &case.question, &case.question, true, &[])?;
        Some(format!("{} | {} | {unsaid:?}", case.question, case.sql))
    });
    let told: Vec<String> = told.collect();
    println!("{} of {} have one", told.len(), cases.len());
    for one in &told {
        println!("    {one}");
    }
    assert!(told.len() * 25 < cases.len(), "{}", told.len());
}
