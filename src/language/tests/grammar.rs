//! The grammar page against the parser: same words, each in an example and explained; and every example of the manual reads.

use super::good;
use crate::language::keywords::KEYWORDS;
use crate::language::{GRAMMAR, GUIDE};
use std::collections::BTreeSet;

/// The fenced parts of the grammar's page.
fn fences() -> Vec<&'static str> {
    fences_of(GRAMMAR)
}

fn fences_of(page: &'static str) -> Vec<&'static str> {
    page.split("```")
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

/// What their verdicts are is tested where scenarios are run.
#[test]
fn every_template_of_the_guide_reads_and_says_its_verdict() {
    let templates = fences_of(GUIDE);
    assert_eq!(templates.len(), 4);
    for template in templates {
        let scenario = good(template);
        assert!(template.contains("\nexpect "), "{template}");
        assert!(!scenario.promises.is_empty(), "{template}");
        assert!(!scenario.faults.is_empty(), "{template}");
    }
}

/// The words of a piece of the language, `x2` counted as `x`.
fn words_in(text: &str) -> BTreeSet<&str> {
    let tokens = text.lines().flat_map(|line| super::super::lexer::tokens(line, 1));
    tokens
        .flat_map(|token| token.text.split('-'))
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()))
        .collect()
}

#[test]
fn every_word_is_used_in_an_example() {
    let examples = fences().into_iter().filter(|fence| fence.starts_with("scenario "));
    let used: BTreeSet<&str> = examples.flat_map(words_in).collect();
    let unused: Vec<&str> = KEYWORDS.into_iter().filter(|word| !used.contains(word)).collect();
    assert_eq!(unused, [""; 0]);
}

/// Words that the page leaves to PostgreSQL's documentation.
const SQL: [&str; 60] = [
    "and",
    "asc",
    "begin",
    "bigint",
    "bigserial",
    "bool",
    "boolean",
    "commit",
    "committed",
    "conflict",
    "default",
    "delete",
    "desc",
    "do",
    "exists",
    "false",
    "from",
    "insert",
    "int",
    "integer",
    "interval",
    "into",
    "is",
    "isolation",
    "key",
    "level",
    "limit",
    "locked",
    "not",
    "nothing",
    "nowait",
    "null",
    "or",
    "order",
    "prepare",
    "prepared",
    "primary",
    "read",
    "repeatable",
    "returning",
    "rollback",
    "savepoint",
    "select",
    "serial",
    "serializable",
    "set",
    "skip",
    "table",
    "text",
    "time",
    "timestamp",
    "timestamptz",
    "transaction",
    "true",
    "unique",
    "update",
    "values",
    "where",
    "with",
    "zone",
];

/// The items of the word list: their leading fragments, and the rest.
fn word_list() -> Vec<(Vec<&'static str>, &'static str)> {
    let (_, list) = GRAMMAR.split_once("\n## Words\n").expect("the word list");
    let (list, _) = list.split_once("\n## ").expect("its end");
    let items = list.split("\n- `").skip(1);
    items
        .map(|item| {
            let (head, meaning) = item.split_once("`: ").expect("fragments, then `: ` and a meaning");
            (head.split("`, `").collect(), meaning)
        })
        .collect()
}

#[test]
fn every_word_that_is_no_sql_is_explained() {
    let list = word_list();
    let explained: BTreeSet<&str> = list
        .iter()
        .flat_map(|(fragments, _)| fragments)
        .flat_map(|text| words_in(text))
        .collect();
    let unexplained: Vec<&str> = KEYWORDS
        .into_iter()
        .filter(|word| !SQL.contains(word) && !explained.contains(word))
        .collect();
    assert_eq!(unexplained, [""; 0]);
    for (fragments, meaning) in list {
        assert!(meaning.split(' ').count() >= 2, "{fragments:?}: {meaning}");
    }
}

#[test]
fn the_word_list_is_sorted_by_words_of_the_language() {
    let heads: Vec<&str> = word_list().iter().map(|(fragments, _)| fragments[0]).collect();
    assert!(heads.is_sorted(), "{heads:?}");
    for head in heads {
        let known = words_in(head).into_iter().any(|word| KEYWORDS.contains(&word));
        assert!(known, "{head}");
    }
    assert!(SQL.is_sorted());
    assert!(SQL.iter().all(|word| KEYWORDS.contains(word)));
}

/// The page's help draws no other form: no tables, numbered lists, quotations or links in square brackets.
#[test]
fn the_pages_use_only_the_forms_that_the_help_draws() {
    for page in [GRAMMAR, GUIDE] {
        for line in page.split("```").step_by(2).flat_map(str::lines) {
            let other = line.starts_with(['|', '>', '*', '+']) || line.contains("](") || line.starts_with("#### ");
            let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(". ");
            assert!(!other && !numbered, "{line}");
        }
    }
}
