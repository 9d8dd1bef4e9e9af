//! The language as a whole: text in, program or diagnostics out.

mod accepted;
mod compiled;
mod grammar;
mod refused;
mod robust;

use super::{Diagnostic, parse};
use crate::program::{Scenario, Service};

/// A service's block in a small world: databases `shop` (table `orders`) and `store` (table `parcels`), broker `rabbit`
/// with queues `events`, `other` and `log` (partitioned), outside party `bank`; the block starts at line [`BLOCK`].
fn in_service(block: &str) -> String {
    let mut text = String::from(WORLD);
    for line in block.lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text
}

const WORLD: &str = "\
scenario test
  until 1min
database shop
  table orders (id int primary key, note text, total int not null, sent boolean not null default false, at timestamptz)
  table other (n int, unique (n))
database store
  table parcels (id serial primary key, order_id int)
broker rabbit
  queue events lease 30s
  queue other
  queue log partitions 3
  topic news to events, other
outside bank (order_id text, amount int)
service Shop
  handle greet(name) done
service S on shop
  memory count = 0
  memory batch = []
  handle place(id, total) return id
  start
";

/// The samples of the language, by id; their texts are fixtures.
const SAMPLES: [&str; 5] = ["O10", "O11-skip", "I12", "P6", "C16"];

/// The line of the first statement of [`in_service`].
const BLOCK: u32 = 21;

fn good(text: &str) -> Scenario {
    parse(text).unwrap_or_else(|diagnostics| panic!("{}\n{text}", shown(&diagnostics)))
}

/// The last service of the text.
fn service(text: &str) -> Service {
    good(text).program.services.last().expect("a service").clone()
}

fn shown(diagnostics: &[Diagnostic]) -> String {
    let lines: Vec<String> = diagnostics.iter().map(Diagnostic::to_string).collect();
    lines.join("\n")
}

/// The messages for a block, with lines counted from the block's first.
fn problems(block: &str) -> Vec<String> {
    match parse(&in_service(block)) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics
            .iter()
            .map(|found| {
                let line = i64::from(found.line) - i64::from(BLOCK) + 1;
                // The block is indented by four.
                format!(
                    "{line}:{} {}",
                    i64::from(found.column) - 4,
                    found.text(crate::words::Language::En)
                )
            })
            .collect(),
    }
}
