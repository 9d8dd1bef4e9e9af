//! The first ten seconds, presets, variants, typed text, undo.

use super::*;

#[test]
fn the_page_opens_on_the_lost_order_with_a_marker_to_drag() {
    let model = open_at("");
    let view = view(&model);
    assert_eq!(
        view.verdict.sentence,
        "Order 1001 is saved and paid; nothing will ever be shipped."
    );
    assert_eq!((view.verdict.word.as_str(), view.verdict.symbol), ("Lost", '✗'));
    assert_eq!(marker(&view).value_text, "Shop crashes after commit, first time");
    assert_eq!(view.timeline.hint, Some(0));
    let healthy = Some(Worth::Healthy);
    assert_eq!(
        worths(strip(&view, "Shop")),
        [healthy, healthy, healthy, Some(LOST), healthy]
    );
    assert_eq!(
        strip(&view, "Shop").summary,
        "4 of 5 crash points of Shop are harmless, 1 loses order 1001."
    );
    assert!(view.overlay.is_none() && view.notices.is_empty());
}

#[test]
fn every_preset_opens_without_errors_and_shows_what_it_expects() {
    for entry in crashpoint::scenarios::all() {
        let model = preset_or_first(entry.id);
        let scenario = crashpoint::language::parse(entry.text).expect("a preset can be read");
        let gravest = scenario
            .expected
            .iter()
            .map(|expected| Worth::Finding(expected.kind))
            .min();
        assert_eq!(worth(&model), gravest.unwrap_or(Worth::Healthy), "{}", entry.id);
        assert!(!view(&model).header.edited, "{}", entry.id);
        assert_eq!(view(&model).timeline.not_reached, [], "{}", entry.id);
    }
}

fn preset_or_first(id: &str) -> Model {
    let mut model = open_at("");
    update(&mut model, Message::OpenPreset(id.into()));
    model
}

#[test]
fn switching_the_design_takes_the_fault_along() {
    let mut model = open_at("");
    assert!(view(&model).header.variants.iter().any(|variant| &*variant.id == "O3"));
    let effects = update(&mut model, Message::SwitchVariant("O3".into()));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::PushFragment(_))));
    assert_eq!(&*view(&model).header.id, "O3");
    assert_eq!(faults(&model), ["crash after Shop.commit.1 restart 5s"]);
    assert_eq!(worth(&model), Worth::Healthy, "the outbox cures it");
    assert_eq!(
        marker(&view(&model)).value_text,
        "Shop crashes after commit, first time"
    );
}

#[test]
fn a_fault_on_a_step_that_does_not_exist_is_kept_as_not_reached() {
    let mut model = open_at("");
    let shop = lane(&view(&model), "Shop").0;
    update(&mut model, Message::PutMarker { lane: shop, stop: 4 });
    assert_eq!(faults(&model), ["crash after Shop.publish-events.1 restart 5s"]);
    update(&mut model, Message::SwitchVariant("O3".into()));
    let view = view(&model);
    assert_eq!(view.timeline.markers, []);
    let texts: Vec<&str> = view
        .timeline
        .not_reached
        .iter()
        .map(|missed| missed.text.as_str())
        .collect();
    assert_eq!(texts, ["not reached: Shop crashes after publish-events, first time"]);
    assert_eq!(faults(&model), ["crash after Shop.publish-events.1 restart 5s"]);
    update(&mut model, Message::SwitchVariant("O1".into()));
    assert_eq!(
        marker(&crashpoint::app::view(&model)).now,
        4,
        "back where it exists, it is reached again"
    );
}

#[test]
fn undo_and_redo_go_back_and_forth_over_everything() {
    let mut model = open_at("");
    let first = model.text.clone();
    update(
        &mut model,
        Message::NudgeMarker {
            marker: 0,
            later: false,
        },
    );
    let second = model.text.clone();
    update(&mut model, Message::SwitchVariant("O3".into()));
    let third = model.text.clone();
    update(&mut model, Message::Undo);
    assert_eq!(model.text, second);
    update(&mut model, Message::Undo);
    assert_eq!((&model.text, worth(&model)), (&first, LOST));
    assert!(!view(&model).header.can_undo);
    update(&mut model, Message::Redo);
    update(&mut model, Message::Redo);
    assert_eq!(model.text, third);
    assert!(!view(&model).header.can_redo);
}

#[test]
fn errors_are_shown_and_the_last_good_run_stays() {
    let mut model = open_at("");
    let good = view(&model);
    let broken = model.text.replace("    begin\n", "    begn\n");
    assert_ne!(*broken, *model.text);
    update(&mut model, Message::EditText(broken.as_str().into()));
    let shown = view(&model);
    assert!(!shown.program.diagnostics.is_empty());
    let line = shown
        .program
        .lines
        .iter()
        .find(|line| !line.errors.is_empty())
        .expect("a line with its error");
    assert_eq!(
        line.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect::<String>()
            .trim(),
        "begn"
    );
    assert!(shown.verdict.outdated);
    assert_eq!(
        shown.timeline.lanes, good.timeline.lanes,
        "the last good run stays on the timeline"
    );
    // Which line is which fault is not known now, so none is written.
    update(&mut model, Message::NudgeMarker { marker: 0, later: true });
    assert_eq!(*model.text, *broken);
    assert_eq!(view(&model).notices.len(), 1);
    update(&mut model, Message::Undo);
    assert!(!view(&model).verdict.outdated);
}

#[test]
fn typed_text_is_replaced_by_a_preset_only_after_a_question() {
    let mut model = open_at("");
    let typed = model.text.replace("120", "99");
    update(&mut model, Message::EditText(typed.as_str().into()));
    assert!(view(&model).header.edited);
    update(&mut model, Message::OpenPreset("O3".into()));
    assert_eq!(*model.text, *typed);
    let question = view(&model).notices[0].clone();
    assert!(question.text.contains("Outbox"), "{}", question.text);
    let yes = question.actions[0].message.clone();
    update(&mut model, yes);
    assert_eq!(&*view(&model).header.id, "O3");
    assert_eq!(view(&model).notices.to_vec(), []);
    update(&mut model, Message::Undo);
    assert_eq!(*model.text, *typed, "undo brings it back");
}

#[test]
fn another_design_does_not_replace_typed_text_unasked() {
    let mut model = open_at("");
    let typed = model.text.replace("120", "99");
    update(&mut model, Message::EditText(typed.as_str().into()));
    update(&mut model, Message::SwitchVariant("O3".into()));
    assert_eq!(*model.text, *typed);
    let yes = view(&model).notices[0].actions[0].message.clone();
    update(&mut model, yes);
    assert_eq!(&*view(&model).header.id, "O3");
    assert_eq!(faults(&model), ["crash after Shop.commit.1 restart 5s"]);
}

#[test]
fn rows_that_a_database_refuses_are_an_error_of_the_text() {
    let mut model = open_at("");
    let first_rows = "  insert into orders (id, total) values (1, 1), (1, 2)\nbroker";
    let broken = model.text.replacen("broker", first_rows, 1);
    update(&mut model, Message::EditText(broken.as_str().into()));
    let shown = view(&model);
    let told = &shown.program.diagnostics;
    assert_eq!(told.len(), 1);
    let line = shown.program.lines[told[0].line as usize - 1]
        .pieces
        .iter()
        .map(|piece| piece.text.as_str());
    assert_eq!(line.collect::<String>(), "database shop");
    assert!(told[0].message.contains("orders_pkey"), "{}", told[0].message);
    assert!(shown.verdict.outdated);
}

#[test]
fn typing_within_one_visit_of_the_editor_is_one_step() {
    let mut model = open_at("");
    let original = model.text.clone();
    for total in ["1", "12", "123"] {
        let typed = original.replace("120", total);
        update(&mut model, Message::EditText(typed.as_str().into()));
    }
    update(&mut model, Message::EditDone);
    update(&mut model, Message::Undo);
    assert_eq!(model.text, original);
}

#[test]
fn every_text_is_there_in_german_too() {
    let mut model = open_at("");
    update(&mut model, Message::SetLanguage(Language::De));
    let view = view(&model);
    assert_eq!(view.verdict.word, "Verloren");
    assert_eq!(view.header.title, "Erst speichern, dann senden");
    assert_eq!(marker(&view).value_text, "Shop stürzt ab nach commit, zum ersten Mal");
    assert!(
        strip(&view, "Shop")
            .summary
            .starts_with("4 von 5 Absturzstellen von Shop sind harmlos")
    );
}
