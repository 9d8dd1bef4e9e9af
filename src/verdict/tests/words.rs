//! Sentences and signatures: general ones, the scenario's own, both languages.

use super::stage::*;
use crate::program::{CAUSE, Count, Kind, OWN, Part, PromiseKind, Sentence};
use crate::simulation::trace::Ended;
use crate::verdict::{headline, judge, sentence, signature, subject_label};
use crate::words::Language::{self, De, En};
use std::rc::Rc;

/// Sentence and signature of the gravest finding.
fn said(stage: &Stage, promise: PromiseKind, language: Language) -> (String, String) {
    let scenario = scenario(vec![promise]);
    let found = judge(&scenario, stage, Ended::Rest);
    (
        sentence(&found[0], &scenario, language),
        signature(&found[0], &scenario, language),
    )
}

fn each() -> PromiseKind {
    event_for_each_order(Count::One)
}

#[test]
fn lost_names_what_is_missing_and_where_it_does_not_wait() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1001));
    let (sentence, signature) = said(&stage, each(), En);
    assert_eq!(
        sentence,
        "Order 1001 is committed in shop.orders; no message in rabbit.events belongs to it and none will come."
    );
    assert_eq!(
        signature,
        "shop.orders has 1001; no message 'evt-1001' in rabbit.events, none waits in shop.outbox"
    );
    let (sentence, signature) = said(&stage, each(), De);
    assert_eq!(
        sentence,
        "Order 1001 ist in shop.orders festgeschrieben; keine Nachricht in rabbit.events gehört dazu, und es kommt auch nichts mehr."
    );
    assert_eq!(
        signature,
        "shop.orders hat 1001; keine Nachricht 'evt-1001' in rabbit.events, keine wartet in shop.outbox"
    );
    stage.delete(ORDERS, 2, 1, order(1001));
    assert!(
        said(&stage, each(), En)
            .1
            .starts_with("1001 is gone from shop.orders; no message")
    );
}

#[test]
fn a_phantom_names_the_cause_that_never_was() {
    let mut stage = Stage::default();
    stage.accept(EVENTS, 1, 1, message("evt-1002"));
    let (sentence, signature) = said(&stage, each(), En);
    assert_eq!(
        sentence,
        "Event evt-1002 is in rabbit.events, but nothing in shop.orders ever brought it about."
    );
    assert_eq!(
        signature,
        "'evt-1002' in rabbit.events, no row with id = 1002 in shop.orders"
    );
}

#[test]
fn an_early_effect_names_the_cause_that_came_too_late() {
    let mut stage = Stage::default();
    stage.accept(BANK, 1, 1, transfer(7));
    stage.insert(ORDERS, 2, 1, order(7));
    let (sentence, signature) = said(&stage, transfer_for_each_order(), En);
    assert_eq!(
        sentence,
        "Bank 7 was in bank before order 7 was committed in shop.orders."
    );
    assert_eq!(
        signature,
        "7 in bank, no row with id = 7 in shop.orders when it was made"
    );
}

#[test]
fn a_duplicate_counts_its_effects() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1003));
    stage.accept(EVENTS, 2, 1, message("evt-1003"));
    stage.accept(EVENTS, 3, 2, message("evt-1003"));
    let (sentence, signature) = said(&stage, each(), En);
    assert_eq!(sentence, "Order 1003 has 2 messages in rabbit.events instead of 1.");
    assert_eq!(signature, "'evt-1003' twice in rabbit.events");
}

#[test]
fn stuck_says_since_when() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1));
    stage.insert(OUTBOX, 1, 1, outbox("evt-1", false));
    let (sentence, signature) = said(&stage, each(), En);
    assert_eq!(
        sentence,
        "Order 1 is committed in shop.orders; it still waits in shop.outbox, and nobody will take it from there."
    );
    assert_eq!(signature, "'evt-1' in shop.outbox since 1.000 s, nobody waits for it");
}

#[test]
fn a_sequence_is_shown_around_what_came_late() {
    let mut stage = Stage::default();
    let ids = (1..=20).chain([3_000, 21]).chain(3_001..3_020);
    for (number, id) in (1u32..).zip(ids) {
        stage.accept(EVENTS, number, u64::from(number), message(&format!("{id:04}")));
    }
    let promise = PromiseKind::InOrder {
        set: all(EVENTS),
        of: own("id"),
        per: None,
    };
    let (_, signature) = said(&stage, promise, En);
    assert_eq!(
        signature,
        "sequence … 0018 0019 0020 3000 0021 3001 3002 3003 … in rabbit.events"
    );
}

#[test]
fn the_scenarios_own_sentence_comes_first_and_only_for_its_kind_and_language() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1001));
    let mut scenario = scenario(vec![each()]);
    let id = crate::expression::Expr::Field(Box::new(crate::expression::Expr::Local(CAUSE)), Rc::from("id"));
    let own = |kind, parts| Sentence {
        kind,
        language: Rc::from("en"),
        parts,
    };
    scenario.promises[0].sentences = vec![
        own(Some(Kind::Duplicate), vec![Part::Text(Rc::from("wrong kind"))]),
        own(
            Some(Kind::Lost),
            vec![
                Part::Text(Rc::from("Nothing will be shipped for ")),
                Part::Value(id),
                Part::Text(Rc::from(".")),
            ],
        ),
        own(None, vec![Part::Text(Rc::from("Everything was announced."))]),
    ];
    let found = judge(&scenario, &stage, Ended::Rest);
    assert_eq!(sentence(&found[0], &scenario, En), "Nothing will be shipped for 1001.");
    assert!(sentence(&found[0], &scenario, De).starts_with("Order 1001 ist"));
    assert_eq!(
        headline(&found, &scenario, En),
        "Lost. Nothing will be shipped for 1001."
    );
    assert_eq!(headline(&[], &scenario, En), "Healthy. Everything was announced.");
    assert_eq!(headline(&[], &scenario, De), "Gesund. Jedes Versprechen gilt.");
}

#[test]
fn own_sentences_may_speak_of_bare_columns() {
    let mut stage = Stage::default();
    stage.messages.insert(0, vec![queued(1, message("evt-9"), 0)]);
    let mut scenario = scenario(vec![PromiseKind::No(all(EVENTS))]);
    let id = crate::expression::Expr::Field(Box::new(crate::expression::Expr::Local(OWN)), Rc::from("id"));
    scenario.promises[0].sentences = vec![Sentence {
        kind: Some(Kind::Stuck),
        language: Rc::from("de"),
        parts: vec![Part::Value(id), Part::Text(Rc::from(" liegt."))],
    }];
    let found = judge(&scenario, &stage, Ended::Rest);
    assert_eq!(sentence(&found[0], &scenario, De), "evt-9 liegt.");
}

#[test]
fn subjects_go_by_the_singular_of_their_relation() {
    let mut stage = Stage::default();
    stage.insert(ORDERS, 1, 1, order(1001));
    let scenario = scenario(vec![each()]);
    let found = judge(&scenario, &stage, Ended::Rest);
    assert_eq!(subject_label(&found[0].subject, &scenario.program), "order 1001");
}
