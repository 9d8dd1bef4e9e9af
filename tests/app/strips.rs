//! The strips for every sort of fault: what they show, count and put; what is open is never guessed.

use super::*;
use crashpoint::app::model::MarkerKind;
use crashpoint::app::strikes::Strikes;

/// The choice of that value, as the page offers it.
fn strikes(model: &mut Model, value: &str) {
    let shown = view(model);
    let mut choices = shown.timeline.strikes.choices.iter();
    let choice = choices
        .find(|choice| choice.value == value)
        .expect("a choice of that value");
    let strikes = choice.strikes.clone();
    update(model, Message::SetStrikes(strikes));
    let shown = view(model);
    let chosen = shown.timeline.strikes.choices.iter().find(|choice| choice.chosen);
    assert_eq!(chosen.map(|choice| choice.value.as_str()), Some(value));
}

fn count(model: &Model) -> String {
    view(model).timeline.strikes.count.clone()
}

/// Goes on until nothing is left to be computed.
fn finish(model: &mut Model) {
    for _ in 0..100_000 {
        let effects = update(model, Message::GoOn);
        if !effects.contains(&Effect::GoOnSoon) {
            return;
        }
    }
    panic!("it never ends");
}

/// One order, published before it is saved; the consumer works on what comes.
const PUBLISH_FIRST: &str = "\
scenario T
  title en \"Publish first\"

database shop
  table orders (id int primary key)
broker rabbit
  queue events lease 30s

service Shop on shop
  at 0s
    begin
    insert into orders (id) values (1)
    publish events (id = 1)
    commit

service Warehouse
  receive events as m
    ack m

promise one rabbit.events for each shop.orders matching effect.id = cause.id
";

#[test]
fn every_sort_of_fault_is_offered_with_each_party() {
    let model = text(PUBLISH_FIRST);
    let shown = view(&model);
    let values: Vec<&str> = shown
        .timeline
        .strikes
        .choices
        .iter()
        .map(|choice| choice.value.as_str())
        .collect();
    let expected = [
        "crash",
        "crash-during",
        "pause",
        "lose-request",
        "lose-reply",
        "refuse",
        "delay",
        "down shop",
        "down rabbit",
        "cut shop",
        "cut rabbit",
    ];
    assert_eq!(values, expected);
}

#[test]
fn one_line_counts_over_all_lanes() {
    let mut model = text(PUBLISH_FIRST);
    // Before begin and after each of the four steps; before the ack and after it. A crash before the commit is known leaves a
    // message without an order: after publish. All else is repeated by nobody, or is as it should be.
    assert!(
        count(&model).starts_with("6 of 7 crash points are harmless, 1 invents "),
        "{}",
        count(&model)
    );
    update(&mut model, Message::SetLanguage(Language::De));
    assert!(
        count(&model).starts_with("6 von 7 Absturzstellen sind harmlos"),
        "{}",
        count(&model)
    );
}

#[test]
fn a_lost_commit_is_shown_at_the_commit() {
    let mut model = text(PUBLISH_FIRST);
    strikes(&mut model, "lose-request");
    let shown = view(&model);
    let shop = strip(&shown, "Shop");
    // begin, insert, publish, commit: without its commit the message has no order.
    let healthy = Some(Worth::Healthy);
    let phantom = Some(Worth::Finding(Kind::Phantom));
    assert_eq!(worths(shop), [healthy, healthy, healthy, phantom]);
    let place = lane(&shown, "Shop").0;
    update(&mut model, Message::PutMarker { lane: place, stop: 3 });
    assert_eq!(faults(&model), ["lose request Shop.commit.1"]);
    assert_eq!(worth(&model), Worth::Finding(Kind::Phantom));
}

/// Another line's crash stands at the place of this one: who is dead there already has nothing left to be struck.
fn dies_there(faults: &[String], of: usize) -> bool {
    let place = |line: &str| line.split(' ').skip(1).take(2).map(str::to_owned).collect::<Vec<_>>();
    let crashes = faults
        .iter()
        .enumerate()
        .filter(|(index, line)| *index != of && line.starts_with("crash "));
    let mut places = crashes.map(|(_, line)| place(line));
    places.any(|other| faults[of].contains(&other.join(" ")))
}

#[test]
fn every_cell_of_every_sort_says_what_the_fault_there_brings() {
    for id in ["O1", "O3"] {
        for value in view(&preset(id))
            .timeline
            .strikes
            .choices
            .iter()
            .map(|choice| choice.value.clone())
        {
            let mut model = preset(id);
            strikes(&mut model, &value);
            finish(&mut model);
            let shown = view(&model);
            for (index, lane) in shown.timeline.lanes.iter().enumerate() {
                let Some(strip) = &lane.strip else { continue };
                for cell in strip.cells.iter() {
                    let mut tried = model.clone();
                    update(
                        &mut tried,
                        Message::PutMarker {
                            lane: index,
                            stop: cell.stop,
                        },
                    );
                    let put = tried.selected.expect("what was put is selected");
                    let reached = tried.played.run.trace.struck[put].is_some();
                    let expected = reached.then(|| worth(&tried));
                    assert_eq!(cell.worth, expected, "{id}, {value}, {}", cell.title);
                    assert_eq!(cell.slug == "unreached", !reached, "{id}, {value}, {}", cell.title);
                    assert!(
                        reached || dies_there(&faults(&tried), put),
                        "{id}, {value}, {}: {:?}",
                        cell.title,
                        faults(&tried)
                    );
                }
            }
        }
    }
}

#[test]
fn where_another_fault_comes_first_a_cell_says_so_and_is_not_counted() {
    // The process is dead in the gap after its commit: nobody is left there to be paused.
    let mut model = open_at("");
    assert_eq!(faults(&model), ["crash after Shop.commit.1 restart 5s"]);
    strikes(&mut model, "pause");
    let shown = view(&model);
    let shop = strip(&shown, "Shop");
    let unreached: Vec<&str> = shop
        .cells
        .iter()
        .filter(|cell| cell.slug == "unreached")
        .map(|cell| cell.title.as_str())
        .collect();
    assert_eq!(unreached.len(), 1, "{unreached:?}");
    assert!(
        unreached[0].starts_with("Shop freezes after commit, first time") && unreached[0].contains(": never reached"),
        "{unreached:?}"
    );
    assert!(count(&model).ends_with(" 1 is never reached."), "{}", count(&model));
}

#[test]
fn a_selected_marker_makes_the_strips_speak_of_its_sort() {
    let mut model = open_at("");
    update(
        &mut model,
        Message::SetKind {
            marker: 0,
            kind: MarkerKind::LoseReply,
        },
    );
    assert_eq!(faults(&model), ["lose reply Shop.commit.1"]);
    let shown = view(&model);
    assert_eq!(strip(&shown, "Shop").marker, Some(0), "its own strip moves it");
    assert!(
        shown
            .timeline
            .strikes
            .choices
            .iter()
            .any(|choice| choice.chosen && choice.value == "lose-reply")
    );
    strikes(&mut model, "crash");
    assert_eq!(strip(&view(&model), "Shop").marker, None, "a crash would be one more");
    assert_eq!(model.selected, None);
    update(&mut model, Message::SelectMarker(Some(0)));
    assert_eq!(strip(&view(&model), "Shop").marker, Some(0));
    update(&mut model, Message::OpenPreset("O3".into()));
    assert_eq!(model.strikes, Strikes::CRASH, "another scenario begins with crashes");
}

/// Finds its work by asking.
const POLLER: &str = "\
scenario P

database shop
  table jobs (id int primary key, done boolean not null default false)
  insert into jobs (id) values (1)

service Worker on shop
  every 1s
    jobs = select id from jobs where not done
    for job in jobs
      update jobs set done = true where id = :job.id

promise no shop.jobs where not done
";

#[test]
fn what_counts_from_its_first_row_loses_its_reply_and_nothing_else() {
    let mut model = text(POLLER);
    let stops = |model: &Model| -> Vec<String> {
        strip(&view(model), "Worker")
            .cells
            .iter()
            .map(|cell| cell.title.clone())
            .collect()
    };
    for value in ["crash-during", "lose-request", "refuse", "delay"] {
        strikes(&mut model, value);
        let own = stops(&model);
        assert_eq!(own.len(), 1, "{value}: {own:?}");
        assert!(own[0].contains("update-jobs"), "{value}: {own:?}");
    }
    strikes(&mut model, "lose-reply");
    assert_eq!(stops(&model).len(), 2, "{:?}", stops(&model));
    let worker = lane(&view(&model), "Worker").0;
    update(&mut model, Message::PutMarker { lane: worker, stop: 0 });
    assert_eq!(faults(&model), ["lose reply Worker.select-jobs.1"]);
    update(
        &mut model,
        Message::Show(Some(crashpoint::app::model::Overlay::Menu(0))),
    );
    let menu = view(&model).menu.clone().expect("the menu");
    let offered: Vec<&str> = menu.groups[0]
        .entries
        .iter()
        .map(|entry| entry.label.as_str())
        .collect();
    assert_eq!(
        offered,
        ["crash", "pause", "lose the reply", "other side down", "connection cut"]
    );
}

/// So many orders that not every gap can be tried at once.
fn many(orders: usize) -> String {
    PUBLISH_FIRST
        .replace(
            "at 0s\n",
            &format!("memory n = 0\n  at 0s times {orders} every 1s\n    n = n + 1\n"),
        )
        .replace("values (1)", "values (:n)")
        .replace("id = 1)", "id = n)")
}

#[test]
fn what_does_not_fit_at_once_is_open_and_fills_up_while_the_page_answers() {
    let mut model = open_at("");
    let effects = update(&mut model, Message::EditText(many(120).as_str().into()));
    assert!(effects.contains(&Effect::GoOnSoon), "more is to be done");
    let open = |model: &Model| {
        let shown = view(model);
        let cells = worths(strip(&shown, "Shop"));
        cells.iter().filter(|worth| worth.is_none()).count()
    };
    let at_first = open(&model);
    assert!(at_first > 0);
    assert!(count(&model).contains("are still being computed"), "{}", count(&model));
    update(&mut model, Message::GoOn);
    assert!(open(&model) <= at_first);
    finish(&mut model);
    assert_eq!(open(&model), 0);
    // Seven gaps for each of 120 orders; a crash after a publish leaves a message without its order, or brings it a second time.
    assert!(
        count(&model).starts_with("720 of 840 crash points are harmless"),
        "{}",
        count(&model)
    );
}

#[test]
fn an_edit_leaves_no_cell_of_the_text_before() {
    let mut model = open_at("");
    update(&mut model, Message::EditText(many(120).as_str().into()));
    update(&mut model, Message::GoOn);
    // The same steps in another order: save first, then send. Now a crash after the commit loses the order.
    let safe = many(120).replace(
        "    publish events (id = n)\n    commit\n",
        "    commit\n    publish events (id = n)\n",
    );
    update(&mut model, Message::EditText(safe.as_str().into()));
    let shown = view(&model);
    let known = worths(strip(&shown, "Shop")).into_iter().flatten();
    assert!(known.into_iter().all(|worth| worth != Worth::Finding(Kind::Phantom)));
    finish(&mut model);
    assert!(
        count(&model).ends_with(" harmless, 120 lose something."),
        "{}",
        count(&model)
    );
}
