use super::*;

#[test]
fn lists_are_sorted() {
    assert!(STATES.is_sorted());
}

const WITHOUT: &[(&str, &str, &str)] = &[
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) AS unpaid FROM invoice",
        "unpaid",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) AS unpaid_invoices FROM invoice WHERE paid = 1",
        "unpaid",
    ),
    (
        "How many unpaid invoices?",
        "SELECT COUNT(*) FROM invoice WHERE paid_at IS NOT NULL",
        "unpaid",
    ),
    (
        "How many paid invoices?",
        "SELECT COUNT(*) FROM invoice WHERE status <> 'paid'",
        "paid",
    ),
    (
        "How many invoices are unpaid?",
        "SELECT COUNT(*) FROM invoice i",
        "unpaid",
    ),
    (
        "How many invoices are not paid?",
        "SELECT COUNT(*) FROM invoice WHERE paid = TRUE",
        "paid",
    ),
    (
        "List the overdue invoices",
        "SELECT number, amount FROM invoice",
        "overdue",
    ),
    (
        "Which orders were cancelled last month?",
        "SELECT id FROM orders WHERE status = 'cancelled'",
        "last month",
    ),
    (
        "Which orders were cancelled last month?",
        "SELECT id FROM orders WHERE day >= '2026-10-01'",
        "cancelled",
    ),
    (
        "How many active technicians are there?",
        "SELECT COUNT(*) FROM employee",
        "active",
    ),
    (
        "Show orders cancelled by customers",
        "SELECT id FROM orders",
        "cancelled",
    ),
    (
        "Total amount of open invoices by city",
        "SELECT city, SUM(amount) AS open_amount FROM invoice GROUP BY city",
        "open",
    ),
    (
        "Which part has the second lowest price?",
        "SELECT name FROM part ORDER BY price LIMIT 1",
        "second",
    ),
    (
        "Which part has the third lowest price?",
        "SELECT name FROM part WHERE active = 1 ORDER BY price LIMIT 1 OFFSET 1",
        "third",
    ),
    (
        "What is the 2nd highest salary?",
        "SELECT MAX(salary) FROM employee",
        "2nd",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FROM invoice WHERE id > 0",
        "unpaid",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FROM invoice i JOIN customer c ON i.customer_id = c.id",
        "unpaid",
    ),
    (
        "How many customers are there in Berlin?",
        "SELECT COUNT(*) FROM customer",
        "Berlin",
    ),
    (
        "How many customers are in Berlin or Bonn?",
        "SELECT COUNT(*) FROM customer WHERE city = 'Berlin'",
        "Bonn",
    ),
    (
        "Which unpaid invoices of Kaiser are there?",
        "SELECT id FROM invoice WHERE paid = 0",
        "Kaiser",
    ),
    (
        "Which invoices are over 500?",
        "SELECT id FROM invoice",
        "over 500",
    ),
    (
        "Which invoices in Bonn are higher than 1,500 EUR?",
        "SELECT id FROM invoice WHERE city = 'Bonn'",
        "higher than 1,500",
    ),
    (
        "Which customers have more than five orders?",
        "SELECT c.name FROM customer c JOIN orders o ON o.c = c.id GROUP BY c.name",
        "more than five",
    ),
    (
        "How many orders mention \"too heavy\"?",
        "SELECT COUNT(*) FROM orders",
        "too heavy",
    ),
];

#[test]
fn conditions_without_a_test_are_found() {
    for (question, sql, expected) in WITHOUT {
        let found = untested(sql, question, true);
        assert_eq!(
            found.first().map(String::as_str),
            Some(*expected),
            "{question} {sql} {found:?}"
        );
    }
}

const TESTED: &[(&str, &str)] = &[
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) AS unpaid FROM invoice WHERE paid = 0",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FROM invoice WHERE NOT paid",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FROM invoice WHERE paid_at IS NULL",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FROM invoice WHERE status <> 'paid'",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FROM invoice WHERE status NOT IN ('paid', 'void')",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT SUM(CASE WHEN paid = 0 THEN 1 ELSE 0 END) AS n FROM invoice",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FILTER (WHERE paid = FALSE) AS n FROM invoice",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FROM invoice WHERE balance > 0",
    ),
    (
        "How many unpaid invoices are there?",
        "SELECT COUNT(*) FROM invoice i WHERE NOT EXISTS (SELECT 1 FROM payment p WHERE p.invoice_id = i.id)",
    ),
    (
        "How many open work orders are there?",
        "SELECT COUNT(*) FROM workOrder WHERE status = 2",
    ),
    (
        "How many invoices are not paid?",
        "SELECT COUNT(*) FROM invoice WHERE paid = 0",
    ),
    (
        "List the overdue invoices",
        "SELECT number FROM invoice WHERE due < CURDATE()",
    ),
    (
        "Which orders were cancelled last month?",
        "SELECT id FROM orders WHERE status = 'cancelled' AND day >= '2026-10-01' AND day < '2026-11-01'",
    ),
    (
        "How many invoices did Kaiser get in 2025?",
        "SELECT COUNT(*) FROM invoice i JOIN customer c ON i.customer_id = c.id WHERE c.name LIKE '%Kaiser%' AND i.issued BETWEEN '2025-01-01' AND '2025-12-31'",
    ),
    (
        "How many customers without invoices do we have?",
        "SELECT COUNT(*) FROM customer c LEFT JOIN invoice i ON i.customer_id = c.id WHERE i.id IS NULL",
    ),
    (
        "What is the average hourly rate per crew?",
        "SELECT crew_id, AVG(hourlyRate) FROM employee GROUP BY crew_id",
    ),
    (
        "How many orders by city do customers have?",
        "SELECT c.city, COUNT(*) AS orders FROM workOrder w JOIN customer c ON w.customerId = c.id GROUP BY c.city",
    ),
    (
        "Which employee of Bonn earns the most?",
        "SELECT name FROM employee WHERE city = 'Bonn' ORDER BY salary DESC LIMIT 1",
    ),
    (
        "Top 5 customers by revenue",
        "SELECT c.name, SUM(i.amount) AS revenue FROM invoice i JOIN customer c ON c.id = i.customer_id GROUP BY c.name ORDER BY 2 DESC LIMIT 5",
    ),
    (
        "How many orders were placed last month?",
        "SELECT COUNT(*) FROM orders WHERE day >= DATE_SUB(CURDATE(), INTERVAL 1 MONTH)",
    ),
    (
        "What is our revenue this year?",
        "SELECT SUM(amount) FROM invoice WHERE YEAR(issued) = 2026",
    ),
    (
        "Which technicians worked last week?",
        "SELECT DISTINCT e.name FROM employee e JOIN workTime w ON w.employeeId = e.id WHERE w.day >= '2026-11-16'",
    ),
    (
        "Which customers have more than five orders?",
        "SELECT c.name FROM customer c JOIN orders o ON o.c = c.id GROUP BY c.name HAVING COUNT(*) > 5",
    ),
    (
        "Which are the cheapest parts?",
        "SELECT name FROM part ORDER BY price LIMIT 3",
    ),
    (
        "Which part has the second lowest price?",
        "SELECT name FROM part ORDER BY price LIMIT 1 OFFSET 1",
    ),
    (
        "Which part has the second lowest price?",
        "SELECT name FROM part ORDER BY price LIMIT 1, 1",
    ),
    (
        "What is the 2nd highest salary?",
        "SELECT MAX(salary) FROM employee WHERE salary < (SELECT MAX(salary) FROM employee)",
    ),
    (
        "How many people do we employ?",
        "SELECT COUNT(*) FROM employee",
    ),
    (
        "Please list all customers and their cities",
        "SELECT name, city FROM customer",
    ),
    ("Who are our customers?", "SELECT name FROM customer"),
    (
        "How is the work distributed over the crews?",
        "SELECT crew, COUNT(*) FROM workOrder GROUP BY crew",
    ),
    (
        "How many customers are in Germany?",
        "SELECT COUNT(*) FROM customer WHERE country = 'DE'",
    ),
    (
        "How many customers are in Berlin or Bonn?",
        "SELECT COUNT(*) FROM customer c JOIN city t ON t.id = c.city_id WHERE t.name IN ('Berlin', 'Bonn')",
    ),
    (
        "How many orders of Spanish customers cost at least 20?",
        "SELECT COUNT(*) FROM orders WHERE nation = 'Spain' AND cents >= 2000",
    ),
    (
        "Which tanks are below 15 percent?",
        "SELECT name FROM tank WHERE level < 0.15",
    ),
    (
        "Which orders are open for over 2 weeks?",
        "SELECT id FROM orders WHERE status = 1 AND day < DATE_SUB(CURDATE(), INTERVAL 14 DAY)",
    ),
    (
        "Wie viele Kunden in Rechnung und Mahnung haben mehr als eine Bestellung?",
        "SELECT COUNT(*) FROM customer",
    ),
    (
        "Which orders mention 'too late'?",
        "SELECT id FROM orders WHERE note LIKE '%too late%'",
    ),
    (
        "What are the customers' cities, and the orders' days?",
        "SELECT city, day FROM orders",
    ),
    (
        "How many invoices per month?",
        "SELECT DATE_FORMAT(issued, '%Y-%m') AS month, COUNT(*) FROM invoice GROUP BY 1",
    ),
];

#[test]
fn conditions_in_the_same_or_other_words_are_tested() {
    for (question, sql) in TESTED {
        assert!(
            untested(sql, question, true).is_empty(),
            "{question} {sql} {:?}",
            untested(sql, question, true)
        );
    }
}
