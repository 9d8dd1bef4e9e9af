//! The search and the map of pairs: what is asked, what comes in, what goes onto the timeline, and what an edit ends.

use super::*;
use crashpoint::app::finder::report::{Ask, News};
use crashpoint::app::finder::seeker::Seeker;
use crashpoint::app::finder::{Find, Order};
use crashpoint::app::model::Tab;
use crashpoint::app::view::Finder;
use crashpoint::app::view_searching;
use crashpoint::search::FaultKind;

fn find(model: &mut Model, find: Find) -> Vec<Effect> {
    update(model, Message::Find(find))
}

fn shown(model: &Model) -> Finder {
    (*view(model).finder).clone()
}

/// The order to begin that is among the effects.
fn begun(effects: &[Effect]) -> (u32, Ask) {
    let order = effects.iter().find_map(|effect| match effect {
        Effect::Seek(Order::Begin { round, ask }) => Some((*round, ask.clone())),
        _ => None,
    });
    order.expect("a search begins")
}

/// What the one who searches would say to the end, by way of what a worker is sent.
fn all_news(ask: &Ask) -> Vec<News> {
    news_in_slices(ask, 20_000)
}

fn news_in_slices(ask: &Ask, work: u64) -> Vec<News> {
    let ask = Ask::unpack(&ask.pack()).expect("what was packed");
    let mut seeker = Seeker::begin(&ask).expect("a text without errors");
    let mut news = Vec::new();
    loop {
        let next = seeker.go_on(work);
        news.push(News::unpack(&next.pack()).expect("what was packed"));
        if next.answer.is_some() {
            return news;
        }
    }
}

/// Begins and hears everything.
fn run_to_the_end(model: &mut Model, beginning: Find) {
    update(model, Message::SelectTab(Tab::Finder));
    let (round, ask) = begun(&find(model, beginning));
    for news in all_news(&ask) {
        find(model, Find::Heard { round, news });
    }
    assert!(!shown(model).going);
}

#[test]
fn who_searches_is_told_when_its_news_are_shown_and_they_change_nothing_else() {
    let mut model = preset("O10");
    update(&mut model, Message::SelectTab(Tab::Finder));
    let (round, ask) = begun(&find(&mut model, Find::Map));
    let all = news_in_slices(&ask, 1_000);
    assert!(all.len() > 1, "it takes several slices");
    let last = all.len() - 1;
    for (index, news) in all.into_iter().enumerate() {
        let before = view(&model);
        let other = Find::Heard {
            round: round + 1,
            news: news.clone(),
        };
        assert_eq!(find(&mut model, other), [], "of another search");
        let effects = find(&mut model, Find::Heard { round, news });
        let told = |order| effects.contains(&Effect::Seek(order));
        assert_eq!((told(Order::Shown), told(Order::End)), (index < last, index == last));
        assert_eq!(view_searching(&model, &before), view(&model));
    }
}

fn only(model: &mut Model, kinds: &[FaultKind]) {
    for kind in FaultKind::ALL {
        find(model, Find::Kind(kind, kinds.contains(&kind)));
    }
}

#[test]
fn one_crash_loses_the_order_that_is_saved_first() {
    let mut model = preset("O1");
    only(&mut model, &[FaultKind::Crash]);
    run_to_the_end(&mut model, Find::Begin);
    let said = shown(&model).answer;
    assert_eq!(
        said,
        "This one alone: Shop crashes after commit, first time. Lost. Order 1001 is saved and paid; nothing will ever be shipped."
    );
    assert!(shown(&model).can_show);
}

#[test]
fn what_was_found_goes_onto_the_timeline_in_one_step_and_stays_of_this_text() {
    let mut model = preset("O1");
    update(&mut model, Message::RemoveMarker(0));
    let before = model.text.clone();
    only(&mut model, &[FaultKind::Crash]);
    run_to_the_end(&mut model, Find::Begin);
    find(&mut model, Find::Show);
    assert_eq!(faults(&model), ["crash after Shop.commit.1 restart 5s"]);
    assert_eq!(worth(&model), LOST);
    assert!(!shown(&model).of_earlier, "crashes are no part of what was searched");
    update(&mut model, Message::Undo);
    assert_eq!(model.text, before);
}

/// What the first process does not get to, a second one makes good: it takes two crashes to lose the order.
const TWO_TRIES: &str = "\
scenario T

database shop
  table orders (id int primary key)
broker rabbit
  queue events

service First on shop
  at 0s
    insert into orders (id) values (1)
    publish events (id = 1)
service Second on shop
  at 10s
    rows = select id from orders
    for row in rows
      publish events (id = row.id)

promise at least one rabbit.events for each shop.orders matching effect.id = cause.id
";

#[test]
fn two_faults_are_found_where_no_single_one_does_harm() {
    let mut model = text(TWO_TRIES);
    only(&mut model, &[FaultKind::Crash]);
    run_to_the_end(&mut model, Find::Begin);
    let said = shown(&model).answer;
    assert!(said.starts_with("These two, and no single one does: First crashes after insert-orders, first time; Second crashes before select-orders"), "{said}");
    find(&mut model, Find::Show);
    assert_eq!(faults(&model).len(), 2);
    assert_eq!(worth(&model), LOST);
    find(&mut model, Find::UpTo(1));
    run_to_the_end(&mut model, Find::Begin);
    let said = shown(&model).answer;
    assert!(said.starts_with("None with a single fault of these kinds: "), "{said}");
}

#[test]
fn the_map_has_a_cell_for_every_pair_and_puts_both() {
    let mut model = text(TWO_TRIES);
    only(&mut model, &[FaultKind::Crash]);
    run_to_the_end(&mut model, Find::Map);
    let map = shown(&model).map.expect("a map");
    // First: before and after insert, after publish; Second: before and after select, after publish.
    assert_eq!(map.size, 6);
    let cells: usize = map.groups.iter().map(|group| group.count).sum();
    assert_eq!(cells, 21, "a triangle of six with its edge");
    let of = |slug: &str| {
        let group = map.groups.iter().find(|group| group.slug == slug)?;
        let stretches = group.stretches.iter();
        let cells = stretches.flat_map(|stretch| stretch.columns.clone().map(|column| (stretch.row, column)));
        let cells: Vec<(usize, usize)> = cells.collect();
        assert_eq!(cells.len(), group.count);
        Some(cells)
    };
    let lost = vec![(3, 1), (4, 1)];
    assert_eq!(of("lost"), Some(lost), "saved and not sent, and never sent again");
    assert_eq!(of("pending"), None);
    // A process that is started again does not get its request again: what comes after is not reached, three pairs of each
    // process. And what was never saved is never published.
    assert_eq!(of("impossible").map(|cells| cells.len()), Some(7));
    find(&mut model, Find::Look(3, 1));
    let sentence = shown(&model).map.expect("a map").sentence.clone();
    assert!(
        sentence.contains("First crashes after insert-orders") && sentence.contains("Lost."),
        "{sentence}"
    );
    let past = model.text.clone();
    find(&mut model, Find::Put(3, 1));
    assert_eq!((faults(&model).len(), worth(&model)), (2, LOST));
    assert!(!shown(&model).of_earlier);
    find(&mut model, Find::Put(2, 2));
    assert_eq!(
        faults(&model),
        ["crash after First.publish-events.1 restart 5s"],
        "another pair takes the place of the first"
    );
    update(&mut model, Message::Undo);
    update(&mut model, Message::Undo);
    assert_eq!(model.text, past);
}

#[test]
fn faults_of_other_kinds_that_were_put_there_are_no_part_of_the_text_that_was_searched() {
    let mut model = preset("O1");
    update(&mut model, Message::RemoveMarker(0));
    only(&mut model, &[FaultKind::LoseRequest]);
    run_to_the_end(&mut model, Find::Map);
    find(&mut model, Find::Put(0, 1));
    assert_eq!(faults(&model).len(), 2, "{:?}", faults(&model));
    assert!(!shown(&model).of_earlier);
    update(&mut model, Message::RemoveMarker(0));
    assert!(!shown(&model).of_earlier, "taking one away again changes nothing");
}

#[test]
fn cells_are_pending_until_they_are_heard_of() {
    let mut model = text(TWO_TRIES);
    update(&mut model, Message::SelectTab(Tab::Finder));
    let (round, ask) = begun(&find(&mut model, Find::Map));
    let mut seeker = Seeker::begin(&ask).expect("a text without errors");
    let map = loop {
        let news = seeker.go_on(20);
        assert!(news.answer.is_none(), "not at the end yet");
        find(&mut model, Find::Heard { round, news });
        match shown(&model).map {
            Some(map) if map.size > 1 => break map,
            _ => {}
        }
    };
    assert!(map.groups.iter().any(|group| group.slug == "pending"));
    assert!(
        map.groups.iter().all(|group| group.slug != "impossible"),
        "nothing is claimed before the end"
    );
}

#[test]
fn another_rounds_news_are_not_heard() {
    let mut model = text(TWO_TRIES);
    update(&mut model, Message::SelectTab(Tab::Finder));
    let (old, ask) = begun(&find(&mut model, Find::Begin));
    let news = all_news(&ask);
    find(&mut model, Find::Cancel);
    let (round, _) = begun(&find(&mut model, Find::Begin));
    assert_ne!(round, old);
    for news in news {
        find(&mut model, Find::Heard { round: old, news });
    }
    assert!(shown(&model).going && shown(&model).answer.is_empty());
    find(
        &mut model,
        Find::Failed {
            round: old,
            why: "gone".to_owned(),
        },
    );
    assert!(shown(&model).going);
    find(
        &mut model,
        Find::Failed {
            round,
            why: "no workers here".to_owned(),
        },
    );
    assert!(
        shown(&model).stage.contains("no workers here"),
        "{}",
        shown(&model).stage
    );
}

#[test]
fn an_edit_ends_a_search_and_says_so_while_a_drag_does_not() {
    let mut model = preset("O1");
    update(&mut model, Message::SelectTab(Tab::Finder));
    begun(&find(&mut model, Find::Begin));
    update(&mut model, Message::DragStart(0));
    let effects = update(&mut model, Message::DragTo(1));
    assert!(!effects.contains(&Effect::Seek(Order::End)));
    update(&mut model, Message::DragEnd);
    assert!(shown(&model).going, "a crash that moved is no part of what is searched");
    let edited = model.text.replace("1001", "1002");
    let effects = update(&mut model, Message::EditText(edited.as_str().into()));
    assert!(effects.contains(&Effect::Seek(Order::End)));
    assert!(!shown(&model).going && shown(&model).of_earlier);
    assert_eq!(shown(&model).stage, "The search was ended: the text was changed.");
}

#[test]
fn an_answer_of_an_earlier_text_is_marked_until_that_text_is_back() {
    let mut model = preset("O1");
    only(&mut model, &[FaultKind::Crash]);
    run_to_the_end(&mut model, Find::Begin);
    let edited = model.text.replace("1001", "1002");
    update(&mut model, Message::EditText(edited.as_str().into()));
    assert!(shown(&model).of_earlier);
    update(&mut model, Message::Undo);
    assert!(!shown(&model).of_earlier);
}

#[test]
fn pause_and_go_on_are_passed_on_once() {
    let mut model = preset("O1");
    update(&mut model, Message::SelectTab(Tab::Finder));
    assert_eq!(find(&mut model, Find::Pause), [], "nothing goes on");
    begun(&find(&mut model, Find::Begin));
    assert_eq!(find(&mut model, Find::Pause), [Effect::Seek(Order::Pause)]);
    assert_eq!(find(&mut model, Find::Pause), []);
    assert!(shown(&model).paused);
    assert_eq!(find(&mut model, Find::GoOn), [Effect::Seek(Order::GoOn)]);
    assert_eq!(find(&mut model, Find::Cancel), [Effect::Seek(Order::End)]);
    assert_eq!(find(&mut model, Find::GoOn), []);
}

#[test]
fn nothing_can_be_searched_without_kinds_or_with_errors() {
    let mut model = preset("O1");
    update(&mut model, Message::SelectTab(Tab::Finder));
    only(&mut model, &[]);
    assert!(shown(&model).locked);
    assert_eq!(find(&mut model, Find::Begin), []);
    only(&mut model, &[FaultKind::Pause]);
    update(&mut model, Message::EditText("not a scenario".into()));
    assert!(shown(&model).locked);
    assert_eq!(find(&mut model, Find::Map), []);
    assert_eq!(view(&model).notices.len(), 1);
}

#[test]
fn what_never_ends_is_stopped_by_its_budget() {
    // It is given back again and again, and each time a crash can fall before and after.
    let poison = "scenario F\n\nbroker b\n  queue q\n\nservice S\n  at 0s publish q (id = 1)\n\n\
                  service R\n  receive q as m\n    nack m\n\npromise no b.q\n";
    let mut model = text(poison);
    run_to_the_end(&mut model, Find::Map);
    let said = shown(&model).answer;
    assert!(
        said.starts_with("Stopped: the work that a search may do is used up."),
        "{said}"
    );
    assert!(said.contains("it is not known: "), "{said}");
}
