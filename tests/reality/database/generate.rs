//! Generated histories: small tables and few keys, so that sessions collide.
//!
//! Each step is drawn knowing who waits on the engine, for a step of a session that waits is no step at all. The same seed and
//! kind give the same history.

use super::engine::Compiled;
use super::history::{Action, History, Pace, Session, Step};
use super::transcript::{Answer, Transcript};

/// SplitMix64 (Steele, Lea, Flood 2014): enough for drawing, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to `bound - 1`. The bounds here are tiny, so that a remainder is even enough.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        let position = usize::try_from(self.below(list.len() as u64)).unwrap_or(0);
        list.get(position).copied().unwrap_or_default()
    }
}

/// Which isolation levels a history has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    ReadCommitted,
    RepeatableRead,
    Mixed,
    /// All transactions, and nothing outside of them.
    Serializable,
}

impl Levels {
    pub const ALL: [Levels; 4] = [
        Levels::ReadCommitted,
        Levels::RepeatableRead,
        Levels::Mixed,
        Levels::Serializable,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Levels::ReadCommitted => "read committed",
            Levels::RepeatableRead => "repeatable read",
            Levels::Mixed => "mixed levels",
            Levels::Serializable => "serializable",
        }
    }

    fn begin(self, random: &mut Random) -> &'static str {
        match self {
            Levels::ReadCommitted => "begin",
            Levels::RepeatableRead => "begin isolation level repeatable read",
            Levels::Serializable => "begin isolation level serializable",
            Levels::Mixed => random.pick(&[
                "begin",
                "begin isolation level repeatable read",
                "begin isolation level serializable",
            ]),
        }
    }
}

const SETUP: [&str; 4] = [
    "table a (id int primary key, v int not null, u int unique)",
    "table b (id serial primary key, k text not null, n int not null default 0, unique (k, n))",
    "insert into a (id, v, u) values (1, 10, 1), (2, 20, 2), (3, 30, null)",
    "insert into b (k) values ('x')",
];

/// One session, as far as drawing needs to know it.
#[derive(Clone, Default)]
struct State {
    open: bool,
    failed: bool,
    savepoints: u64,
}

/// Draws a history. Errors: a statement that the language refuses.
pub fn history(seed: u64, levels: Levels) -> Result<History, String> {
    let mut random = Random::new(seed);
    let sessions = 2 + random.below(2);
    let length = 8 + random.below(12);
    let mut history = History {
        name: format!("{} {seed}", levels.name()),
        pace: if random.percent(30) {
            Pace::Unhurried
        } else {
            Pace::Hurried
        },
        setup: SETUP.map(str::to_string).to_vec(),
        steps: Vec::new(),
    };
    let mut states = vec![State::default(); usize::try_from(sessions).unwrap_or(2)];
    let mut played = Transcript::default();
    for _ in 0..length {
        let waiting = played
            .records
            .get(history.steps.len().wrapping_sub(1))
            .map(|record| record.waiting.clone());
        let waiting = waiting.unwrap_or_default();
        let free: Vec<Session> = (1..=sessions)
            .filter_map(|session| Session::try_from(session).ok())
            .collect();
        let free: Vec<Session> = free.into_iter().filter(|session| !waiting.contains(session)).collect();
        let drawn = usize::try_from(random.below(free.len().max(1) as u64)).unwrap_or(0);
        let Some(session) = free.get(drawn).copied() else { break };
        let Some(state) = states.get_mut(usize::from(session - 1)) else {
            break;
        };
        let action = action(&mut random, levels, state);
        history.steps.push(Step {
            session,
            action,
            expected: None,
        });
        let outcomes = Compiled::new(&history)?.play(&history);
        played = outcomes
            .into_iter()
            .next()
            .map(|outcome| outcome.transcript)
            .unwrap_or_default();
        for (session, answer) in played
            .records
            .get(history.steps.len() - 1)
            .iter()
            .flat_map(|record| &record.answers)
        {
            if let (Some(state), Answer::Failed(..)) = (states.get_mut(usize::from(session - 1)), answer) {
                state.failed = state.open;
            }
        }
    }
    Ok(history)
}

fn action(random: &mut Random, levels: Levels, state: &mut State) -> Action {
    if levels != Levels::Serializable && random.percent(2) {
        *state = State::default();
        return if random.percent(50) {
            Action::End
        } else {
            Action::Vanish
        };
    }
    if !state.open && (levels == Levels::Serializable || random.percent(65)) {
        state.open = true;
        return Action::Sql(levels.begin(random).to_string());
    }
    if state.open {
        let goes_on = if state.failed { 15 } else { 70 };
        if !random.percent(goes_on) {
            return Action::Sql(end(random, state));
        }
    }
    Action::Sql(match levels {
        Levels::Serializable => serial_statement(random),
        _ => statement(random),
    })
}

/// Everything that ends a transaction or a part of it.
fn end(random: &mut Random, state: &mut State) -> String {
    match random.below(10) {
        0..=1 if !state.failed => {
            state.savepoints += 1;
            format!("savepoint s{}", 1 + random.below(2))
        }
        0..=4 if state.savepoints > 0 => {
            state.failed = false;
            format!("rollback to s{}", 1 + random.below(2))
        }
        2..=4 => {
            *state = State::default();
            "rollback".to_string()
        }
        _ => {
            *state = State::default();
            "commit".to_string()
        }
    }
}

/// A statement of any kind of the language. Where one goes through several rows it names the key first, so that PostgreSQL can go
/// by the key's index.
fn statement(random: &mut Random) -> String {
    let (id, other, v, n) = (id(random), id(random), 10 * (1 + random.below(4)), 1 + random.below(2));
    let wait = random.pick(&["", "", " nowait", " skip locked", " skip locked"]);
    let order = random.pick(&["id", "id desc", "v, id", "v desc, id"]);
    match random.below(28) {
        0 => format!("select id, v, u from a where id = {id}"),
        1 => "select id, v, u from a order by id".to_string(),
        2 => format!("select count(*), sum(v), min(v), max(v) from a where id >= {id} and v >= {v}"),
        3 => format!("select id, v from a where v >= {v} order by {order} limit {n}"),
        4 => format!("select id, v from a where id = {id} for update{wait}"),
        5 | 6 => {
            format!("select id, v from a where id >= {id} and v <= {v} order by {order} limit {n} for update{wait}")
        }
        7 => format!("select id, u from a where id >= {id} for update{wait}"),
        8 | 9 => format!("update a set v = v + {n} where id = {id}"),
        10 | 11 => format!("update a set v = v + 10 where id >= {id} and v >= {v} returning id, v"),
        12 => format!("update a set id = {other} where id = {id}"),
        13 => format!("update a set u = {other} where id = {id} returning id, u"),
        14 => format!("update a set v = (select max(v) from a) + 1 where id = {id} returning id, v"),
        15 => format!(
            "update a set v = v + 100 where id = (select id from a where v <= {v} order by id limit 1 for update{wait}) returning id, v"
        ),
        16 => format!("update a set v = v - {n} where id >= {id} and exists (select id from b where n = {n})"),
        17 => format!("delete from a where id = {id}"),
        18 => format!("delete from a where id >= {id} and v <= {v} returning id"),
        19 | 20 => format!("insert into a (id, v, u) values ({id}, {v}, {})", key(random)),
        21 => format!(
            "insert into a (id, v, u) values ({id}, {v}, {}), ({other}, {v}, null)",
            key(random)
        ),
        22 | 23 => {
            let target = random.pick(&["", " (id)", " (u)"]);
            let returning = random.pick(&["", " returning id, v"]);
            format!(
                "insert into a (id, v, u) values ({id}, {v}, {}) on conflict{target} do nothing{returning}",
                key(random)
            )
        }
        24 => format!(
            "insert into b (k, n) values ('{}', {n}) returning id",
            random.pick(&["x", "y"])
        ),
        25 => format!(
            "insert into b (k, n) values ('x', {}) on conflict (k, n) do nothing returning id",
            n - 1
        ),
        26 => format!("update b set n = {n} where k = 'x' and n = {} returning id, n", n - 1),
        _ => random
            .pick(&[
                "insert into a (id, v) values (4, null)",
                "update a set v = null where id = 1",
                "select id, k, n from b order by id",
                "update a set v = v + 2147483647 where id = 2",
                "delete from b where k = 'x' and n = 0",
            ])
            .to_string(),
    }
}

/// Statements whose results do not say whether somebody else is at work, so that a serial order can give them: nothing that skips,
/// and no sequences.
fn serial_statement(random: &mut Random) -> String {
    let (id, other, v, n) = (id(random), id(random), 10 * (1 + random.below(4)), 1 + random.below(2));
    match random.below(14) {
        0 | 1 => format!("select id, v, u from a where id = {id}"),
        2 => "select id, v, u from a order by id".to_string(),
        3 => format!("select count(*), sum(v), min(v), max(v) from a where v >= {v}"),
        4 => format!("select count(*) from b where n >= {n}"),
        5 => format!("select id, v from a where v <= {v} order by id limit {n} for update"),
        6 | 7 => format!("update a set v = v + {n} where id = {id} returning id, v"),
        8 => format!("update a set v = (select sum(v) from a) + 1 where id = {id} returning id, v"),
        9 => format!("update a set u = {other} where id = {id}"),
        10 => format!(
            "update a set v = v + {n} where id = {id} and not exists (select id from a where v >= {v} and id <> {id})"
        ),
        11 => format!("delete from a where id = {id}"),
        12 => format!("insert into a (id, v, u) values ({id}, {v}, {})", key(random)),
        _ => format!("update b set n = n + 1 where id = 1 and not exists (select id from a where v = {v})"),
    }
}

fn id(random: &mut Random) -> u64 {
    1 + random.below(4)
}

fn key(random: &mut Random) -> String {
    match random.below(4) {
        0 => "null".to_string(),
        key => key.to_string(),
    }
}
