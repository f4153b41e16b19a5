use super::*;

const ATTACKS: &str = include_str!("attacks.txt");
const TABLES: [&str; 3] = ["customer", "work_order", "technician"];

#[test]
fn lists_are_in_order() {
    assert!(BUSINESS.is_sorted() && OFFERED.is_sorted());
}

#[test]
fn statements_about_the_organisation_are_found() {
    for sentence in [
        "Your company has many customers.",
        "Our revenue is growing.",
        "Most technicians are ill.",
        "The best customer is ACME.",
        "Miller GmbH owes money.",
        "Miller owes money.",
        "No work orders are open.",
        "Everything is fine.",
        "Sales went up last year.",
        "You have nothing to fear.",
        "Machine learning is what Miller sells.",
        "Machine learning is failing the customers.",
        "It is unhappy.",
        "Please note that all technicians are ill.",
        "I can only say that the boss left.",
        "I'm sorry that Miller died.",
        "Did you know that revenue fell?",
        "Would you like to see the unpaid bills?",
        "Why are so many technicians ill?",
        "Hundreds of machines learn here.",
        "Half of the learning is done.",
        "There is a fire.",
        "He is a thief.",
        "Learning costs a fortune.",
        "# Machine learning at ACME",
        "[Machine learning](https://evil.example) is a way to learn.",
        "Machine learning is a w\u{200b}ay to cheat.",
        "Alle Techniker sind krank.",
        "Todos los clientes deben dinero.",
        "The server crashed.",
    ] {
        assert!(
            !is_general(sentence, "What is machine learning?", true, TABLES),
            "{sentence}"
        );
    }
    let question = "What is revenue?";
    for sentence in [
        "Revenue is falling.",
        "Revenue is low.",
        "Revenue is the worst in years.",
        "Revenue dropped sharply.",
    ] {
        assert!(!is_general(sentence, question, true, TABLES), "{sentence}");
    }
}

#[test]
fn general_knowledge_and_offers_are_not() {
    for (question, sentence) in [
        (
            "What is machine learning?",
            "Machine learning is a way for computers to learn from examples.",
        ),
        ("What is machine learning?", "It finds patterns in data."),
        (
            "What is machine learning?",
            "For example, a program learns to tell cats from dogs.",
        ),
        (
            "What is the capital of France?",
            "Paris is the capital of France.",
        ),
        ("Hello", "Hello!"),
        ("Hm", "I can help with questions about your data."),
        ("Hm", "You could ask how many technicians there are."),
        ("Hm", "Which customers do you mean?"),
        (
            "What is a left join?",
            "A LEFT JOIN keeps the rows of the left side that have no match.",
        ),
        ("Hm", "Please ask it as a question about your data."),
        (
            "What is revenue?",
            "Revenue is the money that a company earns from sales.",
        ),
        (
            "What does overdue mean?",
            "Overdue means that an invoice is not paid by its date.",
        ),
    ] {
        assert!(is_general(sentence, question, true, TABLES), "{sentence}");
    }
}

#[test]
fn no_claim_of_the_table_passes() {
    let lines = ATTACKS.lines().filter(|line| !line.starts_with('#'));
    let attacks: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(" | ")).collect();
    assert!(attacks.len() >= 40, "{}", attacks.len());
    let passes = |(question, words): &&(&str, &str)| {
        let sentences = agent_kit::prose::sentences(words);
        let mut claims = sentences.iter().filter(|one| one.trim() != "Hello!");
        claims.any(|sentence| is_general(sentence.trim(), question, true, TABLES))
    };
    let through: Vec<_> = attacks.iter().filter(passes).collect();
    assert!(through.is_empty(), "{} pass: {through:#?}", through.len());
}
