//! Sets of faults: with shared beginnings and recognised worlds the search finds what running each set by itself finds.

mod support;

use crashpoint::program::{Fault, Kind, Relation, Scenario};
use crashpoint::search::{Answer, FaultKind, Outcome, Question, Search};
use crashpoint::simulation::trace::Ended;
use crashpoint::simulation::{Enough, Explorer, Found, Plan, World, run};
use crashpoint::{language, scenarios, verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const EVENTS_MAX: u32 = 5_000;

fn preset(id: &str) -> Rc<Scenario> {
    Rc::new(language::parse(scenarios::find(id).expect(id).text).expect(id))
}

/// All that is found at an end, without the events it was found in.
fn worth(scenario: &Scenario, world: &World, ended: Ended) -> Vec<String> {
    let findings = verdict::judge(scenario, world, ended);
    let said = findings
        .iter()
        .map(|finding| format!("{:?} {:?}", finding.kind, finding.subject.key));
    said.chain([ended.name().to_owned()]).collect()
}

fn plan(scenario: &Scenario, kinds: &[FaultKind], faults: usize, recognise: bool) -> Plan {
    Plan {
        kinds: kinds.to_vec(),
        faults,
        standing: Vec::new(),
        events_max: EVENTS_MAX,
        compared: crashpoint::search::compared(scenario),
        orders: false,
        reduce: true,
        recognise,
    }
}

fn explored(scenario: &Scenario, kinds: &[FaultKind], faults: usize, recognise: bool) -> Vec<Found<Vec<String>>> {
    let plan = plan(scenario, kinds, faults, recognise);
    let mut explorer = Explorer::new(&scenario.program, plan);
    let mut all = Vec::new();
    let mut judge = |world: &World, ended| worth(scenario, world, ended);
    let mut each = |found: &Found<Vec<String>>| {
        all.push(found.clone());
        Enough::No
    };
    while !explorer.go_on(1_000, &mut judge, &mut each) {}
    all
}

/// Each set is run by itself, from the beginning and to the end.
fn agrees_with_single_runs(id: &str, kinds: &[FaultKind], faults: usize) {
    let scenario = preset(id);
    let shared = explored(&scenario, kinds, faults, false);
    assert!(!shared.is_empty(), "{id}: nothing was tried");
    for found in &shared {
        let trace = run(&scenario.program, &found.faults, EVENTS_MAX);
        assert_eq!(trace.not_reached().count(), 0, "{id}: {:?}", found.faults);
        assert_eq!(
            worth(&scenario, &trace.last, trace.ended),
            found.worth,
            "{id}: {:?}",
            found.faults
        );
    }
    let recognised = explored(&scenario, kinds, faults, true);
    assert_eq!(recognised, shared, "{id}: recognised worlds");
}

#[test]
fn single_faults_of_every_kind_are_those_of_single_runs_in_every_preset() {
    for known in scenarios::all() {
        agrees_with_single_runs(known.id, &FaultKind::ALL, 1);
    }
}

#[test]
fn pairs_of_crashes_are_those_of_single_runs() {
    for id in [
        "O3",
        "O10",
        "O11-skip",
        "I5",
        "I12",
        "I13-fence",
        "P4",
        "P6",
        "P9",
        "P14",
    ] {
        agrees_with_single_runs(id, &[FaultKind::Crash], 2);
    }
}

/// Each preset's own way of making worlds equal: handles, transactions at a broker, consumer groups, timers.
#[test]
fn pairs_of_crashes_are_those_of_single_runs_where_more_than_tables_and_queues_counts() {
    for id in [
        "C11-ok",
        "C58-ok",
        "O14",
        "P9-partitions",
        "I8-keep",
        "masstransit",
        "C62-ok",
    ] {
        agrees_with_single_runs(id, &[FaultKind::Crash], 2);
    }
}

/// What a search has seen of smaller sets spares it runs of larger ones, and changes nothing else.
#[test]
fn larger_sets_know_the_worlds_of_smaller_ones() {
    let scenario = preset("O9");
    let mut explorer = Explorer::new(&scenario.program, plan(&scenario, &[FaultKind::Crash], 0, true));
    let mut judge = |world: &World, ended| worth(&scenario, world, ended);
    let mut found = Vec::new();
    for faults in 0..=2 {
        explorer.begin_anew(faults);
        found.clear();
        let mut each = |one: &Found<Vec<String>>| {
            found.push(one.clone());
            Enough::No
        };
        while !explorer.go_on(1_000, &mut judge, &mut each) {}
    }
    let mut alone = Explorer::new(&scenario.program, plan(&scenario, &[FaultKind::Crash], 2, true));
    while !alone.go_on(1_000, &mut judge, &mut |_| Enough::No) {}
    assert!(explorer.counts().runs < alone.counts().runs);
    assert_eq!(found, explored(&scenario, &[FaultKind::Crash], 2, false));
}

#[test]
fn pairs_of_crashes_are_the_same_with_recognised_worlds_in_every_preset() {
    for known in scenarios::all() {
        let scenario = preset(known.id);
        let each_run = explored(&scenario, &[FaultKind::Crash], 2, false);
        let recognised = explored(&scenario, &[FaultKind::Crash], 2, true);
        assert_eq!(recognised, each_run, "{}", known.id);
    }
}

#[test]
fn pairs_of_every_kind_are_those_of_single_runs() {
    for id in ["O1", "O6", "P6"] {
        agrees_with_single_runs(id, &FaultKind::ALL, 2);
    }
}

fn question(kinds: &[FaultKind], faults_max: usize) -> Question {
    Question {
        kinds: kinds.to_vec(),
        faults_max,
        standing: Vec::new(),
        orders: false,
        events_max: EVENTS_MAX,
        whole: false,
    }
}

fn asked(scenario: &Rc<Scenario>, question: Question) -> (Answer, Vec<Outcome>) {
    let mut search = Search::new(scenario.clone(), question);
    let mut tried = Vec::new();
    loop {
        if let Some(answer) = search.go_on(500, &mut |outcome| tried.push(outcome.clone())) {
            return (answer, tried);
        }
    }
}

/// Survives every single crash; a message that is delivered twice at most is gone when both deliveries end in one.
const TWO: &str = "\
scenario TWO
database shop
  table done (id int primary key)
broker rabbit
  queue a attempts 2 dead grave
  queue grave

service Sender
  at 0s publish a (id = 1)

service Worker on shop
  receive a as m
    insert into done (id) values (:m.id) on conflict do nothing
    ack m

promise one shop.done for each rabbit.a matching effect.id = cause.id
promise no rabbit.grave
";

#[test]
fn the_smallest_set_has_two_crashes_where_the_second_delivery_is_the_last() {
    let scenario = Rc::new(support::read(TWO));
    let (answer, tried) = asked(&scenario, question(&[FaultKind::Crash], 3));
    let Answer::Broken(outcome) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(outcome.faults.len(), 2, "{:?}", outcome.faults);
    assert!(
        matches!(outcome.kind(), Some(Kind::Lost | Kind::DeadLettered)),
        "{outcome:?}"
    );
    // Every single crash was tried before, and is harmless.
    let singles: Vec<&Outcome> = tried.iter().filter(|outcome| outcome.faults.len() == 1).collect();
    assert_eq!(singles.len(), explored(&scenario, &[FaultKind::Crash], 1, false).len());
    assert!(singles.iter().all(|outcome| outcome.gravest.is_none()));
    // Replayed, it breaks; each part of it does not.
    let breaks = |faults: &[Fault]| {
        let trace = run(&scenario.program, faults, EVENTS_MAX);
        !verdict::judge(&scenario, &trace.last, trace.ended).is_empty()
    };
    assert!(breaks(&outcome.faults));
    assert!(!breaks(&outcome.faults[..1]) && !breaks(&outcome.faults[1..]));
}

#[test]
fn a_design_that_breaks_by_itself_needs_no_fault() {
    let (answer, tried) = asked(&preset("P5"), question(&[FaultKind::Crash], 2));
    let Answer::Broken(outcome) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!((outcome.faults.len(), outcome.kind()), (0, Some(Kind::Duplicate)));
    assert_eq!(tried.len(), 1);
}

#[test]
fn nothing_is_claimed_beyond_what_was_tried() {
    // The whole way with outbox and inbox, whoever dies, however often.
    let (answer, tried) = asked(&preset("I15"), question(&[FaultKind::Crash], 2));
    assert_eq!(answer, Answer::None { up_to: 2 });
    let pairs = tried.iter().filter(|outcome| outcome.faults.len() == 2).count();
    assert_eq!(pairs, explored(&preset("I15"), &[FaultKind::Crash], 2, false).len());
    assert!(pairs > 50, "{pairs}");
}

#[test]
fn there_may_be_more_orders_than_can_be_counted() {
    let question = Question {
        orders: true,
        ..question(&[FaultKind::Crash], 1)
    };
    // Two pollers of one rhythm for four minutes: 64 bits do not hold the number of orders.
    let mut search = Search::new(preset("I13-fence"), question);
    let answer = loop {
        if let Some(answer) = search.go_on(10_000, &mut |_| {}) {
            break answer;
        }
    };
    assert_eq!(answer, Answer::None { up_to: 1 });
    let progress = search.progress();
    assert_eq!(progress.sets, progress.runs + progress.recognised);
    assert!(
        progress.sets < 10_000,
        "only what was followed is counted: {progress:?}"
    );
}

#[test]
fn a_search_can_be_stopped_anywhere_and_gone_on_with() {
    let all = |work: u64| {
        let mut search = Search::new(
            preset("O10"),
            Question {
                whole: true,
                ..question(&[FaultKind::Crash, FaultKind::LoseReply], 2)
            },
        );
        let mut tried = Vec::new();
        let answer = loop {
            if let Some(answer) = search.go_on(work, &mut |outcome| tried.push(outcome.clone())) {
                break answer;
            }
        };
        let progress = search.progress();
        assert_eq!(progress.sets as usize, tried.len());
        assert_eq!((progress.faults, progress.done), (2, progress.of));
        (answer, tried)
    };
    assert_eq!(all(1), all(u64::MAX));
}

/// What every order of simultaneous entries brings, by the set of faults.
fn in_every_order(
    scenario: &Scenario,
    faults: usize,
    cleverly: bool,
) -> (BTreeMap<String, BTreeSet<Vec<String>>>, u64) {
    let all = |database: u16| {
        (0..)
            .take(scenario.program.databases[usize::from(database)].tables.len())
            .map(move |table| Relation::Table { database, table })
    };
    let tables = (0..).take(scenario.program.databases.len()).flat_map(all);
    let queues = (0..).take(scenario.program.queues.len()).map(Relation::Queue);
    let outsides = (0..).take(scenario.program.outsides.len()).map(Relation::Outside);
    let plan = Plan {
        kinds: vec![FaultKind::Crash],
        faults,
        standing: Vec::new(),
        events_max: EVENTS_MAX,
        compared: vec![tables.chain(queues).chain(outsides).collect()],
        orders: true,
        reduce: cleverly,
        recognise: cleverly,
    };
    let mut explorer = Explorer::new(&scenario.program, plan);
    let mut all: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
    let mut judge = |world: &World, ended| worth(scenario, world, ended);
    let mut each = |found: &Found<Vec<String>>| {
        let faults = format!("{:?}", found.faults);
        all.entry(faults).or_default().insert(found.worth.clone());
        Enough::No
    };
    while !explorer.go_on(u64::MAX, &mut judge, &mut each) {}
    let runs = explorer.counts().runs;
    (all, runs)
}

/// Two workers that see the same row, and a sender on another database: three processes in lock step.
const RACE: &str = "\
scenario RACE
database a
  table jobs (id int primary key, done boolean not null default false)
  insert into jobs (id) values (1)
database b
  table notes (id int primary key)
broker rabbit
  queue q lease 30s

service Worker x2 on a
  at 0s
    rows = select id from jobs where not done
    for row in rows
      n = update jobs set done = true where id = :row.id and not done
      if n = 1 publish q (id = row.id)

service Other on b
  at 0s
    insert into notes (id) values (1)
    delete from notes where id = 1
    publish q (id = 2)

promise rabbit.q in order of id
promise at most 1 b.notes
";

#[test]
fn orders_that_cannot_matter_and_known_worlds_are_passed_over_without_loss() {
    let scenario = support::read(RACE);
    for faults in 0..=1 {
        let (naive, naive_runs) = in_every_order(&scenario, faults, false);
        let (clever, runs) = in_every_order(&scenario, faults, true);
        assert!(runs < naive_runs / 2, "{runs} of {naive_runs}");
        assert_eq!(clever, naive, "{faults} faults");
    }
    // The order of two messages that were sent at one instant is open.
    let (without, _) = in_every_order(&scenario, 0, true);
    assert!(without.values().all(|worths| worths.len() > 1), "{without:?}");
}
