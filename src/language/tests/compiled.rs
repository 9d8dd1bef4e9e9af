//! Control flow: blocks, loops, handlers and `on` lines as jumps.

use super::{good, in_service, service};
use crate::expression::{ErrorClass, Expr, Operator};
use crate::program::{Handler, Instruction, Kind, Place, Request, Service};
use crate::value::Value;

/// The block's instructions in short: one word each, jumps with their target counted from the block's start.
fn flow(block: &str) -> String {
    let service = service(&in_service(block));
    let entry = service.triggers.last().expect("a trigger").entry;
    let shown = service
        .code
        .iter()
        .skip(entry as usize)
        .map(|instruction| word(instruction, entry, &service));
    shown.collect::<Vec<_>>().join(" ")
}

fn word(instruction: &Instruction, entry: u32, service: &Service) -> String {
    match instruction {
        Instruction::Step { step, .. } | Instruction::Keep { step, .. } => {
            service.steps[usize::from(*step)].to_string()
        }
        Instruction::Set { .. } => "set".to_owned(),
        Instruction::Append { .. } => "append".to_owned(),
        Instruction::Unless { otherwise, .. } => format!("unless>{}", otherwise - entry),
        Instruction::Jump(target) => format!("jump>{}", target - entry),
        Instruction::ForStart { .. } => "for".to_owned(),
        Instruction::ForNext { end, .. } => format!("next>{}", end - entry),
        Instruction::Pause { .. } => "pause".to_owned(),
        Instruction::Done => "done".to_owned(),
        Instruction::Fail { .. } => "fail".to_owned(),
        Instruction::Return { .. } => "return".to_owned(),
        Instruction::Exit { .. } => "exit".to_owned(),
    }
}

/// Handler ranges of the block, counted from its start.
fn handlers(block: &str) -> Vec<(u32, u32, Vec<ErrorClass>, u32)> {
    let service = service(&in_service(block));
    let entry = service.triggers.last().expect("a trigger").entry;
    let own = |handler: Handler| {
        (
            handler.from - entry,
            handler.to - entry,
            handler.classes,
            handler.pc - entry,
        )
    };
    service.handlers.into_iter().map(own).collect()
}

#[test]
fn if_and_else() {
    assert_eq!(flow("if count > 1 fail\nsleep 1s"), "unless>2 fail sleep done");
    assert_eq!(
        flow("if count > 1\n  fail\nelse\n  sleep 1s"),
        "unless>3 fail jump>4 sleep done"
    );
    assert_eq!(
        flow("if count > 1 fail\nelse if count > 0 sleep 1s\nelse exit"),
        "unless>3 fail jump>7 unless>6 sleep jump>7 exit done"
    );
}

#[test]
fn loops() {
    assert_eq!(
        flow("for x in batch\n  if x = 1 break\n  sleep 1s"),
        "for next>6 unless>4 jump>6 sleep jump>1 done"
    );
    assert_eq!(flow("repeat sleep 1s"), "sleep jump>0 done");
    assert_eq!(flow("repeat every 5s\n  break"), "set pause jump>4 jump>1 done");
    assert_eq!(flow("repeat 3 times sleep 1s"), "set unless>5 set sleep jump>1 done");
    assert_eq!(
        flow("repeat count times every 5s\n  sleep 1s"),
        "set set unless>7 set pause sleep jump>2 done"
    );
    assert_eq!(
        flow("for x in batch\n  for y in batch break\n  break"),
        "for next>8 for next>6 jump>6 jump>3 jump>8 jump>1 done"
    );
}

#[test]
fn the_first_round_of_a_repeat_does_not_wait() {
    let service = service(&in_service("repeat every 5s\n  break"));
    let entry = service.triggers.last().expect("a trigger").entry as usize;
    let (Instruction::Set { place, value, .. }, Instruction::Pause { since, .. }) =
        (&service.code[entry], &service.code[entry + 1])
    else {
        panic!("{:?}", service.code)
    };
    assert_eq!(*place, Place::Local(*since));
    assert!(
        matches!(value, Expr::Binary(Operator::Subtract, _, wait) if **wait == Expr::Literal(Value::Interval(5_000)))
    );
}

#[test]
fn on_lines_cover_their_statement() {
    let block = "sleep 1s\ncommit\non duplicate, deadlock\n  fail\non error done\nsleep 2s";
    assert_eq!(flow(block), "sleep commit jump>7 fail jump>7 done jump>7 sleep done");
    use ErrorClass::*;
    assert_eq!(
        handlers(block),
        [(1, 2, vec![Duplicate, Deadlock], 3), (1, 2, vec![Error], 5)]
    );
}

#[test]
fn inner_handlers_come_first() {
    let block = "try\n  sleep 1s\n  on timeout fail\n  sleep 2s\non error done";
    assert_eq!(flow(block), "sleep jump>4 fail jump>4 sleep jump>8 done jump>8 done");
    use ErrorClass::*;
    assert_eq!(handlers(block), [(0, 1, vec![Timeout], 2), (0, 5, vec![Error], 6)]);
}

#[test]
fn on_lines_below_a_one_line_if_belong_to_its_statement() {
    let block = "if count > 1 sleep 1s\non timeout fail\nelse exit";
    assert_eq!(flow(block), "unless>6 sleep jump>5 fail jump>5 jump>7 exit done");
    assert_eq!(handlers(block), [(1, 2, vec![ErrorClass::Timeout], 3)]);
}

#[test]
fn handlers_of_the_same_service_are_copied_in() {
    let base = super::WORLD.replace(
        "handle place(id, total) return id",
        "handle place(id, total)\n    if id > 1 return 5\n    sleep 1s",
    );
    let text = format!("{base}    x = place(count, 2)\n    place(1, 2)\n");
    let service = service(&text);
    let entry = service.triggers.last().expect("a trigger").entry;
    let shown: Vec<String> = service
        .code
        .iter()
        .skip(entry as usize)
        .map(|i| word(i, entry, &service))
        .collect();
    assert_eq!(
        shown.join(" "),
        "set set unless>5 set jump>6 sleep set set unless>10 jump>11 sleep done"
    );
    // Each copy has variables of its own.
    let slots: Vec<Place> = service
        .code
        .iter()
        .skip(entry as usize)
        .filter_map(|instruction| match instruction {
            Instruction::Set { place, .. } => Some(*place),
            _ => None,
        })
        .collect();
    let distinct: std::collections::BTreeSet<String> = slots.iter().map(|place| format!("{place:?}")).collect();
    assert_eq!((slots.len(), distinct.len()), (5, 5));
}

#[test]
fn memory_is_shared_and_locals_are_not() {
    let service = service(&in_service("count = count + 1\nx = count"));
    let places: Vec<Place> = service
        .code
        .iter()
        .filter_map(|instruction| match instruction {
            Instruction::Set { place, .. } => Some(*place),
            _ => None,
        })
        .collect();
    assert_eq!(places[0], Place::Memory(0));
    assert!(matches!(places[1], Place::Local(_)));
    assert_eq!(
        service.memory.iter().map(|(name, _)| &**name).collect::<Vec<_>>(),
        ["count", "batch"]
    );
}

#[test]
fn types_settle_over_rounds_and_loops() {
    // `last` is null at first and a row later; `n` is an int here and a text there: neither is blamed.
    good(&in_service(
        "last = null\nrepeat\n  if last sleep 1s\n  last = select id from orders\n  if last.id > 5 break",
    ));
    good(&in_service("n = 1\nn = 'a'\nx = n || 'b'\ny = n + 1"));
    good(&in_service(
        "list = []\nrepeat 3 times\n  append list to list\nfor x in list\n  for y in x\n    z = y",
    ));
}

/// The samples of the language's description.
fn sample(id: &str) -> String {
    let path = format!("{}/tests/fixtures/language/{id}.crash", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the sample can be read")
}

#[test]
fn the_samples_compile() {
    for id in super::SAMPLES {
        let scenario = good(&sample(id));
        assert_eq!(&*scenario.id, id);
        assert!(!scenario.promises.is_empty());
    }
    let lost = good(&sample("I12")).expected;
    assert_eq!(lost[0].kind, Kind::Lost);
    assert_eq!(lost[0].subject, Some(Value::text("n-9921")));
}

#[test]
fn sample_o10_in_steps() {
    let program = good(&sample("O10")).program;
    let steps = |service: usize| {
        program.services[service]
            .steps
            .iter()
            .map(|s| s.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(steps(0), ["begin", "insert-orders", "insert-outbox", "commit"]);
    assert_eq!(steps(1), ["select-outbox", "publish-events", "mark"]);
    assert_eq!(
        steps(2),
        ["begin", "insert-inbox", "rollback", "ack", "insert-parcels", "commit"]
    );
    let warehouse = &program.services[2];
    assert_eq!(warehouse.databases, [1]);
    assert!(matches!(
        &warehouse.code[1],
        Instruction::Step {
            request: Request::Sql { database: 1, .. },
            line: 35,
            ..
        }
    ));
    let handler = Handler {
        from: 1,
        to: 2,
        classes: vec![ErrorClass::Duplicate],
        pc: 3,
    };
    assert_eq!(warehouse.handlers, [handler]);
}
