//! Any input gives a program or named errors, never a panic; fault lines survive writing and reading.

use super::SAMPLES;
use crate::language::{edit, highlight, parse};
use crate::program::{Fault, Moment, Point, Side, StepName, Visits};
use crate::value::Millis;
use proptest::prelude::*;

fn check(text: &str) {
    if let Err(diagnostics) = parse(text) {
        assert!(!diagnostics.is_empty());
        for found in &diagnostics {
            assert!(found.line >= 1 && found.column >= 1, "{found:?}");
            for language in [crate::words::Language::En, crate::words::Language::De] {
                assert!(!found.text(language).is_empty(), "{found:?}");
                found.expected(language);
            }
        }
        assert!(diagnostics.is_sorted_by_key(|found| (found.line, found.column)));
    }
    for found in edit::fault_lines(text) {
        let same = edit::replace(text, found.line, &found.fault);
        assert!(edit::fault_lines(&same).iter().any(|again| again.fault == found.fault));
    }
    for broker in ["x", "rabbit"] {
        if let Some(with) = edit::set_profile(text, broker, Some("sqs")) {
            assert!(edit::set_profile(&with, broker, None).is_some(), "{with}");
        }
    }
    text.lines().for_each(|line| {
        highlight(line);
    });
}

fn sample() -> impl Strategy<Value = String> {
    let text = |id: &str| {
        let path = format!("{}/tests/fixtures/language/{id}.crash", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("the sample can be read")
    };
    prop::sample::select(SAMPLES.map(text).to_vec())
}

/// Words and signs of the language, to be thrown together.
fn fragment() -> impl Strategy<Value = String> {
    let words: Vec<String> = crate::language::keywords::KEYWORDS
        .iter()
        .map(|word| word.to_string())
        .collect();
    let signs = [
        "(", ")", ",", "=", ".", ":", "::", "#", "'", "\"", "-", "--", "[", "]", "1", "30s", "x", "\n", "\n  ",
        "\n    ",
    ];
    let signs = signs.map(str::to_owned).to_vec();
    prop_oneof![prop::sample::select(words), prop::sample::select(signs)]
}

fn name() -> impl Strategy<Value = crate::value::Name> {
    "[A-Za-z][A-Za-z0-9_]{0,8}"
        .prop_filter("reserved", |name| !crate::language::keywords::is_reserved(name))
        .prop_map(crate::value::Name::from)
}

fn step() -> impl Strategy<Value = StepName> {
    let step_name = "[a-z][a-z0-9_]{0,4}(-[A-Za-z0-9_]{1,4}){0,2}";
    (name(), 1..=1_000_u16, step_name, 1..=u32::MAX).prop_map(|(service, instance, step, visit)| StepName {
        service,
        instance,
        step: step.into(),
        visit,
    })
}

fn visits() -> impl Strategy<Value = Visits> {
    (step(), any::<bool>()).prop_map(|(first, and_all_later)| Visits { first, and_all_later })
}

fn point() -> impl Strategy<Value = Point> {
    let side = prop::sample::select(vec![Side::Before, Side::During, Side::After]);
    (side, step()).prop_map(|(side, step)| Point { side, step })
}

fn time() -> impl Strategy<Value = Millis> {
    prop_oneof![
        0..=crate::language::lexer::TIME_MAX,
        (0..1_000_i64).prop_map(|n| n * 1_000)
    ]
}

fn moment() -> impl Strategy<Value = Moment> {
    prop_oneof![time().prop_map(Moment::At), point().prop_map(Moment::Point)]
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        (point(), prop::option::of(time())).prop_map(|(point, restart)| Fault::Crash(point, restart)),
        (point(), time()).prop_map(|(point, time)| Fault::Pause(point, time)),
        visits().prop_map(Fault::LoseRequest),
        visits().prop_map(Fault::LoseReply),
        visits().prop_map(Fault::Refuse),
        (visits(), time()).prop_map(|(visits, time)| Fault::Delay(visits, time)),
        (name(), moment(), time()).prop_map(|(party, moment, time)| Fault::Down(party, moment, time)),
        (name(), name(), moment(), time()).prop_map(|(a, b, moment, time)| Fault::Cut(a, b, moment, time)),
    ]
}

proptest! {
    #[test]
    fn faults_are_read_as_they_are_written(fault in fault()) {
        prop_assert_eq!(fault.to_string().parse::<Fault>(), Ok(fault));
    }

    #[test]
    fn parts_of_faults_are_read_as_they_are_written(step in step(), visits in visits(), point in point(), moment in moment()) {
        prop_assert_eq!(step.to_string().parse::<StepName>(), Ok(step));
        prop_assert_eq!(visits.to_string().parse::<Visits>(), Ok(visits));
        prop_assert_eq!(point.to_string().parse::<Point>(), Ok(point));
        prop_assert_eq!(moment.to_string().parse::<Moment>(), Ok(moment));
    }

    #[test]
    fn any_characters_are_answered(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words_are_answered(words in prop::collection::vec(fragment(), 0..80)) {
        check(&words.join(" "));
        check(&format!("scenario s\n{}", words.join(" ")));
    }

    /// A piece of a sample is replaced by words of the language, or by nothing.
    #[test]
    fn damaged_samples_are_answered(text in sample(), from in any::<prop::sample::Index>(), length in 0..30_usize,
                                    words in prop::collection::vec(fragment(), 0..3)) {
        let characters: Vec<char> = text.chars().collect();
        let from = from.index(characters.len());
        let to = (from + length).min(characters.len());
        let before: String = characters[..from].iter().collect();
        let after: String = characters[to..].iter().collect();
        check(&format!("{before}{}{after}", words.join(" ")));
    }

    /// Two lines change places.
    #[test]
    fn shuffled_samples_are_answered(text in sample(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
        let mut lines: Vec<&str> = text.lines().collect();
        let (a, b) = (a.index(lines.len()), b.index(lines.len()));
        lines.swap(a, b);
        check(&lines.join("\n"));
    }

    /// Inserting and removing a fault changes nothing else.
    #[test]
    fn faults_come_and_go(text in sample(), fault in fault()) {
        let before = edit::fault_lines(&text);
        let (inserted, line) = edit::insert(&text, &fault);
        let found = edit::fault_lines(&inserted);
        prop_assert_eq!(found.len(), before.len() + 1);
        prop_assert!(found.iter().any(|known| known.line == line && known.fault == fault));
        prop_assert_eq!(edit::remove(&inserted, line), text);
    }
}

#[test]
fn deep_and_long_expressions_are_refused_not_followed() {
    let deep = format!("{}1{}", "(".repeat(50_000), ")".repeat(50_000));
    let long = format!("1{}", " + 1".repeat(50_000));
    let negated = format!("{}true", "not ".repeat(50_000));
    let minus = format!("{}1", "- ".repeat(50_000));
    let casts = format!("1{}", "::int".repeat(40_000));
    let path = format!("a{}", ".a".repeat(100_000));
    let selects = format!(
        "{}1{}",
        "exists (select id from orders where ".repeat(3_000),
        ")".repeat(3_000)
    );
    for expression in [deep, long, negated, minus, casts, path, selects] {
        check(&super::in_service(&format!("x = {expression}")));
        check(&super::in_service(&format!("select id from orders where {expression}")));
    }
}

#[test]
fn nested_blocks_and_one_line_chains_have_an_end() {
    let nested: String = (0..2_000).map(|n| format!("{}if true\n", " ".repeat(n))).collect();
    check(&super::in_service(&nested));
    check(&super::in_service(&"if true ".repeat(30_000)));
    check(&super::in_service(&format!(
        "if true done\n{}",
        "else if true done\n".repeat(8_000)
    )));
    let handlers: String = (1..5_000)
        .map(|n| format!("  handle h{n}() if true h{}()\n", n - 1))
        .collect();
    check(&format!("scenario s\nservice S\n  handle h0() done\n{handlers}"));
}

/// Handlers that call the next one twice would grow to 2^30 copies.
#[test]
fn copied_handlers_have_an_end() {
    for leaf in ["sleep 1s", "nonsense"] {
        let mut text = String::from("scenario s\nservice S\n  handle h0()\n    ");
        text.push_str(leaf);
        text.push('\n');
        for n in 1..30 {
            text.push_str(&format!("  handle h{n}()\n    h{}()\n    h{}()\n", n - 1, n - 1));
        }
        let problems = parse(&text).expect_err("too large");
        assert!(
            problems.iter().any(|found| found.to_string().contains("larger than")),
            "{problems:?}"
        );
    }
}

#[test]
fn the_largest_text_is_answered_in_time() {
    let line = "  insert into t (a, b) values (1, 'x')\n";
    let mut text = String::from("scenario s\ndatabase d\n  table t (a int, b text)\n");
    while text.len() + line.len() <= crate::language::TEXT_MAX {
        text.push_str(line);
    }
    super::good(&text);
    text.push_str(line);
    assert_eq!(
        super::shown(&parse(&text).expect_err("too large")),
        "line 1, column 1: the text is larger than 256 KiB"
    );
}

#[test]
fn a_byte_order_mark_and_line_ends_of_other_systems_change_nothing() {
    let text = "scenario s\nservice S\n  at 0s sleep 1s\n";
    let plain = parse(text).expect("a scenario");
    for other in [
        format!("\u{feff}{text}"),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{}", text.replace('\n', "\r\n")),
    ] {
        assert_eq!(parse(&other).as_ref(), Ok(&plain), "{other:?}");
    }
    let damaged = parse("\u{feff}scenari s\n").expect_err("no scenario");
    assert_eq!((damaged[0].line, damaged[0].column), (1, 1));
}

#[test]
fn a_text_that_is_something_else_gives_its_first_mistakes() {
    let diagnostics = crate::language::parse(&"?\n".repeat(100_000)).expect_err("no scenario");
    assert_eq!(diagnostics.len(), super::super::limits::DIAGNOSTICS_MAX);
    assert_eq!(diagnostics[0].line, 1);
}
