//! Numbers that are written as words.

const UP_TO_NINETEEN: [&str; 18] = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// "two" to "nineteen", "twenty", "thirty" to "ninety", and "forty-five". "One" is a pronoun, too:
/// a caller that knows it for a number adds it.
pub fn value(word: &str) -> Option<u32> {
    if let Some((tens, ones)) = word.split_once('-') {
        let ones = if ones == "one" { 1 } else { simple(ones)? };
        let tens = simple(tens).filter(|tens| *tens >= 20)?;
        return (ones < 10).then_some(tens + ones);
    }
    simple(word)
}

fn simple(word: &str) -> Option<u32> {
    let place = |list: &[&str]| list.iter().position(|known| *known == word);
    let found = match place(&UP_TO_NINETEEN) {
        Some(at) => at + 2,
        None => (place(&TENS)? + 2) * 10,
    };
    u32::try_from(found).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_values_and_pronouns_have_none() {
        let read = [
            "two",
            "ten",
            "thirteen",
            "nineteen",
            "twenty",
            "ninety",
            "forty-five",
            "fifty-one",
        ];
        let values = read.map(|word| value(word).unwrap());
        assert_eq!(values, [2, 10, 13, 19, 20, 90, 45, 51]);
        for none in [
            "one",
            "",
            "-",
            "ten-five",
            "twenty-twelve",
            "twenty-",
            "seven-day",
            "a",
        ] {
            assert_eq!(value(none), None, "{none}");
        }
    }
}
