//! Instants and counts in words.

use super::Language;
use crate::value::Millis;

/// An instant of virtual time in seconds, always with three decimals: `10.004 s`, in German `10,004 s`.
pub fn instant(at: Millis, language: Language) -> String {
    let sign = if at < 0 { "-" } else { "" };
    let point = match language {
        Language::En => '.',
        Language::De => ',',
    };
    let ms = at.unsigned_abs();
    format!("{sign}{}{point}{:03} s", ms / 1_000, ms % 1_000)
}

/// Which time something happens, from 1: `first time`, `13th time`; in German `zum ersten Mal`, `zum 13. Mal`.
pub fn visit(n: u32, language: Language) -> String {
    const EN: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];
    const DE: [&str; 6] = ["ersten", "zweiten", "dritten", "vierten", "fünften", "sechsten"];
    let position = usize::try_from(n).ok().and_then(|n| n.checked_sub(1));
    let word = |words: [&'static str; 6]| position.and_then(|position| words.get(position).copied());
    match (language, word(EN), word(DE)) {
        (Language::En, Some(word), _) => format!("{word} time"),
        (Language::En, None, _) => format!("{n}{} time", suffix(n)),
        (Language::De, _, Some(word)) => format!("zum {word} Mal"),
        (Language::De, _, None) => format!("zum {n}. Mal"),
    }
}

fn suffix(n: u32) -> &'static str {
    match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_keep_their_milliseconds() {
        assert_eq!(instant(10_004, Language::En), "10.004 s");
        assert_eq!(instant(0, Language::En), "0.000 s");
        assert_eq!(instant(15_080, Language::De), "15,080 s");
    }

    #[test]
    fn visits_are_counted_in_words_and_then_in_figures() {
        let english: Vec<String> = [1, 6, 7, 11, 21, 112].iter().map(|n| visit(*n, Language::En)).collect();
        assert_eq!(
            english,
            [
                "first time",
                "sixth time",
                "7th time",
                "11th time",
                "21st time",
                "112th time"
            ]
        );
        assert_eq!(visit(2, Language::De), "zum zweiten Mal");
        assert_eq!(visit(7, Language::De), "zum 7. Mal");
    }
}
