//! The grammar page against the parser: same words, and every example reads.

use super::good;
use crate::language::GRAMMAR;
use crate::language::keywords::KEYWORDS;
use std::collections::BTreeSet;

/// The fenced parts of the page.
fn fences() -> Vec<&'static str> {
    GRAMMAR
        .split("```")
        .skip(1)
        .step_by(2)
        .map(|fence| fence.trim_start_matches("text\n"))
        .collect()
}

/// The words in quotes of the grammar itself.
fn words_of_the_page() -> BTreeSet<&'static str> {
    let grammar = fences()
        .into_iter()
        .find(|fence| fence.starts_with("file "))
        .expect("the grammar");
    let quoted = grammar.split('"').skip(1).step_by(2);
    quoted.flat_map(|words| words.split(' ')).collect()
}

#[test]
fn page_and_parser_know_the_same_words() {
    // The parser cannot ask for a word that is not in the list (it asserts so), so the list stands for the parser.
    let known: BTreeSet<&str> = KEYWORDS.into_iter().collect();
    let page = words_of_the_page();
    assert_eq!(
        page.difference(&known).collect::<Vec<_>>(),
        [&""; 0],
        "on the page only"
    );
    assert_eq!(
        known.difference(&page).collect::<Vec<_>>(),
        [&""; 0],
        "missing on the page"
    );
}

#[test]
fn the_parser_asks_for_every_word_of_the_list() {
    let sources = [
        include_str!("../parser.rs"),
        include_str!("../parser/declaration.rs"),
        include_str!("../parser/expression.rs"),
        include_str!("../parser/promise.rs"),
        include_str!("../parser/service.rs"),
        include_str!("../parser/sql.rs"),
        include_str!("../parser/statement.rs"),
        include_str!("../fault.rs"),
    ];
    let quoted = sources.iter().flat_map(|source| source.split('"').skip(1).step_by(2));
    let asked: BTreeSet<&str> = quoted.flat_map(|words| words.split(' ')).collect();
    let never: Vec<&str> = KEYWORDS.into_iter().filter(|word| !asked.contains(word)).collect();
    assert_eq!(never, [""; 0]);
}

#[test]
fn every_example_reads() {
    let examples: Vec<&str> = fences()
        .into_iter()
        .filter(|fence| fence.starts_with("scenario "))
        .collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        good(example);
    }
}

/// Keywords that the second example may leave out: other spellings of what it has.
#[test]
fn the_second_example_uses_nearly_every_word() {
    let example = fences()
        .into_iter()
        .rfind(|fence| fence.starts_with("scenario "))
        .expect("an example");
    let tokens = example.lines().flat_map(|line| super::super::lexer::tokens(line, 1));
    let used: BTreeSet<&str> = tokens.map(|token| token.text).collect();
    let unused: Vec<&str> = KEYWORDS.into_iter().filter(|word| !used.contains(word)).collect();
    assert!(unused.len() < 40, "{unused:?}");
}
