//! Fifty thousand names: building the index, finding an exact and a misspelt name, and scanning a
//! request.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use entities::{Names, Thing, Vocabulary, scan};

const SYLLABLES: [&str; 10] = [
    "mar", "lo", "ken", "ti", "sou", "bra", "del", "fi", "gan", "hul",
];

fn name(number: usize) -> String {
    let word = |mut rest: usize| {
        let syllables = (0..3).map(|_| {
            let syllable = SYLLABLES[rest % 10];
            rest /= 10;
            syllable
        });
        syllables.collect::<String>()
    };
    format!("{} {} {number}", word(number), word(number / 50))
}

fn things(count: usize) -> Vec<Thing> {
    let things = (0..count).map(|number| Thing {
        id: format!("V{number}"),
        name: name(number),
        aliases: Vec::new(),
        description: None,
    });
    things.collect()
}

fn names(criterion: &mut Criterion) {
    criterion.bench_function("index of 50,000 names", |bencher| {
        bencher.iter_with_setup(
            || things(50_000),
            |things| Names::new(("source", "vessels"), "vessel", &[], things),
        );
    });
    let index = Names::new(("source", "vessels"), "vessel", &[], things(50_000));
    let vocabulary = Vocabulary::of([]);
    let exact = name(12_345);
    let misspelt = format!("{}x", exact.replacen("en", "on", 1));
    let request = format!("Show shipments aboard {exact} to the north last week");
    criterion.bench_function("an exact name among 50,000", |bencher| {
        bencher.iter(|| index.find(black_box(&exact)));
    });
    criterion.bench_function("a misspelt name among 50,000", |bencher| {
        bencher.iter(|| index.find(black_box(&misspelt)));
    });
    criterion.bench_function("a request over 50,000 names", |bencher| {
        bencher.iter(|| scan(black_box(&request), &[&index], &vocabulary));
    });
}

criterion_group!(benches, names);
criterion_main!(benches);
