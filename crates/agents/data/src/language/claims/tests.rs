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
fn how_something_stands_is_not_said() {
    for (question, sentence) in [
        ("Is it safe to enter the tank?", "Yes, it is safe."),
        (
            "Is it safe to enter the tank?",
            "It is safe to enter the tank.",
        ),
        ("Is it safe to enter the tank?", "No."),
        ("Is the server down?", "The server is down."),
        ("Is the heating on?", "The heating is on."),
        (
            "Why is the network slow?",
            "The network is slow because of the load.",
        ),
        ("Is the backup complete?", "The backup is complete."),
        ("Did the backup finish?", "The backup is fully completed."),
        ("Are the vans ready?", "The vans are ready."),
        (
            "Are the vans ready?",
            "Sure, the vans are ready for the tour.",
        ),
        ("Does the pump work?", "The pump works fine."),
        ("Is the door locked?", "The door isn't locked."),
        ("Is the website up?", "The website remains online."),
        ("Is the valve leaking?", "The valve seems to be intact."),
        ("How long does the join take?", "The join takes 5 seconds."),
        ("How long does the join take?", "The join takes\u{2026}"),
    ] {
        assert!(!is_general(sentence, question, true, TABLES), "{sentence}");
    }
    for (question, sentence) in [
        (
            "What does offline mean?",
            "Offline means that a device is not connected to a network.",
        ),
        (
            "When is a server down?",
            "A server is down when it does not answer.",
        ),
        ("What is a backup?", "A backup is a copy of files."),
        (
            "What is the capital of France?",
            "The capital of France is Paris.",
        ),
    ] {
        assert!(is_general(sentence, question, true, TABLES), "{sentence}");
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
