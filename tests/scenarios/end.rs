//! The form of a table of ends: what a preset leaves behind, compared with values that were worked out from its story.

use crate::finished::run;

/// A table, outside party or queue, and what is there.
pub type Named = (&'static str, &'static [&'static str]);

/// Final rows by table or outside party, and message ids by queue. `database.table(a, b)` compares these columns alone, where the
/// others hold instants that the story does not fix.
pub struct End {
    pub id: &'static str,
    pub rows: &'static [Named],
    pub queues: &'static [Named],
}

/// Runs each preset under its own faults and compares.
pub fn check(ends: &[End]) {
    for end in ends {
        let finished = run(end.id);
        for (name, rows) in end.rows {
            assert_eq!(finished.rows(name), *rows, "{}: {name}", end.id);
        }
        for (name, ids) in end.queues {
            assert_eq!(finished.ids(name), *ids, "{}: {name}", end.id);
        }
    }
}
