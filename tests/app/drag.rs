//! Dragging: a frozen ruler, finished results, one step to undo.

use super::*;
use crashpoint::app::view::{Block, BlockClass, Halves};
use crashpoint::app::view_moving;

/// Drags the first marker over positions without letting go.
fn drag(model: &mut Model, positions: &[Halves]) {
    update(model, Message::DragStart(0));
    for position in positions {
        update(model, Message::DragTo(*position));
    }
}

#[test]
fn one_gap_to_the_left_the_sentence_turns_green() {
    let mut model = open_at("");
    drag(&mut model, &[4]);
    assert_eq!(worth(&model), Worth::Healthy);
    assert_eq!(marker(&view(&model)).position, 4);
    assert!(marker(&view(&model)).dragging);
    let effects = update(&mut model, Message::DragEnd);
    assert_eq!(faults(&model), ["crash after Shop.insert-orders.1 restart 5s"]);
    assert_eq!(worth(&model), Worth::Healthy);
    assert!(
        address(&effects).starts_with("1/O1~"),
        "the address holds the moved marker"
    );
    assert!(view(&model).timeline.hint.is_none(), "whoever dragged once knows how");
}

#[test]
fn the_focus_that_a_press_brings_does_not_end_the_drag() {
    let mut model = open_at("");
    update(&mut model, Message::DragStart(0));
    update(&mut model, Message::SelectMarker(Some(0)));
    update(&mut model, Message::DragTo(4));
    assert!(marker(&view(&model)).dragging);
    assert_eq!(worth(&model), Worth::Healthy);
}

#[test]
fn a_whole_drag_is_one_step_to_undo() {
    let mut model = open_at("");
    let before = model.text.clone();
    drag(&mut model, &[5, 4, 3, 2, 1, 0, 8]);
    update(&mut model, Message::DragEnd);
    assert_eq!(faults(&model), ["crash after Shop.publish-events.1 restart 5s"]);
    update(&mut model, Message::Undo);
    assert_eq!(model.text, before);
    assert!(!view(&model).header.can_undo);
}

#[test]
fn escape_puts_everything_back() {
    let mut model = open_at("");
    update(&mut model, Message::StepBack);
    let before = view(&model);
    drag(&mut model, &[0, 8, 2]);
    assert_ne!(view(&model).timeline.markers, before.timeline.markers);
    update(&mut model, Message::DragCancel);
    let after = view(&model);
    assert_eq!(after.timeline.lanes, before.timeline.lanes);
    assert_eq!(
        (after.verdict, after.state, after.program.text.clone()),
        (before.verdict, before.state, before.program.text.clone())
    );
    assert!(!after.header.can_undo);
    assert!(
        update(&mut model, Message::DragTo(0)).is_empty(),
        "nothing is held any more"
    );
    assert_eq!(view(&model).timeline.markers, after.timeline.markers);
}

#[test]
fn a_drag_back_to_where_it_began_leaves_nothing_to_undo() {
    let mut model = open_at("");
    drag(&mut model, &[0, 6]);
    assert_eq!(worth(&model), LOST);
    let effects = update(&mut model, Message::DragEnd);
    assert_eq!(effects, []);
    assert!(!view(&model).header.can_undo);
}

#[test]
fn positions_beyond_the_ends_are_the_ends() {
    let mut model = open_at("");
    drag(&mut model, &[-500]);
    assert_eq!(marker(&view(&model)).now, 0);
    update(&mut model, Message::DragTo(i32::MAX));
    assert_eq!(marker(&view(&model)).now, 4);
    update(&mut model, Message::DragTo(i32::MIN));
    assert_eq!(marker(&view(&model)).now, 0);
}

/// The blocks left of a position, lane by lane, without lost requests: what the dragged marker strikes ends earlier than
/// what the ruler shows in its place, when the party takes long. Numbers of events do not count: a crash during a step is an
/// event before what others do at the same time.
fn left_of(view: &View, position: Halves) -> Vec<Vec<Block>> {
    let left = |lane: &Lane| {
        lane.blocks
            .iter()
            .filter(|block| block.to <= position && block.class != BlockClass::Lost)
            .map(|block| Block {
                event: 0,
                ..block.clone()
            })
            .collect()
    };
    view.timeline.lanes.iter().map(left).collect()
}

#[test]
fn left_of_the_marker_nothing_changes_and_every_stop_keeps_what_the_strip_said() {
    for entry in crashpoint::scenarios::all() {
        let mut model = open_at("");
        update(&mut model, Message::OpenPreset(entry.id.into()));
        if view(&model).timeline.markers.is_empty() {
            continue;
        }
        let id = marker(&view(&model)).id;
        update(&mut model, Message::DragStart(id));
        let held = view(&model);
        let lane = &held.timeline.lanes[held.timeline.markers[0].lane];
        let Some(strip) = lane.strip.as_ref().filter(|strip| strip.marker == Some(id)) else {
            continue;
        };
        let mut without = model.clone();
        update(&mut without, Message::RemoveMarker(id));
        let ruler = view(&without);
        for cell in strip.cells.iter() {
            update(&mut model, Message::DragTo(cell.position));
            let shown = view(&model);
            let place = format!("{} {}", entry.id, cell.title);
            assert_eq!(
                shown
                    .timeline
                    .markers
                    .iter()
                    .find(|marker| marker.id == id)
                    .map(|marker| marker.position),
                Some(cell.position),
                "{place}"
            );
            assert_eq!(Some(shown.verdict.worth), cell.worth, "{place}");
            assert_eq!(
                left_of(&shown, cell.position),
                left_of(&ruler, cell.position),
                "{place}"
            );
            assert_eq!(shown.timeline.columns, held.timeline.columns, "{place}");
        }
    }
}

#[test]
fn letting_go_shows_what_opening_the_text_shows() {
    let mut model = preset("O10");
    let id = marker(&view(&model)).id;
    update(&mut model, Message::DragStart(id));
    update(&mut model, Message::DragTo(0));
    let held = view(&model);
    update(&mut model, Message::DragEnd);
    let let_go = view(&model);
    assert_eq!(let_go.timeline.lanes[1].blocks, held.timeline.lanes[1].blocks);
    let mut opened = open_at("");
    update(&mut opened, Message::EditText(model.text.clone()));
    assert_eq!(view(&opened).timeline.lanes[1].blocks, let_go.timeline.lanes[1].blocks);
    assert_eq!(view(&opened).verdict.sentence, let_go.verdict.sentence);
}

#[test]
fn strips_of_other_lanes_are_open_while_a_marker_is_elsewhere() {
    let mut model = preset("O5");
    let id = marker(&view(&model)).id;
    assert!(worths(strip(&view(&model), "Shop")).iter().all(Option::is_some));
    update(&mut model, Message::DragStart(id));
    assert!(
        worths(strip(&view(&model), "Shop")).iter().all(Option::is_some),
        "nothing has moved yet"
    );
    update(&mut model, Message::DragTo(0));
    assert!(worths(strip(&view(&model), "Shop")).iter().all(Option::is_none));
    update(&mut model, Message::DragEnd);
    assert!(worths(strip(&view(&model), "Shop")).iter().all(Option::is_some));
}

#[test]
fn a_drag_survives_the_focus_going_from_the_editor_to_the_marker() {
    let mut model = open_at("");
    update(&mut model, Message::DragStart(0));
    update(&mut model, Message::EditDone);
    update(&mut model, Message::SelectMarker(Some(0)));
    update(&mut model, Message::DragTo(4));
    update(&mut model, Message::DragEnd);
    assert_eq!(faults(&model), ["crash after Shop.insert-orders.1 restart 5s"]);
}

#[test]
fn verdict_and_timeline_follow_each_step_and_the_rest_follows_when_the_marker_rests() {
    let mut model = open_at("");
    update(&mut model, Message::DragStart(0));
    let before = view(&model);
    for position in [4, 0, 8] {
        let effects = update(&mut model, Message::DragTo(position));
        assert!(matches!(effects[..], [Effect::RestSoon(_)]), "{effects:?}");
        let (moving, whole) = (view_moving(&model, &before), view(&model));
        assert_eq!((&moving.verdict, &moving.timeline), (&whole.verdict, &whole.timeline));
        assert_eq!((&moving.program, &moving.state), (&before.program, &before.state));
        assert_ne!(moving.program.text, whole.program.text);
        assert!(
            update(&mut model, Message::DragTo(position)).is_empty(),
            "still the same gap"
        );
    }
    let step = view(&model);
    update(&mut model, Message::DragRests);
    assert_eq!(view(&model), step);
}

#[test]
fn the_focus_goes_to_the_next_marker_or_to_the_cell_where_the_last_one_stood() {
    let mut model = open_at("");
    update(&mut model, Message::AddMarker { lane: 0, stop: 1 });
    let effects = update(&mut model, Message::RemoveMarker(1));
    assert!(effects.contains(&Effect::FocusMarker(0)), "{effects:?}");
    let stop = view(&model).timeline.markers[0].now;
    let effects = update(&mut model, Message::RemoveMarker(0));
    assert!(effects.contains(&Effect::FocusCell { lane: 0, stop }), "{effects:?}");
}
