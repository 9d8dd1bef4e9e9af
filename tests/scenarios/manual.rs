//! The examples of the manual's pages: they run, and end as they say. That they are complete is tested beside the parser.

use crate::finished::{Finished, faults, run_under};
use crashpoint::language::{self, GRAMMAR, GUIDE};
use crashpoint::simulation::trace::Ended;

/// The scenarios of a page, run under their own faults.
fn examples(page: &str) -> Vec<Finished> {
    let fences = page
        .split("```text\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let texts = fences.filter(|fence| fence.starts_with("scenario "));
    texts
        .map(|text| {
            let scenario = language::parse(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
            let faults = faults(&scenario);
            run_under(scenario, &faults)
        })
        .collect()
}

fn struck(finished: &Finished) -> bool {
    finished.trace.struck.iter().all(Option::is_some)
}

#[test]
fn every_template_of_the_guide_ends_as_it_says() {
    let templates = examples(GUIDE);
    assert_eq!(templates.len(), 4);
    for template in templates {
        template.check_expected();
        assert!(struck(&template), "{}: a fault is not reached", template.scenario.id);
    }
}

#[test]
fn the_readme_has_the_templates_of_the_guide() {
    let readme = include_str!("../../README.md");
    for template in GUIDE
        .split("```text\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
    {
        assert!(readme.contains(template), "{template}");
    }
}

/// The first tells a story; the second has each form of the grammar, and its `expect` is one of them.
#[test]
fn the_examples_of_the_grammar_run() {
    let examples = examples(GRAMMAR);
    let [hello, every_statement] = examples.as_slice() else {
        panic!("two examples");
    };
    hello.check_expected();
    assert!(struck(hello));
    assert_ne!(every_statement.trace.ended, Ended::Bound);
}
