//! Designs side by side: the same faults in each, one play head, the matrix of crash points, the link to it all.

use super::*;
use crashpoint::app::model::{Overlay, Tab};
use crashpoint::app::view::{Column, Designs, MatrixCell, MatrixRow};
use crashpoint::link::{self, Compared, Link, Position};
use crashpoint::scenarios;
use std::rc::Rc;

/// The page with a preset and its designs side by side, everything computed.
fn compare(id: &str) -> Model {
    let mut model = preset(id);
    update(&mut model, Message::SelectTab(Tab::Designs));
    finish(&mut model);
    model
}

/// Lets the page do what it asked for time to do.
fn finish(model: &mut Model) {
    while !update(model, Message::GoOn).is_empty() {}
}

fn shown(model: &Model) -> Rc<Designs> {
    view(model).designs
}

fn ids(model: &Model) -> Vec<String> {
    shown(model)
        .columns
        .iter()
        .map(|column| column.id.to_string())
        .collect()
}

fn column(model: &Model, id: &str) -> Column {
    let shown = shown(model);
    let found = shown.columns.iter().find(|column| &*column.id == id);
    found.unwrap_or_else(|| panic!("no design {id}")).clone()
}

fn open_id(model: &Model) -> String {
    let shown = shown(model);
    let open: Vec<&Column> = shown.columns.iter().filter(|column| column.open).collect();
    assert_eq!(open.len(), 1, "one design is open");
    open[0].id.to_string()
}

fn row(model: &Model, id: &str) -> MatrixRow {
    let shown = shown(model);
    let found = shown.matrix.rows.iter().find(|row| &*row.id == id);
    found.unwrap_or_else(|| panic!("no row {id}")).clone()
}

/// The cell of a design where its crash point reads like this.
fn cell(model: &Model, id: &str, party: &str, place: &str) -> MatrixCell {
    let shown = shown(model);
    let title = format!("{party} crashes {place}, first time");
    let index = shown.matrix.places.iter().position(|known| known.title == title);
    let index = index.unwrap_or_else(|| panic!("no crash point {title}"));
    row(model, id).cells[index].clone()
}

fn design(model: &Model, id: &str) -> usize {
    column(model, id).design
}

// --- Which designs --------------------------------------------------------------------------------------------------

#[test]
fn the_designs_of_a_problem_are_compared_under_the_readers_faults() {
    let mut model = preset("O5");
    assert_eq!(*shown(&model), Default::default(), "nobody looks");
    update(&mut model, Message::SelectTab(Tab::Designs));
    let all = ids(&model);
    assert_eq!((all[0].as_str(), open_id(&model)), ("O5", "O5".to_owned()));
    assert!(
        all.contains(&"O10".to_owned()) && all.contains(&"O1".to_owned()),
        "{all:?}"
    );
    assert!(all.len() <= 6);

    // The relay dies between sending and marking: two messages, and the inbox drops the copy.
    let without_inbox = column(&model, "O5");
    assert_eq!(without_inbox.worth, Some(Worth::Finding(Kind::Duplicate)));
    assert_eq!(without_inbox.costs[1], "2");
    let with_inbox = column(&model, "O10");
    assert_eq!(with_inbox.worth, Some(Worth::Healthy));
    assert_eq!(with_inbox.sentence, "Every saved order has exactly one parcel.");
    // Order, outbox row and its mark; inbox row and parcel. The copy's insert was rolled back.
    assert_eq!((&*without_inbox.costs[0], &*with_inbox.costs[0]), ("3", "5"));
    assert_eq!(without_inbox.notes, Vec::<String>::new());
}

#[test]
fn a_column_says_which_fault_its_design_cannot_meet() {
    let mut model = compare("O5");
    assert_eq!(
        column(&model, "O1").notes,
        ["This design has no service Relay, so it is not struck by: Relay crashes after publish-events, first time"]
    );
    // O6 marks the row before it sends; dead at the mark, it never comes to the send again.
    let text = model.text.replace(
        "crash after Relay.publish-events.1 restart 5s",
        "crash after Relay.mark.2 restart 5s",
    );
    update(&mut model, Message::EditText(text.as_str().into()));
    let notes = column(&model, "O6").notes;
    assert_eq!(notes, ["Not reached: Relay crashes after mark, second time"]);
    let text = model
        .text
        .replace("crash after Relay.mark.2 restart 5s", "down rabbid at 5s for 10s");
    update(&mut model, Message::EditText(text.as_str().into()));
    assert!(
        column(&model, "O1").notes[0].starts_with("This design has no rabbid"),
        "{:?}",
        column(&model, "O1").notes
    );
}

#[test]
fn the_columns_stay_where_they_are_when_another_design_is_opened() {
    let mut model = compare("O1");
    let before = ids(&model);
    let o3 = design(&model, "O3");
    update(
        &mut model,
        Message::OpenDesign {
            design: o3,
            crash: None,
        },
    );
    assert_eq!((ids(&model), open_id(&model).as_str()), (before.clone(), "O3"));
    assert_eq!(&*view(&model).header.id, "O3");
    assert_eq!(
        faults(&model),
        ["crash after Shop.commit.1 restart 5s"],
        "the crash goes along"
    );
    update(&mut model, Message::Undo);
    assert_eq!(
        (ids(&model), open_id(&model).as_str()),
        (before, "O1"),
        "Undo goes back"
    );
}

#[test]
fn presets_are_added_until_there_are_six_and_taken_out_again() {
    let mut model = compare("O1");
    while let Some(other) = shown(&model).columns.iter().find(|column| !column.open) {
        let design = other.design;
        update(&mut model, Message::RemoveDesign(design));
    }
    assert_eq!(ids(&model), ["O1"]);
    assert!(shown(&model).controls.is_none(), "one is no comparison");
    assert!(model.link.starts_with("1/"), "{}", model.link);
    update(&mut model, Message::RemoveDesign(0));
    assert_eq!(ids(&model), ["O1"], "what is open stays");
    update(&mut model, Message::Show(Some(Overlay::Adding)));
    for id in ["I1", "P2", "C01", "O1", "O10", "O13", "nothing"] {
        update(&mut model, Message::AddDesign(id.into()));
    }
    assert_eq!(ids(&model), ["O1", "I1", "P2", "C01", "O1", "O10"]);
    assert!(!shown(&model).has_room);
    assert_eq!(view(&model).overlay, None, "there is no room for more");
    update(&mut model, Message::OpenPreset("O6".into()));
    assert_eq!(
        ids(&model),
        ["O6", "I1", "P2", "C01", "O1", "O10"],
        "chosen ones stay beside what is opened"
    );
}

#[test]
fn designs_change_places_and_the_open_one_stays_open() {
    let mut model = compare("O1");
    for id in ["O3", "O6"] {
        if !ids(&model).contains(&id.to_owned()) {
            update(&mut model, Message::AddDesign(id.into()));
        }
    }
    let before = ids(&model);
    let effects = update(&mut model, Message::ShiftDesign { design: 0, later: true });
    let mut expected = before.clone();
    expected.swap(0, 1);
    assert_eq!((ids(&model), open_id(&model).as_str()), (expected, "O1"));
    assert!(effects.contains(&Effect::FocusShift { design: 1, later: true }));
    let (link, head) = (model.link.to_string(), open_at(&model.link));
    assert_eq!(ids(&head), ids(&model), "the link keeps the sequence: {link}");
    // Beyond the edges is nothing.
    let shifted = ids(&model);
    for (design, later) in [(0, false), (shifted.len() - 1, true), (99, false)] {
        update(&mut model, Message::ShiftDesign { design, later });
        assert_eq!(ids(&model), shifted);
    }
    update(
        &mut model,
        Message::ShiftDesign {
            design: 1,
            later: false,
        },
    );
    assert_eq!((ids(&model), open_id(&model).as_str()), (before, "O1"));
}

#[test]
fn other_designs_are_offered_when_something_else_is_opened() {
    let mut model = compare("O1");
    assert!(shown(&model).variants.clone().expect("O1 has variants").chosen);
    update(&mut model, Message::OpenPreset("I1".into()));
    assert_eq!(ids(&model)[..3], ["I1", "I2", "I5"]);
    update(&mut model, Message::CompareSet(0));
    update(&mut model, Message::OpenPreset("I1".into()));
    assert_eq!(ids(&model)[..3], ["I1", "O2", "O3"], "chosen ones stay");
    update(&mut model, Message::CompareVariants);
    assert_eq!(ids(&model)[..3], ["I1", "I2", "I5"]);
    let link = model.link.to_string();
    assert!(link.starts_with("2/6/I1."), "{link}");
}

#[test]
fn a_ready_made_comparison_keeps_what_is_open_among_its_own() {
    let mut model = compare("O3");
    update(&mut model, Message::CompareSet(0));
    assert_eq!(ids(&model), ["O1", "O2", "O3", "O6", "O10"]);
    assert_eq!(open_id(&model), "O3");
    assert!(shown(&model).sets[0].chosen);
    update(&mut model, Message::CompareSet(1));
    assert_eq!(ids(&model), ["I1", "I2", "I5", "I11"]);
    assert_eq!(open_id(&model), "I1");
    assert_eq!(&*view(&model).header.id, "I1");
    update(&mut model, Message::CompareSet(2));
    assert_eq!(ids(&model), ["P2", "P3", "P4", "P6", "P9"]);
    update(&mut model, Message::CompareSet(99));
    assert_eq!(ids(&model).len(), 5);
}

#[test]
fn every_ready_made_comparison_can_be_read_and_swept() {
    for set in 0..shown(&compare("O1")).sets.len() {
        let mut model = compare("O1");
        update(&mut model, Message::CompareSet(set));
        finish(&mut model);
        for column in shown(&model).columns.iter() {
            assert!(column.worth.is_some(), "{}: {}", column.id, column.sentence);
            let pending = row(&model, &column.id)
                .cells
                .iter()
                .filter(|cell| cell.slug == "pending")
                .count();
            assert_eq!(pending, 0, "{}", column.id);
        }
    }
}

#[test]
fn an_edited_text_is_compared_as_it_is_and_asked_for_before_it_goes() {
    let mut model = compare("O1");
    let edited = model.text.replace("place(1001, 120)", "place(1001, 99)");
    update(&mut model, Message::EditText(edited.as_str().into()));
    assert!(column(&model, "O1").edited);
    let o3 = design(&model, "O3");
    update(
        &mut model,
        Message::OpenDesign {
            design: o3,
            crash: None,
        },
    );
    assert_eq!(*model.text, *edited, "not unasked");
    let question = view(&model).notices[0].clone();
    update(&mut model, question.actions[0].message.clone());
    assert_eq!(open_id(&model), "O3");
    assert!(column(&model, "O1").edited, "it stays beside");
    let o1 = design(&model, "O1");
    update(
        &mut model,
        Message::OpenDesign {
            design: o1,
            crash: None,
        },
    );
    assert!(model.text.contains("place(1001, 99)"));
}

// --- Lock step ------------------------------------------------------------------------------------------------------

#[test]
fn what_happens_at_one_instant_stands_in_one_row() {
    let mut model = compare("O3");
    update(&mut model, Message::CompareSet(0));
    let shown = shown(&model);
    let texts = |time: &str, design: usize| -> Vec<String> {
        let row = shown.rows.iter().find(|row| row.time == time).expect("a row");
        row.cells[design]
            .iter()
            .map(|entry| format!("{} {}", entry.actor, entry.text))
            .collect()
    };
    // Nothing fails: the relay's round of 10 s finds the row, and O1 has long been done.
    let relay: Vec<&str> = shown
        .rows
        .iter()
        .map(|row| row.time.as_str())
        .filter(|time| time.starts_with("10."))
        .collect();
    assert!(texts(relay[0], 2)[0].starts_with("Relay"), "{:?}", texts(relay[0], 2));
    assert_eq!(texts(relay[0], 0), Vec::<String>::new());
    let first = shown.rows.iter().find(|row| row.time == relay[0]).expect("a row");
    assert_eq!(first.idle, "⋯ 10 s", "idle time is squeezed");
    let times: Vec<&str> = shown.rows.iter().map(|row| row.time.as_str()).collect();
    let mut sorted = times.clone();
    sorted.dedup();
    assert_eq!(times, sorted, "each instant once");
    for row in shown.rows.iter() {
        assert_eq!(row.cells.len(), 5);
        assert!(
            row.cells.iter().any(|cell| !cell.is_empty()),
            "{}: in no design",
            row.time
        );
    }
}

#[test]
fn one_play_head_moves_all_designs() {
    let mut model = compare("O1");
    let count = |model: &Model, id: &str, name: &str| -> String {
        let shown = shown(model);
        let index = shown
            .columns
            .iter()
            .position(|column| &*column.id == id)
            .expect("a design");
        let found = shown.states[index].iter().find(|count| count.name.ends_with(name));
        found.unwrap_or_else(|| panic!("no {name} in {id}")).value.clone()
    };
    let controls = |model: &Model| shown(model).controls.clone().expect("a play head");
    assert!(controls(&model).at_end);
    assert_eq!(
        view(&model).controls,
        controls(&model),
        "it is the page's one play head"
    );
    update(&mut model, Message::ToStart);
    assert_eq!(shown(&model).happened, 0);
    assert_eq!(
        (count(&model, "O1", "orders"), count(&model, "O3", "outbox")),
        ("0".into(), "0".into())
    );
    // One step: one instant, whatever happens at it.
    let mut steps = 0;
    while !controls(&model).at_end {
        update(&mut model, Message::StepForward);
        steps += 1;
        assert_eq!(shown(&model).happened, steps);
    }
    assert_eq!(steps, shown(&model).rows.len());
    // Just before the relay's round: the order is in both, its event only in the outbox.
    let rows = shown(&model).rows.clone();
    let before = rows
        .iter()
        .position(|row| row.time.starts_with("10."))
        .expect("the relay's round");
    update(&mut model, Message::GoToInstant(before));
    assert_eq!(
        (count(&model, "O1", "orders"), count(&model, "O3", "orders")),
        ("1".into(), "1".into())
    );
    assert_eq!(
        (count(&model, "O3", "outbox"), count(&model, "O3", "events")),
        ("1".into(), "0".into())
    );
    update(&mut model, Message::ToEnd);
    assert_eq!(count(&model, "O3", "events"), "1");
    update(&mut model, Message::GoToInstant(1));
    update(&mut model, Message::SelectTab(Tab::State));
    assert_eq!(
        view(&model).controls.label.split(' ').next(),
        Some(rows[0].time.split(' ').next().expect("a number"))
    );
}

#[test]
fn the_open_designs_timeline_moves_the_common_play_head() {
    let mut model = compare("O1");
    let last = view(&model).timeline.lanes[0]
        .blocks
        .last()
        .expect("the restart")
        .clone();
    update(&mut model, Message::GoTo(last.event));
    let shown = shown(&model);
    let controls = shown.controls.clone().expect("a play head");
    // O1 is done when its shop is up again; the relays of the others have not begun.
    assert!(!controls.at_end);
    assert!(controls.label.starts_with("5."), "{}", controls.label);
}

// --- The matrix -----------------------------------------------------------------------------------------------------

#[test]
fn the_matrix_says_where_each_design_may_die() {
    let mut model = compare("O3");
    update(&mut model, Message::CompareSet(0));
    assert_eq!(row(&model, "O1").summary, "not computed yet");
    let cells = row(&model, "O1").cells.clone();
    assert!(
        cells
            .iter()
            .all(|cell| cell.slug == "pending" && cell.word == "not computed")
    );
    finish(&mut model);
    let slug = |id: &str, party: &str, place: &str| cell(&model, id, party, place).slug;
    // Between commit and publish O1 loses; O3 has it in the outbox.
    assert_eq!(slug("O1", "Shop", "after commit"), "lost");
    assert_eq!(slug("O3", "Shop", "after commit"), "healthy");
    // O2 has sent what it never saves.
    assert_eq!(slug("O2", "Shop", "after publish-events"), "phantom");
    // After the first of the relay's two writes: O3 sends again, O6 never sends, O10's inbox drops the copy.
    assert_eq!(slug("O3", "Relay", "after publish-events"), "duplicate");
    assert_eq!(slug("O6", "Relay", "after mark"), "lost");
    assert_eq!(slug("O10", "Relay", "after publish-events"), "healthy");
    assert!(row(&model, "O10").summary.ends_with("harmless"));
    let groups: Vec<String> = shown(&model)
        .matrix
        .groups
        .iter()
        .map(|group| group.name.clone())
        .collect();
    assert_eq!(groups, ["Shop", "Relay", "Warehouse"]);
    // Only O2 begins with the publish. Where O1 comes to it, it has committed.
    let before = cell(&model, "O1", "Shop", "before publish-events");
    assert_eq!((before.slug, before.current), ("lost", false));
    let absent = cell(&model, "O1", "Relay", "after mark");
    assert_eq!(
        (absent.slug, absent.symbol, absent.word.as_str()),
        ("absent", '–', "not in this design")
    );
    assert_eq!(absent.title, "O1. This design has no service Relay.");
    assert!(!absent.present);
}

#[test]
fn one_crash_takes_the_place_of_the_readers_and_other_faults_stay() {
    let mut model = compare("O1");
    // The reader's own crash is no part of it: without it the event is out when the shop has published.
    assert_eq!(worth(&model), LOST);
    assert_eq!(cell(&model, "O1", "Shop", "after publish-events").slug, "healthy");
    let text = model
        .text
        .replace("crash after Shop.commit.1 restart 5s", "down rabbit at 0s for 1h");
    update(&mut model, Message::EditText(text.as_str().into()));
    finish(&mut model);
    // Nobody can publish for an hour, and the shop tries only once.
    assert_eq!(cell(&model, "O1", "Shop", "after publish-events").slug, "lost");
}

#[test]
fn a_cell_opens_its_design_with_that_crash_in_one_step() {
    let mut model = compare("O1");
    let text = model
        .text
        .replace("crash after", "pause during Shop.commit.1 for 1s\ncrash after");
    update(&mut model, Message::EditText(text.as_str().into()));
    update(&mut model, Message::Copied(true));
    finish(&mut model);
    let o6 = design(&model, "O6");
    let shown = shown(&model);
    let place = shown
        .matrix
        .places
        .iter()
        .find(|place| place.title.starts_with("Relay crashes after mark, first"));
    let point = place.expect("the mark").point.clone();
    let seen = cell(&model, "O6", "Relay", "after mark");
    update(
        &mut model,
        Message::OpenDesign {
            design: o6,
            crash: Some(point),
        },
    );
    assert_eq!(
        faults(&model),
        [
            "pause during Shop.commit.1 for 1s",
            "crash after Relay.mark.1 restart 5s"
        ]
    );
    assert_eq!(
        (open_id(&model).as_str(), worth(&model).slug()),
        ("O6", seen.slug),
        "the matrix was right"
    );
    assert!(cell(&model, "O6", "Relay", "after mark").current);
    assert!(marker(&view(&model)).label.contains("pause") && view(&model).timeline.markers[1].selected);
    update(&mut model, Message::Undo);
    assert_eq!((open_id(&model).as_str(), *model.text == *text), ("O1", true));
}

#[test]
fn what_takes_too_long_is_left_open() {
    let mut orders: String = (1..=400).map(|id| format!("({id}), ")).collect();
    orders.truncate(orders.len() - 2);
    let mut model = text(&format!(
        "scenario Long\n  variants O1\n\ndatabase d\n  table outbox (id int primary key, sent boolean not null default false)\n  insert into outbox (id) values {orders}\nbroker b\n  queue q\n\n\
         service R on d\n  every 10s\n    rows = select id from outbox where not sent order by id limit 50\n    for row in rows\n      publish q (id = row.id)\n      \
         update outbox set sent = true where id = :row.id\n\npromise no d.outbox where not sent\n"
    ));
    update(&mut model, Message::SelectTab(Tab::Designs));
    finish(&mut model);
    assert!(
        shown(&model).matrix.more.contains("not shown"),
        "{}",
        shown(&model).matrix.more
    );
    assert!(!shown(&model).more.is_empty());
    let long = row(&model, "Long");
    assert!(
        long.cells
            .iter()
            .all(|cell| cell.slug == "pending" || cell.slug == "absent")
    );
    assert_eq!(long.summary, "not computed");
    assert!(
        row(&model, "O1").cells.iter().any(|cell| cell.slug == "lost"),
        "the others are computed"
    );
}

#[test]
fn the_matrix_is_taken_along_as_a_table() {
    let mut model = compare("O1");
    update(&mut model, Message::CompareSet(0));
    finish(&mut model);
    let effects = update(&mut model, Message::CopyMatrix);
    let [Effect::CopyText(table)] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2 + 5);
    assert!(lines[0].starts_with("| Design | Shop before "), "{}", lines[0]);
    assert!(lines[2].starts_with("| O1 Save, then publish | "), "{}", lines[2]);
    assert!(
        lines[2].contains("| ✗ Lost |") && lines[2].contains("| – not in this design |"),
        "{}",
        lines[2]
    );
    let bars = |line: &str| line.matches('|').count();
    assert!(lines.iter().all(|line| bars(line) == bars(lines[0])), "{table}");
    let effects = update(&mut model, Message::MatrixCopied(true));
    assert_eq!(effects, [Effect::Announce("Table copied".to_owned())]);
    assert!(shown(&model).copied);
}

// --- The link -------------------------------------------------------------------------------------------------------

#[test]
fn a_comparison_has_a_link_that_brings_everything_back() {
    let mut model = compare("O3");
    update(&mut model, Message::CompareSet(0));
    let o6 = design(&model, "O6");
    update(
        &mut model,
        Message::OpenDesign {
            design: o6,
            crash: None,
        },
    );
    let line = line_of(&model, "mark:");
    update(&mut model, Message::Gutter { line });
    let address = address(&update(&mut model, Message::GoToInstant(4)));
    assert!(address.starts_with("2/5/"), "{address}");
    assert!(address.len() < 120, "presets are named: {address}");
    let mut opened = open_at(&format!("#{address}"));
    finish(&mut model);
    finish(&mut opened);
    assert_eq!(opened.text, model.text);
    assert_eq!(shown(&opened), shown(&model));
    assert_eq!(view(&opened).state, view(&model).state);
    assert_eq!(opened.link, model.link);
}

fn line_of(model: &Model, start: &str) -> u32 {
    let mut lines = model.text.lines();
    let index = lines
        .position(|line| line.trim_start().starts_with(start))
        .expect("a line");
    u32::try_from(index + 1).expect("a small number")
}

#[test]
fn the_address_holds_the_comparison_while_it_is_open_and_back_returns() {
    let mut model = preset("O1");
    let before = model.link.clone();
    let effects = update(&mut model, Message::SelectTab(Tab::Designs));
    let [Effect::PushFragment(pushed), ..] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert!(pushed.starts_with("2/6/"), "{pushed}");
    assert_eq!(
        update(&mut model, Message::Share),
        [Effect::CopyLink(pushed.clone()), Effect::GoOnSoon]
    );
    update(&mut model, Message::OpenLink(before.clone()));
    assert_eq!((model.tab, &model.link), (Tab::State, &before));
    update(&mut model, Message::OpenLink(pushed.as_str().into()));
    assert_eq!((model.tab, &*model.link), (Tab::Designs, pushed.as_str()));
    let closed = address(&update(&mut model, Message::SelectTab(Tab::Program)));
    assert_eq!(*closed, *before);
}

#[test]
fn a_link_to_a_comparison_replaces_no_typed_text_unasked() {
    let link = compare("I1").link.clone();
    let mut model = preset("O1");
    let typed = model.text.replace("120", "99");
    update(&mut model, Message::EditText(typed.as_str().into()));
    update(&mut model, Message::OpenLink(link.clone()));
    assert_eq!((&*model.text, model.tab), (&*typed, Tab::State));
    let question = view(&model).notices[0].clone();
    update(&mut model, question.actions[0].message.clone());
    assert_eq!((open_id(&model).as_str(), &model.link), ("I1", &link));
    update(&mut model, Message::Undo);
    assert_eq!(*model.text, *typed);
}

#[test]
fn a_design_that_cannot_be_read_says_so_in_its_column() {
    let text = |id: &str| scenarios::find(id).expect("a preset").text.to_owned();
    let compared = Compared {
        texts: vec![text("O1"), "scenario Broken\nnonsense\n".to_owned(), text("O3")],
        open: 0,
        head: Position::End,
    };
    let link = link::encode_comparison(&compared).expect("a link");
    let mut model = open_at(&link);
    finish(&mut model);
    let broken = column(&model, "Broken");
    assert_eq!(broken.worth, None);
    assert!(broken.sentence.starts_with("line 2: "), "{}", broken.sentence);
    assert!(row(&model, "Broken").cells.iter().all(|cell| !cell.present));
    update(&mut model, Message::OpenDesign { design: 1, crash: None });
    assert!(view(&model).verdict.outdated);
    let Ok(Link::Comparison(again)) = link::read(&model.link) else {
        panic!("{}", model.link)
    };
    assert_eq!(again.texts.len(), 3);
    assert_eq!(*again.texts[again.open], *model.text);
}

#[test]
fn the_curve_of_more_instances_is_steeper() {
    let model = compare("P10");
    let shown = shown(&model);
    let last = |id: &str| {
        let curve = shown.curves.iter().find(|curve| &*curve.id == id).expect("a curve");
        assert_eq!(curve.at.len(), 8, "{id} pays all");
        *curve.at.last().expect("eight")
    };
    assert!(last("P10-four") < last("P10-two") && last("P10-two") < last("P10"));
}
