//! The database alone, beside PostgreSQL 15: the same statements of two and three sessions, one at a time.
//!
//! `history` is what is played, `engine` and `real` play it, `transcript` is what either says. Hand-written histories are in `cases`;
//! `generate` draws others, `shrink` makes one that differs small, `serial` looks for a serial order. What PostgreSQL's
//! documentation leaves open, and nothing else, is made equal: the sequence of rows without `order by` (by sorting them, and
//! by letting PostgreSQL find the rows of a change by their key), and who of several that a step wakes goes on first (by playing
//! every sequence on the engine).

mod engine;
mod generate;
mod history;
mod real;
mod serial;
mod shrink;
mod transcript;

use crate::options::Options;
use crate::servers::Postgres;
use crate::summary::{Case, Summary, Verdict, today};
use engine::{Compiled, Outcome};
use generate::Levels;
use history::{History, Step};
use real::{Broken, Real, Scans};
use transcript::{Transcript, beside};

/// The hand-written cases.
const CASES: &[&str] = &[
    include_str!("cases/uniques.txt"),
    include_str!("cases/locks.txt"),
    include_str!("cases/isolation.txt"),
    include_str!("cases/sessions.txt"),
    include_str!("cases/found.txt"),
];

/// How often a history that differs is played again: a machine under load may have been too slow for its pace.
const AGAIN: usize = 2;

/// Generated histories are shared out among so many databases.
const BENCHES: u64 = 3;

/// Generated histories of each database that are made small; others are shown as they are.
const SHOWN: usize = 2;

/// What is not compared, and why.
const NOT_CHECKED: &[&str] = &[
    "now() and timestamps: the engine's time is virtual",
    "a serial order of what conflicts of unique keys tell serializable transactions: PostgreSQL notes nothing of them",
    "two-phase commit in generated histories: its identifiers belong to the whole server",
    "the sequence in which statements that one step wakes are answered, where nothing but the clock tells it",
];

/// Starts a server and compares everything.
pub fn run(options: &Options) -> Vec<Summary> {
    let server = match Postgres::start() {
        Ok(server) => server,
        Err(reason) => return vec![Summary::skipped("PostgreSQL", "database", reason.to_string())],
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let compared = match runtime {
        Ok(runtime) => runtime.block_on(compare_all(&server, options)),
        Err(error) => Err(error.into()),
    };
    match compared {
        Ok(summary) => vec![summary],
        Err(broken) => {
            let mut summary = Summary::skipped("PostgreSQL", "database", String::new());
            for case in &mut summary.cases {
                case.verdict = Verdict::Disagrees(format!("    the comparison broke off: {broken}"));
            }
            vec![summary]
        }
    }
}

async fn compare_all(server: &Postgres, options: &Options) -> Result<Summary, Broken> {
    let mut bench = Bench::new(server, "by_hand", options).await?;
    println!(
        "PostgreSQL {} on port {}, seed {}, {} generated histories",
        server.version(),
        server.port(),
        options.seed,
        options.histories
    );
    let mut cases = bench.by_hand(options).await?;
    if options.only.is_none() {
        // Each has a database of its own; while one waits for a deadlock to be found, others go on.
        let all = (0..BENCHES).map(|number| generated(server, number, options));
        let mut found: Vec<(u64, Case)> = Vec::new();
        for some in futures_util::future::join_all(all).await {
            found.extend(some?);
        }
        found.sort_by_key(|(number, _)| *number);
        cases.extend(found.into_iter().map(|(_, case)| case));
    }
    Ok(Summary {
        system: "PostgreSQL".to_string(),
        version: server.version().to_string(),
        date: today(),
        settings: format!("seed {}", options.seed),
        cases,
        not_checked: NOT_CHECKED.iter().map(|item| item.to_string()).collect(),
    })
}

/// The share of the generated histories that one of the benches plays, with their numbers.
async fn generated(server: &Postgres, bench: u64, options: &Options) -> Result<Vec<(u64, Case)>, Broken> {
    let step = usize::try_from(BENCHES).unwrap_or(1);
    let numbers = (options.from + bench..options.from + options.histories).step_by(step);
    let mut bench = Bench::new(server, &format!("generated_{bench}"), options).await?;
    let (mut cases, mut shown) = (Vec::new(), 0);
    for number in numbers {
        // Histories of one kind are numbered on, and those of different seeds have nothing in common.
        let levels = Levels::ALL[(number % Levels::ALL.len() as u64) as usize];
        let history = generate::history(options.seed.wrapping_mul(1_000_003).wrapping_add(number), levels)?;
        let mut verdict = bench.generated(&history, levels).await?;
        if let Verdict::Disagrees(_) = verdict
            && shown < SHOWN
        {
            shown += 1;
            verdict = bench.smallest(&history, levels, verdict).await?;
        }
        let mut case = case(&format!("generated, {}", levels.name()), &history, verdict);
        case.name = format!("--seed {} --from {number} --histories 1", options.seed);
        cases.push((number, case));
    }
    Ok(cases)
}

fn case(kind: &str, history: &History, verdict: Verdict) -> Case {
    Case {
        kind: kind.to_string(),
        name: history.name.clone(),
        verdict,
    }
}

/// The steps with which every history ends: each session commits, as often as there are sessions, for each commit lets at least one
/// go on that waits.
pub fn closing(history: &History) -> Vec<Step> {
    let sessions = history.sessions();
    let round = sessions.iter().map(|session| Step::sql(*session, "commit"));
    sessions.iter().flat_map(|_| round.clone()).collect()
}

struct Bench<'s> {
    real: Real<'s>,
    trace: bool,
}

impl<'s> Bench<'s> {
    async fn new(server: &'s Postgres, database: &str, options: &Options) -> Result<Bench<'s>, Broken> {
        Ok(Bench {
            real: Real::new(server, database).await?,
            trace: options.trace,
        })
    }

    async fn by_hand(&mut self, options: &Options) -> Result<Vec<Case>, Broken> {
        let wanted = |history: &History| options.only.as_ref().is_none_or(|only| history.name.contains(only));
        let mut cases = Vec::new();
        for text in CASES {
            for history in History::read(text)?.into_iter().filter(wanted) {
                let verdict = self.hand_written(&history).await?;
                cases.push(case("hand-written", &history, verdict));
            }
        }
        Ok(cases)
    }

    /// Both sides must agree, and bring what the text says.
    async fn hand_written(&mut self, history: &History) -> Result<Verdict, Broken> {
        let compiled = Compiled::new(history)?;
        let outcomes = compiled.play(history);
        let unexpected = outcomes
            .first()
            .and_then(|outcome| outcome.transcript.unexpected(history));
        match unexpected {
            Some(unexpected) => {
                let real = self.real.play(history, &compiled, Scans::Planned).await?;
                let engine = outcomes.first().map(|outcome| &outcome.transcript).unwrap_or(&real);
                let text = beside(history, engine, &real);
                Ok(Verdict::Disagrees(format!("{text}    on the engine: {unexpected}")))
            }
            None => {
                self.compare(history, &compiled, &outcomes, Levels::Mixed, Scans::Planned)
                    .await
            }
        }
    }

    async fn generated(&mut self, history: &History, levels: Levels) -> Result<Verdict, Broken> {
        let compiled = Compiled::new(history)?;
        let outcomes = compiled.play(history);
        if levels != Levels::Serializable {
            return self.compare(history, &compiled, &outcomes, levels, Scans::ByKey).await;
        }
        for outcome in &outcomes {
            if let Some(problem) = serial::without_order(history, &outcome.transcript)? {
                let text = beside(history, &outcome.transcript, &outcome.transcript);
                return Ok(Verdict::Disagrees(format!("{text}    on the engine: {problem}")));
            }
        }
        self.compare(history, &compiled, &outcomes, levels, Scans::Planned)
            .await
    }

    async fn compare(
        &mut self,
        history: &History,
        compiled: &Compiled,
        outcomes: &[Outcome],
        levels: Levels,
        scans: Scans,
    ) -> Result<Verdict, Broken> {
        let mut verdict = Verdict::Agrees;
        for _ in 0..=AGAIN {
            let real = self.real.play(history, compiled, scans).await?;
            if self.trace {
                let first = outcomes.first().map(|outcome| &outcome.transcript).unwrap_or(&real);
                println!("{}\n{}", history.name, beside(history, first, &real));
            }
            if levels == Levels::Serializable
                && let Some(problem) = serial::without_order(history, &real)?
            {
                let text = beside(history, &real, &real);
                return Ok(Verdict::Disagrees(format!("{text}    on PostgreSQL: {problem}")));
            }
            if fits(history, outcomes, &real) {
                return Ok(Verdict::Agrees);
            }
            if scans == Scans::ByKey && outcomes.iter().any(|outcome| notes_more(&outcome.transcript, &real)) {
                return Ok(Verdict::Skipped("what it reads by key is noted row by row".to_string()));
            }
            if outcomes.iter().any(|outcome| outcome.unordered) {
                return Ok(Verdict::Skipped("the sequence of its rows is open".to_string()));
            }
            let closest = outcomes
                .iter()
                .max_by_key(|outcome| outcome.transcript.first_difference(&real));
            let text = closest.map(|outcome| beside(history, &outcome.transcript, &real));
            verdict = Verdict::Disagrees(text.unwrap_or_default());
        }
        Ok(verdict)
    }

    /// The smallest part of a history that disagrees, and how.
    async fn smallest(&mut self, history: &History, levels: Levels, verdict: Verdict) -> Result<Verdict, Broken> {
        let mut last = verdict;
        let small = shrink::shrink(history, async |fewer: &History| {
            match self.generated(fewer, levels).await {
                Ok(disagrees @ Verdict::Disagrees(_)) => {
                    last = disagrees;
                    true
                }
                _ => false,
            }
        })
        .await;
        Ok(match last {
            Verdict::Disagrees(text) => Verdict::Disagrees(format!("{text}    as a case:\n{small}")),
            other => other,
        })
    }
}

/// True if the engine fails first for want of a serial order. What PostgreSQL notes as read depends on its plan, says its
/// documentation, and a plan that goes by a key notes single rows where the engine notes the table.
fn notes_more(predicted: &Transcript, real: &Transcript) -> bool {
    let first = predicted.without_reasons().first_difference(&real.without_reasons());
    first.is_some_and(|record| predicted.fails_for_reads(record) && !real.fails_serially(record))
}

/// True if PostgreSQL did what some outcome says, or failed earlier for want of a serial order: it notices reads of whole tables.
fn fits(history: &History, outcomes: &[Outcome], real: &Transcript) -> bool {
    let serializable = history
        .steps
        .iter()
        .any(|step| step.to_string().contains("isolation level serializable"));
    let real = real.without_reasons();
    outcomes.iter().any(|outcome| {
        let predicted = outcome.transcript.without_reasons();
        match predicted.first_difference(&real) {
            None => true,
            Some(record) => serializable && real.fails_serially(record) && !predicted.fails_serially(record),
        }
    })
}
