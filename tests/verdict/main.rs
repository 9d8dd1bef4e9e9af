//! Verdicts on whole scenarios: names do not matter, sentences exist for every finding, and the JSON has its documented shape.

mod kinds;
mod reasons;

use crashpoint::report::{RunReport, SweepReport};
use crashpoint::simulation::{self, EVENTS_MAX, Trace};
use crashpoint::verdict::{self, Finding};
use crashpoint::words::Language;
use crashpoint::{language, program, scenarios};
use program::{Fault, Kind, RESTART_DEFAULT, Scenario};
use std::collections::{BTreeMap, BTreeSet};

fn judged(text: &str) -> (Scenario, Trace, Vec<Finding>) {
    let scenario = language::parse(text).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"));
    let faults: Vec<Fault> = scenario.faults.iter().map(|line| line.fault.clone()).collect();
    let trace = simulation::run(&scenario.program, &faults, EVENTS_MAX);
    let findings = verdict::judge(&scenario, &trace.last, trace.ended);
    (scenario, trace, findings)
}

/// What must not change when names do.
fn gist(findings: &[Finding]) -> Vec<(Kind, String, Vec<u32>)> {
    let gist = findings
        .iter()
        .map(|f| (f.kind, f.subject.key.to_string(), f.facts.clone()));
    gist.collect()
}

/// The names that a text gives to things of its own.
fn given_names(text: &str) -> BTreeSet<String> {
    let givers = [
        "scenario", "database", "table", "broker", "queue", "topic", "outside", "service",
    ];
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if words.next().is_some_and(|first| givers.contains(&first)) {
            names.extend(words.next().map(str::to_owned));
        }
    }
    names
}

/// The text with every given name changed and without the lines that say what is expected.
fn renamed(text: &str) -> String {
    let names: BTreeMap<String, String> = given_names(text)
        .into_iter()
        .map(|name| (name.clone(), format!("Q{name}q")))
        .collect();
    let mut changed = String::new();
    for line in text
        .lines()
        .filter(|line| !line.starts_with("expect") && !line.trim_start().starts_with("variants"))
    {
        let mut word = String::new();
        let mut is_product = false;
        for letter in line.chars().chain(['\n']) {
            if letter.is_alphanumeric() || letter == '_' {
                word.push(letter);
                continue;
            }
            // Behind `like` stands a product, which may have the name of a broker.
            let new = names.get(&word).filter(|_| !is_product).unwrap_or(&word);
            changed.push_str(new);
            changed.push(letter);
            is_product = word == "like";
            word.clear();
        }
    }
    changed
}

#[test]
fn everything_renamed_the_findings_stay() {
    for preset in scenarios::all() {
        let (_, _, before) = judged(preset.text);
        let (_, _, after) = judged(&renamed(preset.text));
        assert_eq!(gist(&before), gist(&after), "{}", preset.id);
    }
}

#[test]
fn every_finding_of_every_sweep_has_words_and_a_story() {
    for preset in scenarios::all() {
        let (scenario, trace, findings) = judged(preset.text);
        for finding in &findings {
            let why = verdict::why(finding, &scenario, &trace);
            assert!(
                finding.facts.iter().all(|fact| why.events.contains(fact)),
                "{}",
                preset.id
            );
            // What is missing, too much or too early has a decision behind it in every story.
            for language in [Language::En, Language::De] {
                let said = why.conclusion(&scenario.program, language);
                let decided = matches!(
                    finding.kind,
                    Kind::Phantom | Kind::Lost | Kind::Duplicate | Kind::OutOfOrder | Kind::DeadLettered
                );
                assert!(!said.contains(['{', '}']), "{}: {said}", preset.id);
                assert!(said.ends_with('.') || !decided, "{}: {finding:?}", preset.id);
            }
        }
        let mut bare = scenario.clone();
        bare.promises.iter_mut().for_each(|promise| promise.sentences.clear());
        let crash = |point: &program::Point| Fault::Crash(point.clone(), Some(RESTART_DEFAULT));
        simulation::sweep(&scenario.program, &[], &crash, EVENTS_MAX, &mut |gap, world, ended| {
            for finding in verdict::judge(&scenario, world, ended) {
                for language in [Language::En, Language::De] {
                    let general = verdict::sentence(&finding, &bare, language);
                    let signature = verdict::signature(&finding, &scenario, language);
                    assert!(general.ends_with('.'), "{} {}: {general}", preset.id, gap.point);
                    assert!(!signature.is_empty(), "{} {}", preset.id, gap.point);
                }
            }
        });
    }
}

const STUCK: &str = "
scenario T
database shop
  table orders (id int primary key, at timestamptz, paid boolean)
broker rabbit
  queue events lease 30s
outside bank (order_id int unique, amount int)
service Shop on shop
  at 0s
    insert into orders (id, at, paid) values (7, now(), true)
    publish events (id = 'evt-7', body = 'OrderPlaced 7')
    call bank (order_id = 7, amount = 120)
crash after Shop.publish-events.9 restart 5s
promise one bank for each shop.orders matching effect.order_id = cause.id
promise no rabbit.events
expect stuck
";

#[test]
fn the_report_has_its_documented_shape() {
    let (scenario, trace, findings) = judged(STUCK);
    let report = RunReport::new(&scenario, &trace, &findings, Language::En);
    let json = serde_json::to_string(&report).expect("a report is JSON");
    // The insert takes effect at 1 ms, the publish at 3 ms.
    let expected = r#"{"scenario":"T","verdict":"stuck","findings":[{"kind":"stuck","subject":"event evt-7",
"message":"Event evt-7 is left in rabbit.events and waits for nobody.",
"signature":"'evt-7' in rabbit.events, accepted at 0.003 s, nobody waits for it","events":[0,1]}],
"not_reached":["crash after Shop.publish-events.9 restart 5s"],
"databases":{"shop":{"orders":[{"id":7,"at":1,"paid":true}]}},
"queues":{"events":{"ready":[{"id":"evt-7","body":"OrderPlaced 7","deliveries":0}],"in_flight":[],"dead":[]}},
"outside":{"bank":[{"order_id":7,"amount":120}]},"events":3,"ended":"rest","trace_hash":"HASH"}"#;
    let expected = expected.replace('\n', "").replace("HASH", &trace.hash());
    assert_eq!(json, expected);
}

#[test]
fn the_sweep_report_counts_verdicts_by_gravity() {
    let (scenario, _, _) = judged(STUCK);
    let mut report = SweepReport::new(&scenario);
    let crash = |point: &program::Point| Fault::Crash(point.clone(), Some(RESTART_DEFAULT));
    simulation::sweep(&scenario.program, &[], &crash, EVENTS_MAX, &mut |gap, world, ended| {
        report.add(&gap.point, verdict::judge(&scenario, world, ended).first());
    });
    let json = serde_json::to_string(&report).expect("a report is JSON");
    // Nothing was promised for what was not committed; a committed order without its transfer is lost; the message is left.
    let expected = r#"{"scenario":"T","points":[{"point":"before Shop.insert-orders.1","verdict":"healthy"},
{"point":"after Shop.insert-orders.1","verdict":"lost"},{"point":"after Shop.publish-events.1","verdict":"lost"},
{"point":"after Shop.call-bank.1","verdict":"stuck"}],"counts":{"healthy":1,"lost":2,"stuck":1}}"#;
    assert_eq!(json, expected.replace('\n', ""));
}
