//! The play head: stepping, scrubbing, playing, and the state it shows.

use super::*;
use crashpoint::app::view::{Change, Condition};

#[test]
fn steps_go_from_event_to_event_and_stop_at_the_ends() {
    let mut model = open_at("");
    assert!(view(&model).controls.at_end);
    update(&mut model, Message::ToStart);
    assert_eq!((view(&model).controls.at_start, view(&model).timeline.head), (true, 0));
    update(&mut model, Message::StepBack);
    assert!(view(&model).controls.at_start);
    let mut labels = Vec::new();
    while !view(&model).controls.at_end {
        update(&mut model, Message::StepForward);
        labels.push(view(&model).controls.label.clone());
    }
    // begin, insert, commit, crash, restart (which is the end)
    assert_eq!(labels.len(), 5);
    assert_eq!(labels[2], "0.005 s · Shop: commit, first time");
    update(&mut model, Message::StepBack);
    assert_eq!(view(&model).controls.label, labels[3]);
}

#[test]
fn the_state_shows_what_is_committed_and_what_only_its_transaction_sees() {
    let mut model = open_at("");
    update(&mut model, Message::ToStart);
    let orders = |model: &Model| view(model).state.tables[0].rows.clone();
    assert_eq!(orders(&model), []);
    update(&mut model, Message::StepForward);
    update(&mut model, Message::StepForward);
    let inserted = orders(&model);
    assert_eq!(inserted[0].uncommitted.as_deref(), Some("Shop"));
    assert_eq!(
        (inserted[0].change, inserted[0].cells[0].text.as_str()),
        (Change::Inserted, "1001")
    );
    update(&mut model, Message::StepForward);
    let committed = orders(&model);
    assert_eq!(
        (committed.len(), committed[0].uncommitted.clone(), committed[0].change),
        (1, None, Change::Inserted)
    );
    update(&mut model, Message::StepForward);
    assert_eq!(orders(&model)[0].change, Change::Same);
    let shop = view(&model).state.instances[0].clone();
    assert_eq!(
        (shop.condition, shop.text.as_str(), shop.changed),
        (Condition::Down, "down until 5.006 s", true)
    );
}

#[test]
fn queues_show_messages_where_they_are() {
    let mut model = preset("O5");
    let messages = view(&model).state.queues[0].messages.clone();
    let ids: Vec<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(ids, ["evt-1003", "evt-1003"], "the same id twice");
    assert_eq!(
        (messages[0].body.as_str(), messages[0].text.as_str()),
        ("OrderPlaced 1003", "ready")
    );
    let published = view(&model);
    let block = lane(&published, "Relay")
        .1
        .blocks
        .iter()
        .find(|block| block.label == "publish")
        .expect("the first publish");
    update(&mut model, Message::GoTo(block.event));
    let messages = view(&model).state.queues[0].messages.clone();
    assert_eq!((messages.len(), messages[0].change), (1, Change::Inserted));
}

#[test]
fn a_scrub_stands_where_the_pointer_is() {
    let mut model = open_at("");
    update(&mut model, Message::Scrub(4));
    assert_eq!(view(&model).timeline.head, 4);
    update(&mut model, Message::Scrub(-3));
    assert!(view(&model).controls.at_start);
    update(&mut model, Message::Scrub(1_000));
    assert!(view(&model).controls.at_end);
}

#[test]
fn playing_ticks_to_the_end_and_stops() {
    let mut model = open_at("");
    let timer = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::StartTimer(_)));
    assert!(timer(&update(&mut model, Message::PlayPause)));
    assert!(
        view(&model).controls.playing && view(&model).controls.at_start,
        "from the end it begins anew"
    );
    let mut ticks = 0;
    while timer(&update(&mut model, Message::Tick)) {
        ticks += 1;
        assert!(ticks < 100, "it never ends");
    }
    assert!(!view(&model).controls.playing && view(&model).controls.at_end);
    assert!(!timer(&update(&mut model, Message::Tick)), "a late tick does nothing");
    update(&mut model, Message::PlayPause);
    update(&mut model, Message::StepForward);
    assert!(!view(&model).controls.playing, "a hand on the play head stops it");
}

#[test]
fn the_program_marks_where_each_process_is() {
    let mut model = open_at("");
    let marked = |model: &Model| {
        let view = view(model);
        let line = view
            .program
            .lines
            .iter()
            .find(|line| !line.at_head.is_empty())
            .map(|line| line.pieces.iter().map(|piece| piece.text.as_str()).collect::<String>());
        line.map(|line| line.trim().to_owned())
    };
    assert_eq!(marked(&model), None, "at the end all are done");
    update(&mut model, Message::GoTo(0));
    assert_eq!(marked(&model).as_deref(), Some("begin"));
}
